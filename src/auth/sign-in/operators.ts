import { howToSet, type SignInEnv } from '../settings.ts'
import { allowRules, allows, faultOfEntries } from './allow.ts'
import type { Person } from './person.ts'

/** The name in records of anyone who has TIDEGATE_KEY. */
export const OPERATOR = 'operator'

/**
 * True if a signed-in person can open the Console: OPERATORS, which is written like SIGN_IN_ALLOW, allows them. If it
 * has an entry for everybody, it allows nobody. It never allows a person whose name would be mistaken for the key's
 * holder.
 */
export const isOperatorName = (person: Person, { OPERATORS }: SignInEnv): boolean =>
  !allowRules(OPERATORS).everybody &&
  person.name.normalize('NFKC').trim().toLowerCase() !== OPERATOR &&
  allows(allowRules(OPERATORS), person)

/** The error in OPERATORS, as a message for the operator. */
export function faultOfOperators(text = ''): string | undefined {
  return allowRules(text).everybody
    ? `OPERATORS has "*", which would let everybody change this deployment, so it names nobody. List addresses, *@example.com or group:NAME. ${howToSet('OPERATORS')}`
    : faultOfEntries(text, 'OPERATORS')
}
