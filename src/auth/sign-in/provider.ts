import type { Fetch } from '../issuer/ask.ts'
import type { SignInEnv } from '../settings.ts'
import { GITHUB, gitHub } from './github.ts'
import { openId } from './openid.ts'
import type { IdentityProvider } from './person.ts'

/** The provider that the operator configured; undefined without an issuer or a client. */
export function identityProvider(env: SignInEnv, fetch: Fetch): IdentityProvider | undefined {
  const [issuer, clientId] = [env.SIGN_IN_ISSUER?.trim(), env.SIGN_IN_CLIENT_ID?.trim()]
  if (!issuer || !clientId) return undefined
  const clientSecret = env.SIGN_IN_CLIENT_SECRET?.trim()
  const scopes = (env.SIGN_IN_SCOPES ?? '').split(/[\s,]/).filter(Boolean)
  if (issuer === GITHUB || issuer === `${GITHUB}/`) {
    return gitHub({ clientId, clientSecret, scopes }, fetch)
  }
  return openId({ ...env, title: titleOf(issuer), issuer, clientId, clientSecret, scopes }, fetch)
}

/** The common name of the provider at an address. */
function titleOf(issuer: string): string {
  if (!URL.canParse(issuer)) return 'your provider'
  const { host } = new URL(issuer)
  if (host === 'accounts.google.com') return 'Google'
  if (host === 'login.microsoftonline.com') return 'Microsoft'
  return host.endsWith('.okta.com') ? 'Okta' : host
}
