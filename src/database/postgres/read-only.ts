import { DatabaseError } from '../error.ts'
import { refuse } from '../guard/guard.ts'
import { read } from '../guard/reading.ts'
import type { QueryContext, Statement } from '../rows.ts'
import { identitySettings, type Setting } from './identity.ts'
import { rules } from './rules.ts'

/**
 * The transaction settings. They come first, and a query sets them: after a query, a read-only
 * transaction cannot become read-write. The guard and `values.ts` rely on the four settings from
 * `standard_conforming_strings` on.
 */
const SETTINGS = [
  ['statement_timeout', '$1'],
  ['idle_in_transaction_session_timeout', '$1'],
  ['lock_timeout', '$2'],
  ['standard_conforming_strings', "'on'"],
  ['datestyle', "'ISO'"],
  ['bytea_output', "'hex'"],
  ['extra_float_digits', "'1'"],
  // We read all rows. By default, a cursor is planned to return the first tenth quickly.
  ['cursor_tuple_fraction', "'1'"],
] as const

/**
 * While our own statement is parsed, only the system's functions, operators and types are found. If
 * pg_temp were not listed, it would come first. While the statement runs, the role's path applies. That path
 * determines whether names are shown with their schemas.
 */
const OWN_PATH = [
  ['tidegate.path', "pg_catalog.current_setting('search_path')"],
  ['search_path', "'pg_catalog, pg_temp'"],
] as const
const RESTORE_PATH = [['search_path', "pg_catalog.current_setting('tidegate.path')"]] as const
/** Restores the path that the session began with. A role may not be allowed to call set_config(). */
const RESTORE_PATH_AS_ROLE = 'set local search_path to default'

const set = (settings: readonly Setting[]) =>
  `select ${settings.map(([name, value]) => `pg_catalog.set_config('${name}', ${value}, true)`)}`

/** Time to wait for a lock. If it takes longer, something long such as a migration holds the lock. */
const LOCK_MS = 3_000

// A cursor accepts only a query that reads, and computes only the fetched rows.
const CURSOR = 'declare tidegate no scroll cursor for '

/**
 * Statements to run, in order, in a transaction that began read-only: settings, then the caller's single
 * statement. After that come only our own statements, because the caller's statement could have ended the
 * transaction. The last statement returns the rows, one more than the limit if there are more.
 */
export function readOnlySteps(
  statement: Statement,
  { timeoutMs, maxRows, identity = {} }: QueryContext,
): readonly Statement[] {
  const { sql, params, internal } = statement
  const values = [timeoutMs, Math.min(timeoutMs, LOCK_MS)].map((ms) => String(Math.ceil(ms)))
  // The role comes last, after everything that only the login may be allowed to do.
  const whose = identitySettings(identity, (value) => `$${values.push(value)}`)
  const all = [...SETTINGS, ...(internal ? OWN_PATH : []), ...whose]
  const settings = { sql: set(all), params: values }
  const at = cursorAt(statement)
  const declare = {
    sql: at === undefined ? sql : sql.slice(0, at) + CURSOR + sql.slice(at),
    params,
  }
  if (at !== 0) return [settings, declare]
  const fetch = { sql: `fetch forward ${maxRows + 1} from tidegate` }
  return internal
    ? [settings, declare, { sql: identity.role ? RESTORE_PATH_AS_ROLE : set(RESTORE_PATH) }, fetch]
    : [settings, declare, fetch]
}

/**
 * Position in a statement at which to declare its cursor: at the start, or after EXPLAIN, so that the plan
 * matches the query that would run. A SHOW that the guard allows gets no cursor.
 */
function cursorAt(statement: Statement): number | undefined {
  const { verb, tokens } = read(statement, rules)
  if (verb !== 'show' && verb !== 'explain') return 0
  if (refuse(statement, rules) !== undefined) return 0
  if (verb === 'show') return undefined
  let i = tokens.findIndex(({ kind, value }) => kind === 'word' && QUERY.test(value))
  while (tokens[i - 1]?.value === '(') i--
  return /^(?:explain|verbose|\))$/.test(tokens[i - 1]?.value ?? '') ? tokens[i]!.start : undefined
}

/** The error for a transaction that can write. */
export const notReadOnly = () =>
  new DatabaseError('network', 'The database did not begin a read-only transaction.')

/** True if a statement is an EXPLAIN, which plans the cursor that would run. */
export const plansCursor = (statement: Statement): boolean => (cursorAt(statement) ?? 0) > 0

const QUERY = /^(?:select|with|values|table)$/

/** Moves an error's position from these steps to the caller's own text. */
export function inOwnText(error: unknown, statement: Statement): unknown {
  if (!(error instanceof DatabaseError) || error.position === undefined) return error
  const at = cursorAt(statement)
  const before = at === undefined || error.position <= at ? 0 : CURSOR.length
  const position = error.position - before
  return error.at(position > 0 ? position : undefined)
}
