import type { Answer, Column, Limits } from '../rows.ts'
import { chunks } from '../transport/body.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'
import { RowCollector } from '../transport/row-cap.ts'
import { type Asked, clickhouseError } from './error.ts'
import { fromUtf8, readerOf, unescaped } from './values.ts'

/** The format of the answers that {@link readAnswer} reads. */
export const FORMAT = 'TabSeparatedWithNamesAndTypes'

/** What tells of an answer what its rows cannot tell. */
export interface Completion {
  /** Whether the status holds for the whole answer: then no line is an error. */
  readonly statusIsFinal: boolean
  /** The same rows as CSV, in which a text is never an empty line. */
  csv(): Promise<string>
}

/** Thrown where only a status can tell whether what came is an error. */
const STATUS_NOT_FINAL = Symbol('status not final')

/**
 * Reads an answer row by row, as far as the limits allow, and does not fetch the rest.
 *
 * In this format, every version writes every value exactly: the JSON formats replace bytes that are
 * not UTF-8. But it has no mark at its end. So an answer should come with `wait_end_of_query`: then an
 * error shows in the status, and does not follow some rows. In an answer without it, rows that may be
 * an error throw something that is no {@link DatabaseError}: the caller has to ask again with it.
 */
export async function readAnswer(
  response: Response,
  limits: Limits,
  asked: Asked,
  completion: Completion,
): Promise<Answer> {
  const collector = new RowCollector(limits)
  // An escape is at most twice as long as its character: a longer line has no room.
  const longest = Math.max(limits.maxBytes * 2, HEADER_BYTES)
  let names: readonly string[] | undefined
  let columns: readonly Column[] | undefined
  let readers: ReturnType<typeof readerOf>[] = []
  let mayHoldError = false
  // From an empty line on: perhaps totals and extremes, each after such a line.
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
      // Totals and extremes are not that long: the first lines are rows.
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
  // Three lines are only extremes, which were not asked for.
  const totals = (tail.length === 2 || tail.length === LONGEST_TAIL) && read(tail[1]!)
  return { columns, rows, truncated: collector.truncated, ...(totals && { totals }) }
}

/** An empty line and the totals, another and both extremes. */
const LONGEST_TAIL = 5

/** How many lines of CSV are totals and extremes, and the empty lines before each. */
function tailLength(csv: string): number {
  const lines = csv
    .replace(/"[^"]*"/g, '-')
    .split('\n')
    .slice(0, -1)
  const start = lines.indexOf('')
  return start < 0 ? 0 : lines.length - start
}

/** Room for the names and types of some thousand columns. */
const HEADER_BYTES = 256 * 1024

/** One column of text: only there, an empty line or one that looks like an error may be a value. */
const isText = (columns: readonly Column[]) =>
  columns.length === 1 && /String|Enum|Dynamic|AggregateFunction/.test(columns[0]!.type)

/** Whether a whole line is an error: no value of another type begins so. */
const isReport = (line: string) => /^Code: \d+[.,].*DB::/.test(line) && !line.includes('\t')

/**
 * The lines of a body with their line feeds, one character a byte. The last one has no line feed if
 * the body ends within it, or if it is too long.
 */
async function* lines(response: Response, longest: number): AsyncGenerator<string> {
  // Joined once a line is whole: a long one comes in thousands of pieces.
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
    // Not by spreading, which iterates over the bytes: that took longer than all else here.
    const some = bytes.subarray(at, at + 8_192) as unknown as number[]
    text += String.fromCharCode.apply(null, some)
  }
  return text
}
