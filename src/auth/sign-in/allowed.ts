import type { SignInEnv } from '../settings.ts'
import { allowRules, allows } from './allow.ts'
import type { Props } from './person.ts'

/**
 * Whether somebody may come in whatever their groups are: they had the passphrase or a code, or SIGN_IN_ALLOW names
 * them. It is asked each time, so that taking somebody out ends their access.
 */
export const isAllowed = (
  { person, isForeign }: Pick<Props, 'person' | 'isForeign'>,
  { SIGN_IN_ALLOW }: SignInEnv,
): boolean => !isForeign || allows(allowRules(SIGN_IN_ALLOW), person)
