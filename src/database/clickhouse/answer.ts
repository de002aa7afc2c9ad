import { chunks } from '../body.ts'
import { Taken } from '../cap.ts'
import type { Column, Limits, Rows } from '../database.ts'
import { type Asked, brokenOff, clickhouseError } from './error.ts'
import { fromUtf8, readerOf, unescaped } from './values.ts'

/** The format of the answers that {@link readAnswer} reads. */
export const FORMAT = 'TabSeparatedWithNamesAndTypes'

/**
 * Reads an answer row by row, as far as the limits allow, and then lets go of the rest.
 *
 * Its format is the one in which every version writes every value exactly: the JSON ones replace
 * bytes that are not UTF-8. The price is that its end does not show. So it is to be asked for with
 * `wait_end_of_query`: then an error has a status of its own, and does not come behind some rows.
 */
export async function readAnswer(
  response: Response,
  limits: Limits,
  asked: Asked,
): Promise<Omit<Rows, 'elapsedMs'>> {
  const taken = new Taken(limits)
  // An escape has at most twice the length of what it stands for: what is longer has no room.
  const longest = Math.max(limits.maxBytes * 2, HEADER)
  let names: readonly string[] | undefined
  let columns: readonly Column[] | undefined
  let readers: ReturnType<typeof readerOf>[] = []

  for await (const raw of lines(response, longest)) {
    const line = raw.replace(/\n$/, '')
    const cells = line.split('\t')
    if (line === raw && columns && raw.length > longest) {
      taken.take([raw])
      break
    }
    if (columns && line === '' && !isText(columns)) continue // Behind it come the totals.
    if (line === raw || cells.length !== (names ?? cells).length || isReport(line, columns)) {
      throw clickhouseError(fromUtf8(raw), asked) ?? brokenOff()
    }
    if (!names) {
      names = cells.map((cell) => fromUtf8(unescaped(cell)))
    } else if (!columns) {
      const types = cells.map((cell) => fromUtf8(unescaped(cell)))
      columns = names.map((name, i) => ({ name, type: types[i]! }))
      readers = types.map(readerOf)
    } else if (!taken.take(cells.map((cell, i) => readers[i]!(cell)))) {
      break
    }
  }
  if (!columns) throw brokenOff()
  return { columns, rows: taken.rows, truncated: taken.truncated }
}

/** Room for the names and types of some thousand columns. */
const HEADER = 256 * 1024

/** One column of text: only there an empty line, or one that looks like an error, is a value. */
const isText = (columns: readonly Column[]) =>
  columns.length === 1 && /String|Enum/.test(columns[0]!.type)

const isReport = (line: string, columns: readonly Column[] | undefined) =>
  /^Code: \d+[.,].*DB::/.test(line) && !(columns && isText(columns))

/**
 * The lines of a body with their line feeds, one character a byte. Without a line feed is one that
 * the body ends in, and one that is too long: the last of them.
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
    // Spread, they would pass through an iterator one by one: that took longer than all else here.
    const some = bytes.subarray(at, at + 8_192) as unknown as number[]
    text += String.fromCharCode.apply(null, some)
  }
  return text
}
