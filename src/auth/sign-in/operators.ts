import { howToSet, type SignInEnv } from '../settings.ts'
import { allowRules, allows, faultOfEntries } from './allow.ts'
import type { Person } from './person.ts'

/** What records call whoever has TIDEGATE_KEY. */
export const OPERATOR = 'operator'

/**
 * Whether somebody who signed in may open the Console: OPERATORS names them, as SIGN_IN_ALLOW names who may sign in.
 * Everybody at once is nobody, and nobody is taken for whoever has the key.
 */
export const isOperatorName = (person: Person, { OPERATORS }: SignInEnv): boolean =>
  !allowRules(OPERATORS).everybody &&
  person.name.normalize('NFKC').trim().toLowerCase() !== OPERATOR &&
  allows(allowRules(OPERATORS), person)

/** What is wrong with OPERATORS, in a sentence for the operator. */
export function faultOfOperators(text = ''): string | undefined {
  return allowRules(text).everybody
    ? `OPERATORS has "*", which would let everybody change this deployment, so it names nobody. List addresses, *@example.com or group:NAME. ${howToSet('OPERATORS')}`
    : faultOfEntries(text, 'OPERATORS')
}
