import type { Database } from '../database.ts'
import { ROLE_LIMITS, type RoleReport } from '../role.ts'
import type { QueryContext } from '../rows.ts'

/**
 * Finds a database role's privileges beyond reading. It only queries them and tries nothing. Throws {@link
 * DatabaseError}.
 */
export const inspectRole = (
  database: Database,
  limits: Pick<QueryContext, 'timeoutMs' | 'signal'>,
): Promise<RoleReport> =>
  database.dialect.inspectRole(
    async (sql) =>
      (await database.query({ sql, internal: true }, { ...limits, ...ROLE_LIMITS })).rows,
    database,
  )
