import type { Cell, Column, Rows } from '../../database/index.ts'
import type { JsonSchema } from '../../mcp/index.ts'
import type { Caps } from '../config/endpoint.ts'

/** The schema of an answer with a list and possibly other fields. It does not describe the items. */
export const listSchema = (name: string): JsonSchema => ({
  type: 'object',
  properties: { [name]: { type: 'array' } },
  required: [name],
})

/**
 * The output schema of tools that return rows. Models pay for it in every conversation, so it contains nothing else.
 */
export const rowsSchema = listSchema('rows')

/** Rows as the model gets them, cut to the endpoint's caps. */
export interface CappedAnswer {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  /** The row that WITH TOTALS adds. */
  readonly totals?: readonly Cell[]
  readonly rowCount: number
  readonly truncated: boolean
  /** A message about the missing part and the next step. */
  readonly hint?: string
  /** The URI of the whole result, if it is stored. */
  readonly result?: string
  readonly elapsedMs: number
}

/** True if a tool returned rows. */
export const isAnswer = (value: object): value is CappedAnswer =>
  'rows' in value && 'columns' in value

/** Cuts rows from a database to an endpoint's caps. */
export function answerOf(found: Rows, caps: Caps): CappedAnswer {
  const { truncated, elapsedMs } = found
  // The cells under the columns need more room: each keeps at least one character, and says that it was cut.
  const columns = found.columns.slice(0, itemsThatFit(found.columns, caps.bytes / 3))
  const cellBytes = Math.floor(caps.bytes / 3 / columns.length)
  const totals =
    found.totals && shrinkRow(found.totals, columns.length, Math.min(caps.cell, cellBytes))
  const rows: (readonly Cell[])[] = []
  let bytes = jsonBytes(columns) + (totals?.bytes ?? 0)
  let cut = totals?.cut ?? false
  let full = truncated === 'bytes'
  for (const row of found.rows.slice(0, caps.rows)) {
    let shrunk = shrinkRow(row, columns.length, caps.cell)
    cut ||= shrunk.cut
    if (bytes + shrunk.bytes > caps.bytes) {
      full = true
      if (rows.length > 0) break
      // The first row is always shown, so a wide table never gives an empty answer.
      shrunk = shrinkRow(row, columns.length, caps.cell, caps.bytes - bytes)
      cut ||= shrunk.cut
    }
    bytes += shrunk.bytes
    rows.push(shrunk.cells)
  }
  const narrow = columns.length < found.columns.length
  const limited = (truncated === 'rows' || found.rows.length > caps.rows) && !full
  const hints = [
    narrow &&
      `Only the first ${columns.length} of ${found.columns.length} columns: name those you need.`,
    full &&
      `The answer is full after ${rows.length} rows: select fewer columns, aggregate, or filter.`,
    limited &&
      `Only the first ${rows.length} rows: aggregate, filter, or page with ORDER BY and LIMIT.`,
    cut && `Cells longer than ${caps.cell} characters are cut: select a part with substr().`,
  ].filter((hint) => hint !== false)
  return {
    columns,
    rows,
    ...(totals && { totals: totals.cells }),
    rowCount: rows.length,
    truncated: hints.length > 0,
    ...(hints.length > 0 && { hint: hints.join(' ') }),
    elapsedMs,
  }
}

/** A row with fewer or shorter cells, its size as JSON, and whether a cell was cut. */
interface ShrunkRow {
  readonly cells: readonly Cell[]
  readonly bytes: number
  readonly cut: boolean
}

/** Cuts a row to its first cells, and each cell to `maxChars` characters. Halves that limit until the row fits. */
function shrinkRow(
  row: readonly Cell[],
  width: number,
  maxChars: number,
  maxBytes = Number.POSITIVE_INFINITY,
): ShrunkRow {
  const cells = row.slice(0, width).map((cell) => shorten(cell, maxChars))
  const bytes = jsonBytes(cells)
  if (bytes > maxBytes && maxChars > 1) return shrinkRow(row, width, maxChars >> 1, maxBytes)
  return { cells, bytes, cut: cells.some((cell, i) => cell !== row[i]) }
}

/** Counts the items in a list that fit into `maxBytes`. The first `least` items count, whatever their size. */
export function itemsThatFit<Item>(
  items: readonly Item[],
  maxBytes: number,
  least = 1,
  bytesOf: (item: Item) => number = jsonBytes,
): number {
  let bytes = 0
  const past = items.findIndex((item) => {
    bytes += bytesOf(item)
    return bytes > maxBytes
  })
  return past < 0 ? items.length : Math.max(least, past)
}

/** The first strings that fit into `maxBytes`, and a last one that says how many more there are. */
export const firstOf = (texts: readonly string[], maxBytes: number): readonly string[] => {
  const more = texts.length - itemsThatFit(texts, maxBytes)
  return more > 0 ? [...texts.slice(0, -more), `… ${more} more`] : texts
}

/** Size of a value as JSON in UTF-8, in bytes, with the comma that follows it. */
export const jsonBytes = (value: unknown) => lineBytes(JSON.stringify(value))

/** Size of a string in UTF-8, in bytes, with the character that ends it. */
export const lineBytes = (text: string) => encoder.encode(text).byteLength + 1

const encoder = new TextEncoder()

/** Estimates the number of tokens in a string. Models count differently, but most come close to this. */
export const estimatedTokens = (text: string): number => Math.ceil(text.length / 4)

/** Cuts one cell or string. A structure that is too long becomes the beginning of its JSON. */
export function shorten<T extends Cell | undefined>(cell: T, maxChars: number): T | string {
  if (typeof cell !== 'string' && (typeof cell !== 'object' || !cell)) return cell
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell)
  if (text.length <= maxChars) return cell
  // A surrogate pair is not split.
  const end = /[\ud800-\udbff]/.test(text[maxChars - 1]!) ? maxChars - 1 : maxChars
  return `${text.slice(0, end)}… (+${text.length - end} characters)`
}

/** Cuts a string to `maxBytes` of JSON. The mark that shows a cut is always kept, even if it does not fit. */
export function shortenToBytes(text: string, maxBytes: number): string {
  if (jsonBytes(text) <= maxBytes) return text
  let left = maxBytes - jsonBytes('') - MARK_BYTES
  let chars = 0
  // Each step measures half as much as the one before, so the work is proportional to `maxBytes`.
  for (let step = 2 ** Math.ceil(Math.log2(maxBytes)); step >= 1; step /= 2) {
    const more = jsonBytes(text.slice(chars, chars + step)) - jsonBytes('')
    if (more > left || chars + step > text.length) continue
    chars += step
    left -= more
  }
  return shorten(text, chars)
}

/** Maximum number of bytes that `shorten` adds to a string. */
const MARK_BYTES = 32
