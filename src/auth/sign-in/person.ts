import { toBase64Url } from '../../mcp/index.ts'

/** Who signed in, or is named by a token of another issuer. */
export interface Person {
  /** Tells them from everybody else, and never changes: the way in, and what it calls them. At most 500 characters. */
  readonly id: string
  /** What databases, records and groups know them by, such as an address. At most 200 characters. */
  readonly name: string
  /** What their provider says they are in. At most 200 of them. */
  readonly groups: readonly string[]
}

/** What is kept with a token, encrypted: who it is for, and the endpoints that they ticked. */
export interface Props {
  readonly person: Person
  readonly endpoints: readonly string[]
  /** Whether they came in by a provider, so that SIGN_IN_ALLOW or a group has to let them in. */
  readonly isForeign: boolean
  /** When they ticked them, in milliseconds since 1970: an endpoint that is made later is another one. */
  readonly since: number
}

/** What those are called who had the passphrase, or a code for nobody. */
export const SHARED_NAME = 'passphrase'

/**
 * Whether a text can be the name of a person: as `person` of a key, and nobody can be taken for the
 * operator, for a key, for a group, or for those who had the passphrase.
 */
export function isName(text: string): boolean {
  if (text.length === 0 || text.length > 200 || text === 'key' || /\p{Cc}/u.test(text)) return false
  // As groups compare names: `Group:Staff` is `group:staff`.
  const folded = text.normalize('NFC').toLowerCase()
  return folded !== SHARED_NAME && !/^(?:key|group):/.test(folded)
}

/** A provider that people sign in at, in their browser. */
export interface IdentityProvider {
  /** What people call it, such as `Google`. */
  readonly title: string
  /**
   * Where to send the browser, and what {@link finish} needs when it comes back.
   *
   * @param redirectUri where the provider sends it back to
   * @param state bound to the browser by who calls this
   */
  begin(
    redirectUri: string,
    state: string,
  ): Promise<{ readonly location: string; readonly kept: unknown }>
  /** Who came back to this URL. Throws {@link SignInFault}. */
  finish(callback: URL, redirectUri: string, kept: unknown): Promise<Person>
}

/** Why somebody is not signed in, in a sentence for them to read. Nothing of it comes from a stranger. */
export class SignInFault extends Error {
  override readonly name = 'SignInFault'
}

/** The library's id of a user, which must not contain a colon. */
export async function userIdOf({ id }: Person): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id))
  return toBase64Url(new Uint8Array(digest))
}
