import { TokenFault } from '../issuer/fault.ts'
import type { Claims } from '../issuer/signed.ts'
import { isName, type Person } from './person.ts'

/** Which claims say who somebody is. */
export interface ClaimSettings {
  readonly SIGN_IN_PERSON_CLAIM?: string | undefined
  readonly SIGN_IN_GROUPS_CLAIM?: string | undefined
}

/** OpenID Connect Core 1.0, section 2, says 255. */
const MAX_SUBJECT_CHARS = 255

const MAX_GROUPS = 200
const MAX_GROUP_CHARS = 200

/** The person that the verified claims of an issuer name. Throws {@link TokenFault}. */
export function personIn(claims: Claims, issuer: string, settings: ClaimSettings): Person {
  const { sub } = claims
  const isSubject = typeof sub === 'string' && sub !== '' && sub.length <= MAX_SUBJECT_CHARS
  // What makes an id of two parts is a space, and no issuer has one.
  if (!isSubject || /\p{Cc}/u.test(sub)) {
    throw new TokenFault('The identity provider does not say who this is: it gave no subject.')
  }
  const name = nameIn(claims, settings)
  if (name === undefined) throw new TokenFault(noName(settings))
  return { id: `${issuer} ${sub}`, name, groups: groupsIn(claims, settings) }
}

/** The claim that names a person. */
export const personClaim = ({ SIGN_IN_PERSON_CLAIM: claim }: ClaimSettings): string =>
  claim || 'email'

/** The claim that lists the groups of a person. */
export const groupsClaim = ({ SIGN_IN_GROUPS_CLAIM: claim }: ClaimSettings): string =>
  claim || 'groups'

/**
 * The name that claims give; nothing if they give none that can be trusted.
 *
 * An address counts if the issuer says that it is verified: with many providers anybody can write any
 * address into their own account. Some issuers never say it, such as Entra. There the operator vouches
 * for all addresses by naming the claim. What is said to be unverified never counts.
 */
export function nameIn(claims: Claims, settings: ClaimSettings): string | undefined {
  const claim = personClaim(settings)
  const name = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (typeof name !== 'string' || !isName(name)) return undefined
  if (claim !== 'email' || claims.email_verified === true) return name
  return settings.SIGN_IN_PERSON_CLAIM && claims.email_verified === undefined ? name : undefined
}

/** The groups that claims list. Throws {@link TokenFault} if they say that there is a list elsewhere. */
export function groupsIn(claims: Claims, settings: ClaimSettings = {}): readonly string[] {
  const claim = groupsClaim(settings)
  const listed = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (listed === undefined) assertNotElsewhere(claims, claim)
  const groups = (Array.isArray(listed) ? listed : [listed]).filter(isGroup)
  return [...new Set(groups)].slice(0, MAX_GROUPS)
}

/** Without its groups, somebody might see what their group may not. Entra leaves them out past 200. */
function assertNotElsewhere({ _claim_names: names, hasgroups }: Claims, claim: string): void {
  const isNamed = typeof names === 'object' && names !== null && Object.hasOwn(names, claim)
  if (!isNamed && hasgroups !== true) return
  throw new TokenFault(
    'You are in more groups than the identity provider can tell. The operator has to let it tell fewer: those that are assigned to the application.',
  )
}

const isGroup = (it: unknown): it is string =>
  typeof it === 'string' && it !== '' && it.length <= MAX_GROUP_CHARS && !/\p{Cc}/u.test(it)

const noName = (settings: ClaimSettings): string =>
  personClaim(settings) === 'email'
    ? 'The identity provider does not vouch for an address of yours. Verify your address there. If it is verified, the operator has to set SIGN_IN_PERSON_CLAIM.'
    : 'The identity provider does not say your name. The operator has to set SIGN_IN_PERSON_CLAIM to a claim that it sends.'
