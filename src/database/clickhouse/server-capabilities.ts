import { DatabaseError } from '../error.ts'
import type { QueryContext, Rows } from '../rows.ts'
import { later } from './catalog.ts'

/** The settings and columns that a server accepts. */
export interface Capabilities {
  /** True if the user can set limits. A user whose profile has readonly = 1 cannot change any settings. */
  readonly free: boolean
  /** Settings and catalog columns that the server's version does not have. */
  readonly lacking: ReadonlySet<string>
}

/** The capabilities of a current server, for a user whose profile leaves `readonly` at 0. */
export const defaultCapabilities: Capabilities = { free: true, lacking: new Set() }

/** Settings that the oldest versions do not have. */
const LATER = {
  // Without it, a query keeps running after its client has disconnected.
  cancel_http_readonly_queries_on_client_close: '1',
  // The formats of dates and decimals, whatever the profile sets: 2026-01-02 03:04:05, 1.50.
  date_time_output_format: 'simple',
  output_format_decimal_trailing_zeros: '1',
  // The format that `answer.ts` expects.
  format_tsv_null_representation: '\\N',
  output_format_tsv_crlf_end_of_line: '0',
  // The comment in the query log.
  log_comment: '',
  // With progress in the headers, the status is sent before the result is known.
  send_progress_in_http_headers: '0',
}

/**
 * The settings for one query. `readonly` keeps the statement from changing the limits that are set with it.
 * No setting here can change a result. For example, the block size would, for every function that counts from
 * row to row.
 */
export function settings(
  { free, lacking }: Capabilities,
  { maxRows, timeoutMs, trace }: QueryContext,
): Record<string, string> {
  // A value that is already set can be set again. It then still applies if the profile changes.
  if (!free) return { readonly: '1' }
  const known = Object.entries({ ...LATER, log_comment: commentOf(trace) }).filter(
    ([name, value]) => value !== undefined && !lacking.has(name),
  )
  return {
    readonly: '1',
    // Whole seconds: old versions accept nothing else, and 0 would mean no limit.
    max_execution_time: String(Math.ceil(timeoutMs / 1_000)),
    timeout_overflow_mode: 'throw',
    // The server stops at the end of a block, so more rows than this can arrive.
    max_result_rows: String(maxRows + 1),
    result_overflow_mode: 'break',
    extremes: '0',
    ...Object.fromEntries(known),
  }
}

/** Identifies the call that a query runs for, as JSON. */
const commentOf = (trace: QueryContext['trace']) => trace && JSON.stringify(trace)

/** Replaces the catalog columns in a statement that the server does not have. */
export function withoutLacking(sql: string, { lacking }: Capabilities): string {
  return Object.entries(later)
    .filter(([name]) => lacking.has(name))
    .reduce((text, [name, instead]) => text.replaceAll(name, instead), sql)
}

// UNKNOWN_IDENTIFIER, UNKNOWN_SETTING, READONLY.
const TOO_MUCH = ['47', '115', '164']

/** True if an error can mean that the server does not support part of the request. */
export const tooMuch = (error: unknown) =>
  error instanceof DatabaseError && TOO_MUCH.includes(error.code ?? '')

const names = (list: readonly string[]) => list.map((name) => `'${name}'`).join(', ')
const columns = Object.keys(later).map((name) => name.replace(/^.*\./, ''))

/** The query for the capabilities. It is sent without settings, because the server may have refused a setting. */
export const QUESTION = `select name, value from system.settings
  where name in ('readonly', ${names(Object.keys(LATER))})
  union all select name, '' from system.columns
  where database = 'system' and table = 'tables' and name in (${names(columns)})`

/** Reads the capabilities from the result of {@link QUESTION}. */
export function capabilitiesOf({ rows }: Pick<Rows, 'rows'>): Capabilities {
  const found = new Map(rows.map(([name, value]) => [String(name), String(value)]))
  const readonly = found.get('readonly')
  if (readonly === '2') {
    // This value lets table functions connect to other hosts, and it cannot be set to 1.
    throw new DatabaseError(
      'config',
      'The profile of the database user has readonly = 2. The operator must set it to 0 or 1.',
    )
  }
  const missing = [
    ...Object.keys(LATER).filter((name) => !found.has(name)),
    ...Object.keys(later).filter((name) => !found.has(name.replace(/^.*\./, ''))),
  ]
  return { free: readonly !== '1', lacking: new Set(missing) }
}
