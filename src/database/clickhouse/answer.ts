import type { Answer, Column, Limits } from '../rows.ts'
import { chunks } from '../transport/body.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'
import { RowCollector } from '../transport/row-cap.ts'
import { clickhouseError, type StatementContext } from './error.ts'
import { fromUtf8, readerOf, unescaped } from './values.ts'

/** The format of the results that {@link readAnswer} reads. */
export const FORMAT = 'TabSeparatedWithNamesAndTypes'

/** Facts about a response that its rows do not show. */
export interface Completion {
  /** True if the status covers the whole response, so that no line can be an error. */
  readonly statusIsFinal: boolean
  /** Fetches the same rows as CSV, where a string is never an empty line. */
  csv(): Promise<string>
}

/** Thrown if only the status can show whether the rows are an error. */
const STATUS_NOT_FINAL = Symbol('status not final')

/**
 * Reads a result row by row, as far as the limits allow, and does not fetch the rest.
 *
 * In this format, every version writes every value exactly, while the JSON formats replace bytes that are not
 * UTF-8. But the format has no end marker. So a result should be requested with `wait_end_of_query`, which reports
 * an error in the status instead of after some rows. Without it, rows that look like an error throw something
 * other than a {@link DatabaseError}, and the caller has to send the query again with `wait_end_of_query`.
 */
export async function readAnswer(
  response: Response,
  limits: Limits,
  asked: StatementContext,
  completion: Completion,
): Promise<Answer> {
  const collector = new RowCollector(limits)
  // An escape is at most twice as long as its character, so a longer line cannot fit.
  const longest = Math.max(limits.maxBytes * 2, HEADER_BYTES)
  let names: readonly string[] | undefined
  let columns: readonly Column[] | undefined
  let readers: ReturnType<typeof readerOf>[] = []
  let mayHoldError = false
  // The lines from the first empty line on. They can be totals and extremes, each after an empty line.
  let tail: string[] = []
  const read = (line: string) => line.split('\t').map((cell, i) => readers[i]!(cell))

  for await (const raw of lines(response, longest)) {
    const line = raw.replace(/\n$/, '')
    const cells = line.split('\t')
    mayHoldError ||= line.includes('Code: ')
    if (line === raw && columns && raw.length > longest) {
      collector.add([raw])
      break
    }
    const isTailStart = columns && line === '' && !isText(columns)
    const whole = isTailStart || cells.length === (names ?? cells).length
    if (line === raw || !whole || (columns && !isText(columns) && isReport(line))) {
      if (!completion.statusIsFinal) throw STATUS_NOT_FINAL
      throw clickhouseError(fromUtf8(raw), asked) ?? brokenAnswer()
    }
    if (!names) {
      names = cells.map((cell) => fromUtf8(unescaped(cell)))
    } else if (!columns) {
      const types = cells.map((cell) => fromUtf8(unescaped(cell)))
      columns = names.map((name, i) => ({ name, type: types[i]! }))
      readers = types.map(readerOf)
    } else if (line === '' || tail.length > 0) {
      tail.push(line)
      if (tail.length <= LONGEST_TAIL) continue
      if (!isText(columns)) throw brokenAnswer()
      // Totals and extremes are not this long, so the first lines are rows.
      const next = tail.indexOf('', 1)
      const rows = tail.splice(0, next < 0 ? tail.length : next)
      if (!rows.every((row) => collector.add(read(row)))) break
    } else if (!collector.add(read(line))) {
      break
    }
  }
  const { rows } = collector
  if (collector.truncated) return { columns: columns!, rows, truncated: collector.truncated }
  if (mayHoldError && !completion.statusIsFinal) throw STATUS_NOT_FINAL
  if (!columns) throw (names && clickhouseError(names.join('\t'), asked)) ?? brokenAnswer()
  if (tail.length > 0 && isText(columns)) {
    const most = tail.length - tailLength(await completion.csv())
    if (!tail.splice(0, most).every((row) => collector.add(read(row)))) tail = []
  }
  // If there are three lines, they can only be extremes, which were not requested.
  const totals = (tail.length === 2 || tail.length === LONGEST_TAIL) && read(tail[1]!)
  return { columns, rows, truncated: collector.truncated, ...(totals && { totals }) }
}

/** Number of lines in an empty line and the totals, then another empty line and both extremes. */
const LONGEST_TAIL = 5

/** Counts the CSV lines in the totals and extremes, including the empty line before each. */
function tailLength(csv: string): number {
  const lines = csv
    .replace(/"[^"]*"/g, '-')
    .split('\n')
    .slice(0, -1)
  const start = lines.indexOf('')
  return start < 0 ? 0 : lines.length - start
}

/** Enough for the names and types of several thousand columns. */
const HEADER_BYTES = 256 * 1024

/** True for a single string column. Only then can a value be an empty line or look like an error. */
const isText = (columns: readonly Column[]) =>
  columns.length === 1 && /String|Enum|Dynamic|AggregateFunction/.test(columns[0]!.type)

/** True if a whole line is an error. Only string values can also start like this. */
const isReport = (line: string) => /^Code: \d+[.,].*DB::/.test(line) && !line.includes('\t')

/** Yields the lines in a body, with one character per byte. A line that is cut off or too long has no line feed. */
async function* lines(response: Response, longest: number): AsyncGenerator<string> {
  // The pieces are joined once the line is complete, because a long line arrives in thousands of pieces.
  let pieces: string[] = []
  let length = 0
  for await (const chunk of chunks(response)) {
    for (const part of binary(chunk).split(/(?<=\n)/)) {
      pieces.push(part)
      length += part.length
      const tooLong = length > longest
      if (!tooLong && !part.endsWith('\n')) continue
      yield tooLong ? pieces.join('').replace(/\n$/, '') : pieces.join('')
      if (tooLong) return
      pieces = []
      length = 0
    }
  }
  if (length > 0) yield pieces.join('')
}

function binary(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8_192) {
    // Spreading would iterate over the bytes, which took longer than everything else here.
    const some = bytes.subarray(at, at + 8_192) as unknown as number[]
    text += String.fromCharCode.apply(null, some)
  }
  return text
}
