import type { Database } from '../database.ts'
import { DatabaseError, type Failure, TooDear } from '../error.ts'
import { admitWithValues } from '../guard/guarded.ts'
import type { Statement } from '../rows.ts'
import { answered, visibleCatalog } from './visible-catalog.ts'
import { assertVisible } from './visible-sql.ts'
import { shows, type Visibility, type VisibleTables, visibilityOf } from './visible-tables.ts'

/**
 * Who answers for a statement that does not say what it reads. `engine`: its role may read no more.
 * `operator`: the operator wrote it. `nobody`: it runs only if the engine tells what it reads.
 */
export type Guardian = 'engine' | 'operator' | 'nobody'

/**
 * The same database, in which only some tables and columns exist: the catalog answers for these alone. What
 * an engine says about a failure is left out where it could quote what is hidden.
 */
export async function visible(
  database: Database,
  tables: VisibleTables,
  guardian: Guardian,
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
      // What we say about a statement ourselves may be told.
      admitWithValues(statement, database.dialect)
      if (statement.reads) assertKnown(statement.reads, visibility)
      else if (guardian === 'nobody') {
        await assertVisible(database, only, statement, visibility, limits)
      }
      const rows = database.query(statement, limits)
      return statement.reads || guardian === 'operator' ? rows.catch(dull) : rows
    },
  }
  return only
}

/** Our own statements are made of visible names. That is not left to chance. */
function assertKnown(read: NonNullable<Statement['reads']>, visibility: Visibility): void {
  const columns = visibility(read)
  if (read.columns.length > 0 && read.columns.every((it) => shows(columns, it))) return
  throw new Error('A statement names what is hidden from its group.')
}

/** Throws an error again in our own words: those of the engine quote names and values. */
function dull(error: unknown): never {
  // A cost tells no name and no value.
  if (!(error instanceof DatabaseError) || error instanceof TooDear) throw error
  const { kind, code } = error
  const said = kind === 'sql' || kind === 'refused' || code !== undefined
  const message = said && INSTEAD[kind]
  if (!message) throw error
  const hint = kind === 'sql' && code?.startsWith('22') ? VALUES : HINTS[kind]
  throw new DatabaseError(kind, message, { code, hint })
}

/** What is said instead of the words of an engine. Of the other kinds, the words are always ours. */
const INSTEAD: Partial<Record<Failure, string>> = {
  sql: 'The database could not run this.',
  refused: 'The database does not let this endpoint run this.',
  timeout: 'The database stopped the query, or could not begin it in time.',
  too_large: 'The answer, or a value on the way to it, is too large.',
}

const VALUES = 'Check that each value fits the type of its column.'
const HINTS: Partial<Record<Failure, string>> = {
  timeout: 'Ask for less: filter on indexed columns, or aggregate.',
  too_large: 'Select fewer columns or fewer rows.',
}
