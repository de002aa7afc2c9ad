import { DatabaseError } from '../error.ts'
import { words } from '../words.ts'
import { sqliteError } from './error.ts'

const PROBE_START = 'select ?1 from ('

/** Puts SQL in parentheses. The result is a valid statement only if the SQL is a single query. */
export const probe = (sql: string) => `${PROBE_START}${sql}\n)`

/**
 * Allows SQL only if SQLite itself parses it as a single query. Throws {@link DatabaseError}.
 *
 * `exec` runs every statement in its argument. So a placeholder without a value is put before the SQL. If a
 * second statement follows, the platform refuses all of them. Otherwise, it reports that the value is missing.
 * In both cases, SQLite has parsed all of the SQL and run nothing, and only a query can be between the
 * parentheses.
 */
export function assertSingle(storage: SqlStorage, sql: string): void {
  let thrown: unknown = new DatabaseError('refused', ONE_STATEMENT)
  try {
    storage.exec(probe(sql))
  } catch (said) {
    thrown = said
  }
  judge(thrown, sql)
}

/** Reads a probe's error. Returns if the SQL is a single query, and throws the fault otherwise. */
export function judge(thrown: unknown, sql: string): void {
  if (thrown instanceof DatabaseError) throw thrown
  const said = String(thrown)
  if (said.includes('Wrong number of parameter bindings')) return
  if (said.includes('multiple SQL statements')) throw new DatabaseError('refused', ONE_STATEMENT)
  throw unwrapped(sqliteError(thrown, probe(sql)), sql)
}

/** The message for SQL with several statements. */
export const ONE_STATEMENT = 'Send one statement at a time, with no semicolon inside.'

/** Converts a probe's error to an error about the statement inside it. */
export function unwrapped(
  { message, code, hint, position }: DatabaseError,
  sql: string,
): DatabaseError {
  const near = /^near "(.+)": syntax error$/s.exec(message)?.[1]?.toUpperCase() ?? ''
  if (near === ';') return new DatabaseError('refused', ONE_STATEMENT)
  if (NOT_QUERIES.has(near)) {
    return new DatabaseError('refused', `${near} is refused: this database is read-only.`)
  }
  const at = position && position - PROBE_START.length
  if (at && at > sql.length) return new DatabaseError('sql', 'incomplete input', { code })
  return new DatabaseError('sql', message, { code, hint, position: at })
}

/** First words of statements that are not queries. */
const NOT_QUERIES = new Set(
  words(
    'INSERT REPLACE UPDATE DELETE CREATE ALTER DROP REINDEX ANALYZE',
    'PRAGMA ATTACH DETACH VACUUM BEGIN COMMIT END ROLLBACK SAVEPOINT',
    'RELEASE',
  ),
)
