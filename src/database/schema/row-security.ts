import type { Database } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { QueryContext, Statement } from '../rows.ts'
import { mentionedTables } from './mentioned-tables.ts'

/** Tables that show this role only some rows, if the dialect reports them. They can explain an empty result. */
export async function rowSecurity(
  database: Database,
  statement: Statement,
  limits: QueryContext,
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
