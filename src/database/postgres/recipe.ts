import { DatabaseError, type Limits, type Statement } from '../database.ts'
import { postgres } from '../dialects/postgres.ts'
import { refuse, verb } from '../guard.ts'

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
export function recipe(
  { sql, params, own }: Statement,
  { timeoutMs, maxRows }: Limits,
): readonly Statement[] {
  const times = [timeoutMs, Math.min(timeoutMs, LOCK_MS)].map((ms) => String(Math.ceil(ms)))
  const settings = { sql: set(own ? [...SETTINGS, ...OWN_PATH] : SETTINGS), params: times }
  if (standsAlone(sql)) return [settings, { sql, params }]
  const fetch = { sql: `fetch forward ${maxRows + 1} from tidegate` }
  const declare = { sql: CURSOR + sql, params }
  return own ? [settings, declare, { sql: set(ITS_PATH) }, fetch] : [settings, declare, fetch]
}

/** Whether it is SHOW or EXPLAIN, which no cursor takes, and the guard has nothing against it. */
function standsAlone(sql: string): boolean {
  if (refuse(sql, postgres.rules) !== undefined) return false
  const first = verb(sql, postgres.rules)
  return first === 'show' || first === 'explain'
}

/** The error of a recipe with its position in the caller's own text. */
export function inOwnText(error: unknown, { sql }: Statement): unknown {
  if (!(error instanceof DatabaseError) || error.position === undefined) return error
  const position = error.position - (standsAlone(sql) ? 0 : CURSOR.length)
  return error.at(position > 0 ? position : undefined)
}
