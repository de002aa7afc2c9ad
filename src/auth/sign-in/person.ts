import { foldName, sha256 } from '../../ground/index.ts'
import { toBase64Url } from '../../mcp/index.ts'

/** Reason that a person's groups are unknown: there is no list, it has another format, or it is incomplete. */
export type UnknownGroups = 'missing' | 'odd' | 'cut' | 'left out' | 'withheld'

/** A person who signed in, or whom a token from another issuer identifies. */
export interface Person {
  /** Unique and permanent ID: the way that they signed in, and their ID there. At most 500 characters. */
  readonly id: string
  /** Name in databases, records and groups, such as an address. At most 200 characters. */
  readonly name: string
  /** Groups that their provider reports. At most 200. */
  readonly groups: readonly string[]
  /** Reason that the groups may be incomplete: see group-list.ts. */
  readonly unknownGroups?: UnknownGroups | undefined
  /** When the provider reported them, in milliseconds since 1970. */
  readonly groupsAt?: number | undefined
}

/** Encrypted data stored with a token: the person, and the endpoints that they selected. */
export interface Props {
  readonly person: Person
  readonly endpoints: readonly string[]
  /** True if they signed in at a provider. Then SIGN_IN_ALLOW or a group has to allow them. */
  readonly isForeign: boolean
  /** Time when they selected them, in milliseconds since 1970: an endpoint that is created later is a different one. */
  readonly since: number
}

/** Name of people who used the passphrase, or a code for no particular person. */
export const SHARED_NAME = 'passphrase'

/** Prefix of the IDs of people who used the passphrase or a code. */
const OWN_ID = 'passphrase '

/** The person who used the passphrase, or a code for this name. */
export const ownPerson = (name: string): Person => ({ id: `${OWN_ID}${name}`, name, groups: [] })

/** True if a person signed in at a provider, or if that is unknown. */
export const isOfProvider = (person: Pick<Person, 'id'> | undefined): boolean =>
  !person?.id.startsWith(OWN_ID)

/**
 * True if a string can be a person's name, including the `person` of a key, without being mistaken for the operator, a
 * key, a group, or people who used the passphrase.
 */
export function isName(text: string): boolean {
  if (text.length === 0 || text.length > 200 || text === 'key' || /\p{Cc}/u.test(text)) return false
  const folded = foldName(text)
  return folded !== SHARED_NAME && !/^(?:key|group):/.test(folded)
}

/** A provider where people sign in with their browser. */
export interface IdentityProvider {
  /** The provider's common name, such as `Google`. */
  readonly title: string
  /**
   * Returns the URL for the browser, and the state that {@link finish} needs when it returns.
   *
   * @param redirectUri where the provider sends it back to
   * @param state bound to the browser by the caller
   */
  begin(
    redirectUri: string,
    state: string,
  ): Promise<{ readonly location: string; readonly kept: unknown }>
  /** Returns the person who came back to this URL. Throws {@link SignInFault}. */
  finish(callback: URL, redirectUri: string, kept: unknown): Promise<Person>
}

/**
 * Reports that a person is not signed in, in a message for that person. The message contains no text from a stranger.
 */
export class SignInFault extends Error {
  override readonly name = 'SignInFault'
}

/** The library's ID for a user, which must not contain a colon. */
export const userIdOf = async ({ id }: Person): Promise<string> => toBase64Url(await sha256(id))
