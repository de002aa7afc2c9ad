import type { Database } from '../database.ts'
import { DatabaseError, type Failure, TooDear } from '../error.ts'
import { admitWithValues } from '../guard/guarded.ts'
import type { Statement } from '../rows.ts'
import { answered, visibleCatalog } from './visible-catalog.ts'
import { assertVisible } from './visible-sql.ts'
import { shows, type Visibility, type VisibleTables, visibilityOf } from './visible-tables.ts'

/**
 * Wraps a database so that only some tables and columns exist: the catalog lists only those. The engine's
 * messages about a failure are left out where they could quote something hidden.
 *
 * @param isOperators True for statements that the operator wrote. Other statements run only if they declare what
 *   they read, or the engine reports it.
 */
export async function visible(
  database: Database,
  tables: VisibleTables,
  isOperators: boolean,
): Promise<Database> {
  const visibility = visibilityOf(tables, database.dialect)
  const catalog = visibleCatalog(database, visibility)
  const dialect = { ...database.dialect, hidesColumns: true, catalog }
  const only: Database = {
    ...database,
    dialect,
    async query(statement, limits) {
      const answer = answered(statement, limits)
      if (answer) return { columns: [], elapsedMs: 0, ...(await answer.catch(dull)) }
      // Our own messages about a statement are safe to show.
      admitWithValues(statement, database.dialect)
      if (statement.reads) assertKnown(statement.reads, visibility)
      else if (!isOperators) {
        await assertVisible(database, only, statement, visibility, limits)
      }
      const rows = database.query(statement, limits)
      return statement.reads || isOperators ? rows.catch(dull) : rows
    },
  }
  return only
}

/** Checks that our own statements use visible names only. They should, but this makes sure. */
function assertKnown(read: NonNullable<Statement['reads']>, visibility: Visibility): void {
  const columns = visibility(read)
  if (read.columns.length > 0 && read.columns.every((it) => shows(columns, it))) return
  throw new Error('A statement names something that is hidden from its group.')
}

/** Rethrows an error in our own words, because the engine's words quote names and values. */
function dull(error: unknown): never {
  // A cost does not reveal names or values.
  if (!(error instanceof DatabaseError) || error instanceof TooDear) throw error
  const { kind, code } = error
  const said = kind === 'sql' || kind === 'refused' || code !== undefined
  const message = said && INSTEAD[kind]
  if (!message) throw error
  const hint = kind === 'sql' && code?.startsWith('22') ? VALUES : HINTS[kind]
  throw new DatabaseError(kind, message, { code, hint })
}

/** Our messages in place of the engine's. Errors of the other kinds always have our own wording. */
const INSTEAD: Partial<Record<Failure, string>> = {
  sql: 'The database could not run this.',
  refused: 'The database does not allow this endpoint to run this.',
  timeout: 'The database stopped the query, or could not start it in time.',
  too_large: 'The answer, or an intermediate value, is too large.',
}

const VALUES = 'Check that each value fits the type of its column.'
const HINTS: Partial<Record<Failure, string>> = {
  timeout: 'Ask for less: filter on indexed columns, or aggregate.',
  too_large: 'Select fewer columns or fewer rows.',
}
