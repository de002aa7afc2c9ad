import type { Identity } from '../database/index.ts'
import type { Caller } from '../mcp/index.ts'
import type { Endpoint } from './endpoint.ts'

type DatabaseConfig = Endpoint['databases'][string]

/** What of an identity the queries of a database need. */
export const identityParts = ({ role, claims }: DatabaseConfig): (keyof Identity)[] => [
  ...(role === undefined ? [] : (['role'] as const)),
  ...(claims ? (['claims'] as const) : []),
]

/** Whom the queries of a database run as, if not only as its login. */
export const identityOf = (
  { role, claims }: DatabaseConfig,
  caller: Caller | undefined,
): Identity => ({ role, claims: claims && JSON.stringify(claimsOf(role, caller)) })

/** What we know ourselves goes before what the credentials of a caller say. */
const claimsOf = (role: string | undefined, caller: Caller | undefined) =>
  caller
    ? {
        ...caller.claims,
        sub: caller.subject,
        scope: caller.scopes.join(' '),
        ...(role !== undefined && { role }),
      }
    : { role: role ?? 'anon' }

/** Why a database cannot apply a part of an identity, and what to do instead. */
export const notApplied = (part: keyof Identity, title: string): string =>
  part === 'role'
    ? `${title} takes no role here: leave "role" out, and give its URL a login of its own, with the rights that are meant.`
    : `${title} takes no claims here: leave "claims" out. Row-level security works with PostgreSQL; elsewhere a tool of your own can take a claim as a parameter.`
