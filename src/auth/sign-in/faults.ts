import { secretProblem } from '../../registry/index.ts'
import { daysIn, howToSet, type SignInEnv, WAYS } from '../settings.ts'
import { faultOfAllow } from './allow.ts'
import { faultOfOperators } from './operators.ts'
import { faultOfPassphrase } from './passphrase.ts'

/** Problems in the sign-in settings, as messages for the operator. */
export function signInFaults(env: SignInEnv): readonly string[] {
  const way = WAYS.find((it) => env[it])
  if (!way) return env.OPERATORS ? [NO_WAY] : []
  return [
    ...(['TIDEGATE_KEY', 'TIDEGATE_SECRET'] as const)
      .filter((it) => !env[it])
      .map((it) => `${way} is set, but ${it} is not, so nobody can sign in. ${howToSet(it)}`),
    ...(env.TIDEGATE_SECRET ? [secretProblem(env.TIDEGATE_SECRET)] : []),
    ...faultsOfWays(env),
    env.SIGN_IN_DAYS && daysIn(env) === undefined ? WRONG_DAYS : undefined,
  ].filter((it) => it !== undefined)
}

/** Errors in the ways to sign in themselves, regardless of the key and the secret. */
export function faultsOfWays(env: SignInEnv): readonly string[] {
  const missing = NEEDS.filter(([name, needed]) => env[name] && !env[needed])
  return [
    ...missing.map(
      ([name, it]) =>
        `${name} is set, but ${it} is not, so nobody signs in that way. ${howToSet(it)}`,
    ),
    faultOfPassphrase(env),
    env.SIGN_IN_ALLOW ? faultOfAllow(env.SIGN_IN_ALLOW) : undefined,
    faultOfOperators(env.OPERATORS),
  ].filter((it) => it !== undefined)
}

const NO_WAY = `OPERATORS is set, but there is no way to sign in, so nobody whom it names can open the Console. ${howToSet('TIDEGATE_PASSPHRASE')}`

const WRONG_DAYS =
  'SIGN_IN_DAYS has to be a number from 1 to 3650, such as 30. Until it is, grants last 90 days from their last use.'

/** Settings that require another setting. */
const NEEDS = [
  ['SIGN_IN_ISSUER', 'SIGN_IN_CLIENT_ID'],
  ['ACCESS_TEAM', 'ACCESS_AUDIENCE'],
] as const
