import type { Fetch } from '../issuer/ask.ts'
import type { SignInEnv } from '../settings.ts'
import { GITHUB, gitHub } from './github.ts'
import { openId } from './openid.ts'
import type { IdentityProvider } from './person.ts'

/** The provider that the operator chose; none if there is no issuer or no client. */
export function identityProvider(env: SignInEnv, fetch: Fetch): IdentityProvider | undefined {
  const [issuer, clientId] = [env.SIGN_IN_ISSUER?.trim(), env.SIGN_IN_CLIENT_ID?.trim()]
  if (!issuer || !clientId) return undefined
  const clientSecret = env.SIGN_IN_CLIENT_SECRET?.trim()
  const scopes = (env.SIGN_IN_SCOPES ?? '').split(/[\s,]/).filter(Boolean)
  if (issuer === GITHUB || issuer === `${GITHUB}/`) {
    return gitHub({ clientId, clientSecret, scopes }, fetch)
  }
  const { SIGN_IN_PERSON_CLAIM, SIGN_IN_GROUPS_CLAIM } = env
  const claims = { SIGN_IN_PERSON_CLAIM, SIGN_IN_GROUPS_CLAIM }
  const title = titleOf(issuer)
  return openId({ ...claims, title, issuer, clientId, clientSecret, scopes }, fetch)
}

/** What people call the provider at an address. */
function titleOf(issuer: string): string {
  if (!URL.canParse(issuer)) return 'your provider'
  const { host } = new URL(issuer)
  if (host === 'accounts.google.com') return 'Google'
  if (host === 'login.microsoftonline.com') return 'Microsoft'
  return host.endsWith('.okta.com') ? 'Okta' : host
}
