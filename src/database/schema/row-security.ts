import type { Database } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { Limits, Statement } from '../rows.ts'
import { mentionedTables } from './mentioned-tables.ts'

/**
 * The tables of a statement that show this role only some of their rows, if the dialect can tell. This
 * explains why a statement found nothing. It never fails.
 */
export async function rowSecurity(
  database: Database,
  statement: Statement,
  limits: Limits,
): Promise<readonly string[]> {
  const { secured } = database.dialect.catalog
  const names = secured ? mentionedTables(statement, database.dialect) : []
  if (!secured || names.length === 0) return []
  const bare = names.map((name) => name.split('.').at(-1)!)
  try {
    const { rows } = await database.query({ ...secured(bare), internal: true }, limits)
    return rows.map(([name]) => String(name))
  } catch (error) {
    if (error instanceof DatabaseError) return []
    throw error
  }
}
