import * as z from 'zod/mini'
import type { Cell, Rows } from '../database/index.ts'
import type { Caps } from './endpoint.ts'

/** Rows as the model gets them: columnar, every cap kept and said. */
export const answer = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.array(z.array(z.unknown())),
  rowCount: z.int(),
  truncated: z.boolean(),
  hint: z.optional(z.string().check(z.describe('What was left out, and what to do next.'))),
  elapsedMs: z.int(),
})

/** Cuts what a database returned to the caps of an endpoint. */
export function answerOf(
  { columns, rows, truncated, elapsedMs }: Rows,
  caps: Caps,
): z.infer<typeof answer> {
  let cut = false
  let full = truncated === 'bytes'
  let bytes = 0
  const kept: Cell[][] = []
  for (const row of rows) {
    const cells = row.map((cell) => {
      const short = shorten(cell, caps.cell)
      cut ||= short !== cell
      return short
    })
    bytes += encoder.encode(JSON.stringify(cells)).byteLength + 1
    // The first row always shows, so that a wide table is never an empty answer.
    if (bytes > caps.bytes && kept.length > 0) {
      full = true
      break
    }
    kept.push(cells)
  }
  const limited = truncated === 'rows' && !full
  const hints = [
    full &&
      `The answer is full after ${kept.length} rows: select fewer columns, aggregate, or filter.`,
    limited &&
      `Only the first ${kept.length} rows: aggregate, filter, or page with ORDER BY and LIMIT.`,
    cut && `Cells longer than ${caps.cell} characters are cut: select a part with substr().`,
  ].filter((it) => it !== false)
  return {
    columns: [...columns],
    rows: kept,
    rowCount: kept.length,
    truncated: full || limited || cut,
    ...(hints.length > 0 && { hint: hints.join(' ') }),
    elapsedMs,
  }
}

const encoder = new TextEncoder()

/** Cuts one cell. A structure that is too long becomes the beginning of its JSON. */
function shorten(cell: Cell, max: number): Cell {
  if (cell === null || typeof cell === 'boolean' || typeof cell === 'number') return cell
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell)
  if (text.length <= max) return cell
  // Never half of a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text[max - 1]!) ? max - 1 : max
  return `${text.slice(0, end)}… (+${text.length - end} characters)`
}
