import { SignedTokenFault } from '../issuer/ask.ts'
import type { Claims } from '../issuer/signed.ts'
import type { SignInEnv } from '../settings.ts'
import { type GroupList, groupList } from './group-list.ts'
import { isName, type Person } from './person.ts'

/** The claims that identify a person. */
export type ClaimSettings = Pick<SignInEnv, 'SIGN_IN_PERSON_CLAIM' | 'SIGN_IN_GROUPS_CLAIM'>

/** The limit in OpenID Connect Core 1.0, section 2. */
const MAX_SUBJECT_CHARS = 255

/** The person in an issuer's verified claims. Throws {@link SignedTokenFault}. */
export function personIn(claims: Claims, issuer: string, settings: ClaimSettings): Person {
  const { sub } = claims
  const isSubject = typeof sub === 'string' && sub !== '' && sub.length <= MAX_SUBJECT_CHARS
  // A space joins the two parts of an ID, and no issuer contains one.
  if (!isSubject || /\p{Cc}/u.test(sub)) {
    throw new SignedTokenFault(
      'The identity provider does not say who this is: it gave no subject.',
    )
  }
  const name = nameIn(claims, settings)
  if (name === undefined) throw new SignedTokenFault(noName(settings))
  return { id: `${issuer} ${sub}`, name, ...groupsIn(claims, settings) }
}

/** The claim that names a person. */
export const personClaim = ({ SIGN_IN_PERSON_CLAIM: claim }: ClaimSettings): string =>
  claim || 'email'

/** The claim that lists a person's groups. */
export const groupsClaim = ({ SIGN_IN_GROUPS_CLAIM: claim }: ClaimSettings): string =>
  claim || 'groups'

/**
 * The name in the claims. Undefined if they contain no name that can be trusted.
 *
 * An email address counts if the issuer says that it is verified: with many providers, anybody can enter any address in
 * their own account. Some issuers, such as Entra, never say so. There, the operator vouches for all addresses by
 * setting SIGN_IN_PERSON_CLAIM. An address marked as unverified never counts.
 */
export function nameIn(claims: Claims, settings: ClaimSettings): string | undefined {
  const claim = personClaim(settings)
  const name = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (typeof name !== 'string' || !isName(name)) return undefined
  if (claim !== 'email' || claims.email_verified === true) return name
  return settings.SIGN_IN_PERSON_CLAIM && claims.email_verified === undefined ? name : undefined
}

/** The groups in the claims. Throws {@link SignedTokenFault} if the claims say that the list is elsewhere. */
function groupsIn(claims: Claims, settings: ClaimSettings): GroupList {
  const claim = groupsClaim(settings)
  assertNotElsewhere(claims, claim)
  return groupList(Object.hasOwn(claims, claim) ? claims[claim] : undefined)
}

/**
 * Throws if groups are left out: without them, a person might see data that their group is not allowed to see. Entra
 * leaves them out above 200, and sooner if the token must be short (OpenID Connect Core 1.0, section 5.6.2).
 */
function assertNotElsewhere(claims: Claims, claim: string): void {
  const { _claim_names: names, _claim_sources: sources, hasgroups } = claims
  const isMarked = hasgroups !== undefined && hasgroups !== false && hasgroups !== 'false'
  const isUnnamed = names === undefined && sources !== undefined
  if (!isMarked && !isUnnamed && !mayName(names, claim)) return
  throw new SignedTokenFault(
    'You are in more groups than the identity provider can send. The operator must have it send fewer: those that are assigned to the application.',
  )
}

/**
 * True if `_claim_names`, the list of claims that are elsewhere, might contain this claim. A list in another format
 * might contain any claim.
 */
function mayName(names: unknown, claim: string): boolean {
  if (names === undefined || names === null) return false
  if (Array.isArray(names)) return names.includes(claim)
  return typeof names !== 'object' || Object.hasOwn(names, claim)
}

const noName = (settings: ClaimSettings): string =>
  personClaim(settings) === 'email'
    ? 'The identity provider does not vouch for an address of yours. Verify your address there. If it is verified, the operator has to set SIGN_IN_PERSON_CLAIM.'
    : 'The identity provider does not send your name. The operator must set SIGN_IN_PERSON_CLAIM to a claim that it sends.'
