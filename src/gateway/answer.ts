import type { Cell, Column, Rows } from '../database/index.ts'
import type { JsonSchema } from '../mcp/index.ts'
import type { Caps } from './endpoint.ts'

/** The schema of an answer that has a list, and may have more. It says nothing of the items. */
export const listOf = (name: string): JsonSchema => ({
  type: 'object',
  properties: { [name]: { type: 'array' } },
  required: [name],
})

/**
 * Rows as the model gets them: columnar, every cap kept and said. What a schema says of them is paid
 * for in every conversation, so it says no more than that they are there.
 */
export const answer = listOf('rows')

/** What an answer holds. */
export interface Answer {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  /** What WITH TOTALS adds, apart from the rows. */
  readonly totals?: readonly Cell[]
  readonly rowCount: number
  readonly truncated: boolean
  /** What was left out, and what to do next. */
  readonly hint?: string
  /** Where the whole of it is kept, if it is. */
  readonly result?: string
  readonly elapsedMs: number
}

/** Whether what a tool returns are rows. */
export const isAnswer = (value: object): value is Answer => 'rows' in value && 'columns' in value

/** Cuts what a database returned to the caps of an endpoint. */
export function answerOf(found: Rows, caps: Caps): Answer {
  const { columns, rows, truncated, elapsedMs } = found
  // The cells below them need more, each a character and what says that it was cut.
  const shown = columns.slice(0, fitting(columns, caps.bytes / 3))
  let cut = false
  let full = truncated === 'bytes'
  const kept: Cell[][] = []
  const cells = (row: Rows['rows'][number], longest: number) =>
    row.slice(0, shown.length).map((cell) => {
      const short = shorten(cell, longest)
      cut ||= short !== cell
      return short
    })
  const third = Math.floor(caps.bytes / 3 / shown.length)
  const totals = found.totals && cells(found.totals, Math.min(caps.cell, third))
  let bytes = sizeOf(shown) + (totals ? sizeOf(totals) : 0)
  for (const row of rows.slice(0, caps.rows)) {
    let line = cells(row, caps.cell)
    const wide = () => bytes + sizeOf(line) > caps.bytes
    if (wide()) {
      full = true
      if (kept.length > 0) break
      // The first row always shows, so that a wide table is never an empty answer.
      for (let most = caps.cell; most > 1 && wide(); line = cells(row, most)) most >>= 1
    }
    bytes += sizeOf(line)
    kept.push(line)
  }
  const narrow = shown.length < columns.length
  const limited = (truncated === 'rows' || rows.length > caps.rows) && !full
  const hints = [
    narrow && `Only the first ${shown.length} of ${columns.length} columns: name those you need.`,
    full &&
      `The answer is full after ${kept.length} rows: select fewer columns, aggregate, or filter.`,
    limited &&
      `Only the first ${kept.length} rows: aggregate, filter, or page with ORDER BY and LIMIT.`,
    cut && `Cells longer than ${caps.cell} characters are cut: select a part with substr().`,
  ].filter((it) => it !== false)
  return {
    columns: shown,
    rows: kept,
    ...(totals && { totals }),
    rowCount: kept.length,
    truncated: hints.length > 0,
    ...(hints.length > 0 && { hint: hints.join(' ') }),
    elapsedMs,
  }
}

/** How many items of a list fit so many bytes of JSON. */
export function fitting(items: readonly unknown[], most: number): number {
  let bytes = 0
  const past = items.findIndex((item) => {
    bytes += sizeOf(item)
    return bytes > most
  })
  return past < 0 ? items.length : Math.max(1, past)
}

/** As many texts as fit so many bytes, and how many more there are. */
export const firstOf = (texts: readonly string[], most: number): readonly string[] => {
  const more = texts.length - fitting(texts, most)
  return more > 0 ? [...texts.slice(0, -more), `… ${more} more`] : texts
}

/** Bytes of a value as JSON, and of the comma behind it. */
export const sizeOf = (value: unknown) => encoder.encode(JSON.stringify(value)).byteLength + 1

const encoder = new TextEncoder()

/** Cuts one cell, or a text. A structure that is too long becomes the beginning of its JSON. */
export function shorten<T extends Cell | undefined>(cell: T, max: number): T | string {
  if (typeof cell !== 'string' && (typeof cell !== 'object' || !cell)) return cell
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell)
  if (text.length <= max) return cell
  // Never half of a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text[max - 1]!) ? max - 1 : max
  return `${text.slice(0, end)}… (+${text.length - end} characters)`
}
