import { unquoted } from './outer.ts'

/** The contents of a text's lines: variables, and possible connection strings, with the likeliest first. */
export interface Lines {
  readonly texts: readonly CandidateText[]
  readonly variables: ReadonlyMap<string, string>
}

/** A possible connection string. */
export interface CandidateText {
  readonly text: string
  /** The variable that contains it. */
  readonly name?: string | undefined
}

const MAX_LINES = 2_000
const MAX_TRIED = 40

/** A line of a settings file: `DATABASE_URL=…`, `export DATABASE_URL="…" # production`. */
const ASSIGNMENT =
  /^(?:- |export )?["']?([\w.$:-]{1,100})["']?\s{0,20}(?:=|:(?=["'\s]|$))\s*(.*)$/is

/** Reads the lines in a text. Comments are left out, and a line that ends in a backslash continues on the next. */
export function linesOf(text: string): Lines {
  const lines = text
    .replace(/\\\n/g, ' ')
    .split('\n', MAX_LINES)
    .map((it) => it.trim())
    .filter((it) => it !== '' && !/^(?:#|\/\/\s|--\s|```|\[[\w. -]+\]$)/.test(it))
  const variables = new Map<string, string>()
  const found: CandidateText[] = []
  for (const line of lines) {
    const [, name, value = ''] = ASSIGNMENT.exec(line) ?? []
    const text = writtenIn(value)
    if (name !== undefined) variables.set(name, text)
    if (name !== undefined && isLikely(text)) found.push({ name, text })
    if (lines.length === 1 || isLikely(line)) found.push({ text: line })
  }
  // An application's own connection string comes before connection strings for migrations and tests.
  const texts = found
    .map((it) => ({ it, rank: Number(OTHERS.test(it.name ?? '')) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ it }) => it)
    .slice(0, MAX_TRIED)
  return { texts, variables }
}

const OTHERS = /direct|unpooled|non_?pooling|no_ssl|shadow|test|replica|prisma|migrat|admin|root/i

/** The value in a line, without its quotes and without a comment after it. */
function writtenIn(text: string): string {
  const quote = text[0] ?? ''
  const end = '"\'`'.includes(quote) ? text.indexOf(quote, 1) : -1
  if (end > 0 && /^(?:[;,]?$|#|\/\/)/.test(text.slice(end + 1).trim())) return text.slice(1, end)
  const remark = text.search(/\s#/)
  const value = remark < 0 ? text : text.slice(0, remark)
  // In `DATABASE_URL=postgres://… npm start`, the rest is a command.
  const [first = ''] = value.split(/\s/, 1)
  const mark = first.indexOf('://')
  return unquoted(mark > 0 && first.includes('@', mark) ? first : value, { changes: [] })
}

/** True if a string looks like it contains a connection string. */
const isLikely = (text: string): boolean =>
  text.includes('://') ||
  (text.includes(';') && text.includes('=')) ||
  /^["']?(?:[a-z][a-z\d]{1,40}:[^\s/]|[\w-]{1,20} -\S)|\b(?:host|dbname)=/i.test(text)
