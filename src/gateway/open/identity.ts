import { type Database, DatabaseError, type Identity, titlesOf } from '../../database/index.ts'
import type { Caller } from '../../mcp/index.ts'
import { ConfigError } from '../config/endpoint.ts'
import { type DatabasePlace, type EndpointDatabase, inFront } from './endpoint-database.ts'

type DatabaseConfig = DatabasePlace['config']

/** Runs each query with the role and the claims that the configuration requires. */
export function applyIdentity(
  found: EndpointDatabase,
  { config }: Pick<DatabasePlace, 'config'>,
): EndpointDatabase {
  const parts = identityParts(config)
  if (found.problem || parts.length === 0) return found
  const fault = notApplied(parts, found)
  if (fault) {
    const problem = new ConfigError(fault)
    return { title: 'not available', problem, open: () => Promise.reject(problem) }
  }
  return inFront(found, (database, { caller }) => {
    const fault = notApplied(parts, { ...database.dialect, ...database })
    if (fault) throw new DatabaseError('config', fault)
    const identity = identityOf(config, caller)
    return {
      ...database,
      query: (statement, limits) => database.query(statement, { ...limits, identity }),
    }
  })
}

/** The parts of an identity that a database's queries need. */
const identityParts = ({ role, claims }: DatabaseConfig): (keyof Identity)[] => [
  ...(role === undefined ? [] : (['role'] as const)),
  ...(claims ? (['claims'] as const) : []),
]

/** The identity that a database's queries run as, if it is not just the login. */
export const identityOf = (
  { role, claims }: DatabaseConfig,
  caller: Caller | undefined,
): Identity => ({ role, claims: claims && JSON.stringify(claimsOf(role, caller)) })

/** The caller's claims. Values that the gateway sets override those in the credentials. */
const claimsOf = (role: string | undefined, caller: Caller | undefined) =>
  caller
    ? {
        ...caller.claims,
        sub: caller.subject,
        scope: caller.scopes.join(' '),
        ...(role !== undefined && { role }),
      }
    : { role: role ?? 'anon' }

/**
 * The message that a database cannot apply one of these parts of an identity, and the alternative; undefined if it can.
 */
function notApplied(
  parts: readonly (keyof Identity)[],
  { applies = [], title }: Pick<Database, 'applies'> & { readonly title: string },
): string | undefined {
  const missing = parts.find((it) => !applies.includes(it))
  if (missing === undefined) return undefined
  return missing === 'role'
    ? `${title} does not support a role here: remove "role", and give its URL a login of its own, with the intended rights.`
    : `${title} does not support claims here: remove "claims". Row-level security works with ${titlesOf((it) => it.applies?.includes('claims') === true)}; elsewhere, a custom tool can take a claim as a parameter.`
}
