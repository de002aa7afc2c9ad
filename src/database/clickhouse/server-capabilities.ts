import { DatabaseError } from '../error.ts'
import type { Limits, Rows } from '../rows.ts'
import { later } from './catalog.ts'

/** What a server takes. */
export interface Capabilities {
  /** Whether the user may set bounds. One whose profile has readonly = 1 may set nothing at all. */
  readonly free: boolean
  /** Settings and catalog columns that its version does not have. */
  readonly lacking: ReadonlySet<string>
}

/** The capabilities of a current server, for a user whose profile leaves `readonly` at 0. */
export const defaultCapabilities: Capabilities = { free: true, lacking: new Set() }

/** Settings that the oldest versions do not have. */
const LATER = {
  // Otherwise a query goes on after its client disconnected.
  cancel_http_readonly_queries_on_client_close: '1',
  // The forms of dates and decimals, whatever the profile sets: 2026-01-02 03:04:05, 1.50.
  date_time_output_format: 'simple',
  output_format_decimal_trailing_zeros: '1',
  // As the answer is read.
  format_tsv_null_representation: '\\N',
  output_format_tsv_crlf_end_of_line: '0',
  // What the log of queries says of it.
  log_comment: '',
  // With progress in the headers, the status is sent before it is known.
  send_progress_in_http_headers: '0',
}

/**
 * The settings of one query. `readonly` keeps the statement from changing the bounds that are set with
 * it. No setting may change what a statement computes: the size of a block, for example, would do so
 * wherever a function counts from row to row.
 */
export function settings(
  { free, lacking }: Capabilities,
  { maxRows, timeoutMs, trace }: Limits,
): Record<string, string> {
  // A value that is already set may be set again, and it holds if the profile ever changes.
  if (!free) return { readonly: '1' }
  const known = Object.entries({ ...LATER, log_comment: commentOf(trace) }).filter(
    ([name, value]) => value !== undefined && !lacking.has(name),
  )
  return {
    readonly: '1',
    // Whole seconds: old versions take no others, and 0 would mean no limit.
    max_execution_time: String(Math.ceil(timeoutMs / 1_000)),
    timeout_overflow_mode: 'throw',
    // It stops at the end of a block, so more than that may come.
    max_result_rows: String(maxRows + 1),
    result_overflow_mode: 'break',
    extremes: '0',
    ...Object.fromEntries(known),
  }
}

/** Says for which call a query runs, as JSON. */
const commentOf = (trace: Limits['trace']) => trace && JSON.stringify(trace)

/** A statement without the columns of the catalog that the server does not have. */
export function withoutLacking(sql: string, { lacking }: Capabilities): string {
  return Object.entries(later)
    .filter(([name]) => lacking.has(name))
    .reduce((text, [name, instead]) => text.replaceAll(name, instead), sql)
}

// UNKNOWN_IDENTIFIER, UNKNOWN_SETTING, READONLY.
const TOO_MUCH = ['47', '115', '164']

/** Whether an error may mean that a server was asked for more than it takes. */
export const tooMuch = (error: unknown) =>
  error instanceof DatabaseError && TOO_MUCH.includes(error.code ?? '')

const names = (list: readonly string[]) => list.map((name) => `'${name}'`).join(', ')
const columns = Object.keys(later).map((name) => name.replace(/^.*\./, ''))

/** Asks for the capabilities. It is sent without settings, because those may be what was refused. */
export const QUESTION = `select name, value from system.settings
  where name in ('readonly', ${names(Object.keys(LATER))})
  union all select name, '' from system.columns
  where database = 'system' and table = 'tables' and name in (${names(columns)})`

/** The capabilities that an answer to {@link QUESTION} tells. */
export function capabilitiesOf({ rows }: Pick<Rows, 'rows'>): Capabilities {
  const found = new Map(rows.map(([name, value]) => [String(name), String(value)]))
  const readonly = found.get('readonly')
  if (readonly === '2') {
    // It lets table functions connect elsewhere, and it cannot be set to 1.
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
