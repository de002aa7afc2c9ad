import type { Granted } from './server/orders.ts'
import type { SignInEnv } from './settings.ts'

/** What a JWT of the operator's issuer grants at this resource. */
export async function grantedByJwt(
  _token: string,
  _resource: string,
  _env: SignInEnv,
): Promise<Granted | undefined> {
  return undefined
}
