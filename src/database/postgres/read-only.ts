import { DatabaseError } from '../error.ts'
import { refuse } from '../guard/guard.ts'
import { read } from '../guard/reading.ts'
import type { Limits, Statement } from '../rows.ts'
import { rules } from './rules.ts'

/**
 * Comes first, and is a query for a reason: once one has run, a transaction that began read-only
 * cannot be made anything else. The guard and the value reader count on the last four settings.
 */
const SETTINGS = [
  ['statement_timeout', '$1'],
  ['idle_in_transaction_session_timeout', '$1'],
  ['lock_timeout', '$2'],
  ['standard_conforming_strings', "'on'"],
  ['datestyle', "'ISO'"],
  ['bytea_output', "'hex'"],
  ['extra_float_digits', "'1'"],
  // All rows are wanted, and no plan that is quick with the first tenth of them.
  ['cursor_tuple_fraction', "'1'"],
] as const

/**
 * While a statement of ours is read, only the system's own functions, operators and types are found;
 * left out, pg_temp would come first. While it runs, the path is the role's: by that, names are shown
 * with their schemas or without.
 */
const OWN_PATH = [
  ['tidegate.path', "pg_catalog.current_setting('search_path')"],
  ['search_path', "'pg_catalog, pg_temp'"],
] as const
const ITS_PATH = [['search_path', "pg_catalog.current_setting('tidegate.path')"]] as const

const set = (settings: readonly (readonly [name: string, value: string])[]) =>
  `select ${settings.map(([name, value]) => `pg_catalog.set_config('${name}', ${value}, true)`)}`

/** A lock not to be had by then is held by something long, such as a migration. */
const LOCK_MS = 3_000

// A cursor takes nothing but a query that reads, and computes only the rows that are fetched.
const CURSOR = 'declare tidegate no scroll cursor for '

/**
 * What runs, in order, in a transaction that began read-only: settings, then the one statement of the
 * caller's, and after it only ours. If it managed to end the transaction, the next one would run
 * outside. The last of them returns the rows, one more than the limit where there are more.
 */
export function readOnlySteps(
  statement: Statement,
  { timeoutMs, maxRows }: Limits,
): readonly Statement[] {
  const { sql, params, own } = statement
  const times = [timeoutMs, Math.min(timeoutMs, LOCK_MS)].map((ms) => String(Math.ceil(ms)))
  const settings = { sql: set(own ? [...SETTINGS, ...OWN_PATH] : SETTINGS), params: times }
  const at = cursorAt(statement)
  const declare = {
    sql: at === undefined ? sql : sql.slice(0, at) + CURSOR + sql.slice(at),
    params,
  }
  if (at !== 0) return [settings, declare]
  const fetch = { sql: `fetch forward ${maxRows + 1} from tidegate` }
  return own ? [settings, declare, { sql: set(ITS_PATH) }, fetch] : [settings, declare, fetch]
}

/**
 * Where in a statement its cursor is declared: before it, or behind EXPLAIN, so that the plan is that
 * of what would run. SHOW, against which the guard has nothing, takes none.
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

const QUERY = /^(?:select|with|values|table)$/

/** The error of these steps with its position in the caller's own text. */
export function inOwnText(error: unknown, statement: Statement): unknown {
  if (!(error instanceof DatabaseError) || error.position === undefined) return error
  const at = cursorAt(statement)
  const before = at === undefined || error.position <= at ? 0 : CURSOR.length
  const position = error.position - before
  return error.at(position > 0 ? position : undefined)
}
