import type { Database } from '../database.ts'
import { ROLE_LIMITS, type RoleReport } from '../role.ts'
import type { Limits } from '../rows.ts'

/**
 * Finds out what the role of a database may do besides reading. It only asks: nothing is tried.
 * Throws {@link DatabaseError}.
 */
export const inspectRole = (
  database: Database,
  limits: Pick<Limits, 'timeoutMs' | 'signal'>,
): Promise<RoleReport> =>
  database.dialect.inspectRole(
    async (sql) =>
      (await database.query({ sql, internal: true }, { ...limits, ...ROLE_LIMITS })).rows,
    database,
  )
