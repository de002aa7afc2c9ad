import { DatabaseError } from '../error.ts'
import { words } from '../words.ts'
import { sqliteError } from './error.ts'

const BEFORE = 'select ?1 from ('

/** A text that is a statement only if the text it holds is a single query. */
export const probe = (sql: string) => `${BEFORE}${sql}\n)`

/**
 * Lets a text pass only if it is one statement and a query, and lets SQLite itself be the judge.
 *
 * `exec` runs every statement of its text, so the text is put behind a placeholder that is sent no
 * value. Where a statement follows the one with the placeholder, the platform refuses to begin;
 * where none follows, it misses the value. Either way all was read and nothing was run, and
 * nothing but a query can stand between the parentheses.
 */
export function assertSingle(storage: SqlStorage, sql: string): void {
  let thrown: unknown = new DatabaseError('refused', ONE)
  try {
    storage.exec(probe(sql))
  } catch (said) {
    thrown = said
  }
  judge(thrown, sql)
}

/** What the failure of a probe tells: nothing is wrong, or else it throws what is. */
export function judge(thrown: unknown, sql: string): void {
  if (thrown instanceof DatabaseError) throw thrown
  const said = String(thrown)
  if (said.includes('Wrong number of parameter bindings')) return
  if (said.includes('multiple SQL statements')) throw new DatabaseError('refused', ONE)
  throw unwrapped(sqliteError(thrown, probe(sql)), sql)
}

/** Why a text that is not alone is refused. */
export const ONE = 'Send one statement at a time, with no semicolon inside.'

/** The error of a probe as it would read without the text around the statement. */
export function unwrapped({ message, code, position }: DatabaseError, sql: string): DatabaseError {
  const near = /^near "(.+)": syntax error$/s.exec(message)?.[1]?.toUpperCase() ?? ''
  if (near === ';') return new DatabaseError('refused', ONE)
  if (NOT_QUERIES.has(near)) {
    return new DatabaseError('refused', `${near} is refused: this database is only read.`)
  }
  const at = position && position - BEFORE.length
  if (at && at > sql.length) return new DatabaseError('sql', 'incomplete input', { code })
  return new DatabaseError('sql', message, { code, position: at })
}

const NOT_QUERIES = new Set(
  words(
    'INSERT REPLACE UPDATE DELETE CREATE ALTER DROP REINDEX ANALYZE',
    'PRAGMA ATTACH DETACH VACUUM BEGIN COMMIT END ROLLBACK SAVEPOINT',
    'RELEASE',
  ),
)
