import type { EmaOptions } from '@cloudflare/workers-oauth-provider'
import type { Fetch } from './issuer/ask.ts'
import { keysUrlOf } from './issuer/metadata.ts'
import { READ } from './resource.ts'
import type { FindOffers } from './server/offers.ts'
import type { SignInEnv } from './settings.ts'
import { allowRules, allows } from './sign-in/allow.ts'
import { personIn } from './sign-in/claims.ts'
import { type Props, userIdOf } from './sign-in/person.ts'

/**
 * Exchanges what the identity provider of an enterprise says of its people (ID-JAGs) for tokens of ours,
 * if ENTERPRISE_ISSUER is set: enterprise-managed authorization of MCP. Nobody is asked, so a token
 * opens the endpoint that it is for, and one for `/mcp` all that its person may use.
 */
export function enterpriseManaged(
  env: SignInEnv,
  offers: FindOffers,
  fetch: Fetch,
): EmaOptions<unknown> | undefined {
  const issuer = env.ENTERPRISE_ISSUER?.trim()
  if (!issuer) return undefined
  const rules = allowRules(env.SIGN_IN_ALLOW)
  return {
    async trustedIssuers({ iss }) {
      if (iss !== issuer) return null
      // These are all that the library knows.
      return { issuer, jwksUri: await keysUrlOf(issuer, fetch), algorithms: ['RS256', 'ES256'] }
    },

    async mapClaims({ claims, clientInfo, requestedScope, resource }) {
      const person = personIn(claims, issuer, env)
      const name = nameIn(resource)
      const { offers: all } = await offers(person, !allows(rules, person), name)
      const names = all.map((it) => it.name)
      const endpoints = name === undefined ? names : names.filter((it) => it === name)
      if (endpoints.length === 0) return null
      const props: Props = { person, endpoints, isForeign: true, since: Date.now() }
      const scope = requestedScope.includes(READ) ? [READ] : []
      const client = clientInfo.clientName ?? clientInfo.clientId
      const metadata = { person, client, endpoints }
      return { userId: await userIdOf(person), scope, metadata, props }
    },
  }
}

/** The endpoint that a resource names; none for `/mcp`. */
const nameIn = (resource: string): string | undefined =>
  new URL(resource).pathname.split('/')[2] || undefined
