import type { EmaOptions } from '@cloudflare/workers-oauth-provider'
import { READ } from '../../registry/index.ts'
import type { Fetch } from '../issuer/ask.ts'
import { keysUrlOf } from '../issuer/metadata.ts'
import type { FindOffers } from '../offers.ts'
import type { SignInEnv } from '../settings.ts'
import { allowRules, allows } from '../sign-in/allow.ts'
import { personIn } from '../sign-in/claims.ts'
import { type GroupsCount, groupsFault } from '../sign-in/group-list.ts'
import { type Props, userIdOf } from '../sign-in/person.ts'
import { logged } from './events.ts'

/**
 * Exchanges ID-JAGs from an enterprise's identity provider for tokens issued here, if ENTERPRISE_ISSUER is set. This is
 * MCP's enterprise-managed authorization. There is no consent page, so a token opens the endpoint that it is for, and a
 * token for `/mcp` opens every endpoint that the person can use.
 */
export function enterpriseManaged(
  env: SignInEnv,
  { offers, groupsCount }: { readonly offers: FindOffers; readonly groupsCount: GroupsCount },
  fetch: Fetch,
): EmaOptions<unknown> | undefined {
  const issuer = env.ENTERPRISE_ISSUER?.trim()
  if (!issuer) return undefined
  const rules = allowRules(env.SIGN_IN_ALLOW)
  return {
    async trustedIssuers({ iss }) {
      if (iss !== issuer) return null
      // The only algorithms that the library supports.
      return { issuer, jwksUri: await keysUrlOf(issuer, fetch), algorithms: ['RS256', 'ES256'] }
    },

    async mapClaims({ claims, clientInfo, requestedScope, resource }) {
      const person = { ...personIn(claims, issuer, env), groupsAt: Date.now() }
      const fault = await groupsFault(person, 0, groupsCount)
      if (fault !== undefined) {
        logged(fault)
        return null
      }
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

/** The endpoint that a resource names; undefined for `/mcp`. */
const nameIn = (resource: string): string | undefined =>
  new URL(resource).pathname.split('/')[2] || undefined
