import { assignmentIn } from './assignments.ts'
import type { Notes } from './draft.ts'
import { unquoted } from './outer.ts'

/** What a text holds that may be a connection string, the likeliest first, and the variables in it. */
export interface Candidates {
  readonly texts: readonly Candidate[]
  readonly variables: ReadonlyMap<string, string>
  /** Whether the text is JSON or a file with settings, and not a connection string as it stands. */
  readonly isFile: boolean
}

/** A text that may be a connection string. */
export interface Candidate {
  readonly text: string
  /** The name that it has in the text. */
  readonly name?: string | undefined
}

const MAX_LINES = 2_000
const MAX_VALUES = 2_000
const MAX_TRIED = 20
const MAX_SCHEME = 40

/** Finds what may be a connection string in a text of one line or more. */
export function candidatesIn(text: string): Candidates {
  const json = /^[[{]/.test(text) ? parsed(text) : undefined
  if (json !== undefined) return { ...ranked(valuesIn(json)), isFile: true }
  const lines = joined(text).flatMap(apart).slice(0, MAX_LINES)
  const found = lines.map((line) => assignmentIn(line) ?? { name: '', value: line })
  const { texts, variables } = ranked(found)
  if (lines.length === 1) {
    const line = lines[0]!
    const { name } = found[0]!
    // What gives no name a connection string is read as it stands.
    const whole = { text: line }
    return texts.length > 0 && name !== ''
      ? { texts: [...texts, whole], variables, isFile: true }
      : { texts: [whole], variables, isFile: false }
  }
  return { texts, variables, isFile: true }
}

/** The lines of a text, without remarks. A line that ends in a backslash goes on. */
function joined(text: string): readonly string[] {
  const lines = text
    .replace(/[\\^`]\n\s{0,200}/g, ' ')
    .split('\n')
    .map((it) => it.trim())
    .filter((it) => it !== '' && !/^(?:#|\/\/\s|--\s|;|```|\[[\w. -]+\]$)/.test(it))
  const [first = '', ...rest] = lines
  // A URL that was broken to fit a page.
  const isBroken =
    rest.length > 0 &&
    rest.length < 10 &&
    /^["'`]?[a-z][a-z\d+:]{1,40}:\/\/\S*$/i.test(first) &&
    rest.every((it) => !/[\s"']|:\/\//.test(it) && !/^\w+=\S+$/.test(it))
  return isBroken ? [lines.join('')] : lines
}

/** One of several variables in a line. */
const VARIABLE = /([A-Z][A-Z\d_]{1,60})=("[^"]*"|'[^']*'|[^\s"']*)(?:\s+|$)/y

/** The variables of a line that sets several for a shell: `PGHOST=… PGUSER=…`. `HOST=… USER=…` is a connection string. */
function apart(line: string): readonly string[] {
  const text = line.replace(/^(?:export|env)\s+/, '')
  const found: string[] = []
  VARIABLE.lastIndex = 0
  let end = 0
  for (let it = VARIABLE.exec(text); it; it = VARIABLE.exec(text)) {
    found.push(`${it[1]}=${it[2]}`)
    end = VARIABLE.lastIndex
  }
  // A command behind them gets them.
  const isWhole = /^\S*$/.test(text.slice(end))
  const namesHost = found.some((it) => /^\w+HOST=/.test(it))
  return isWhole && namesHost && found.length > 1 ? found : [line]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The texts and numbers in JSON, with the names that they have. */
function valuesIn(json: unknown): { name: string; value: string }[] {
  const found: { name: string; value: string }[] = []
  const queue: [string, unknown][] = [['', json]]
  for (let i = 0; i < queue.length && i < MAX_VALUES; i++) {
    const [name, value] = queue[i]!
    if (typeof value === 'string' || typeof value === 'number') {
      const own = assignmentIn(String(value))
      found.push(own && isLikely(own.value) ? own : { name, value: String(value) })
    } else if (Array.isArray(value)) {
      queue.push(...value.slice(0, MAX_VALUES).map((it): [string, unknown] => [name, it]))
    } else if (typeof value === 'object' && value !== null) {
      queue.push(...Object.entries(value).slice(0, MAX_VALUES))
    }
  }
  return found
}

/** Whether a text has in it what a connection string has. */
const isLikely = (text: string): boolean =>
  ['://', '@tcp('].some((it) => text.includes(it)) ||
  (text.includes(';') && text.includes('=')) ||
  /^["'`]?(?:jdbc|d1|hyperdrive|demo|secret|file|sqlite):/i.test(text) ||
  /\b(?:host|dbname)=|%3A%2F%2F/i.test(text) ||
  /^[A-Za-z\d+/]{24,}={0,2}$/.test(text)

function ranked(found: readonly { readonly name: string; readonly value: string }[]) {
  const bare = { changes: [], hints: [] } satisfies Notes
  const variables = new Map(
    found.filter(({ name }) => name !== '').map(({ name, value }) => [name, unquoted(value, bare)]),
  )
  const texts = found
    .filter(({ name, value }) => isLikely(value) || (name === '' && /^\S+ -\S/.test(value)))
    .map(({ name, value }, i) => ({ name: name || undefined, text: value, rank: rankOf(name), i }))
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
    .slice(0, MAX_TRIED)
    .map(({ name, text }) => ({ name, text }))
  return { texts, variables }
}

/** How likely the one of this name is meant: an application's own, before those of migrations and tests. */
function rankOf(name: string): number {
  if (
    /direct|unpooled|non_?pooling|no_ssl|shadow|test|replica|prisma|migrat|admin|root/i.test(name)
  )
    return 4
  if (name === '' || /^database_?url$/i.test(name)) return 0
  if (/database|postgres|mysql|maria|clickhouse|turso|libsql|\bpg|sql|\bdb|_db/i.test(name))
    return 1
  return /url|uri|dsn|conn/i.test(name) ? 2 : 3
}

/** What stands in quotes or looks like a URL within a text around it. */
export function embeddedIn(text: string): readonly Candidate[] {
  const found: string[] = []
  for (const quote of ['"', "'", '`']) {
    const parts = text.split(quote, 2 * MAX_TRIED + 1)
    for (let i = 1; i < parts.length; i += 2) if (isLikely(parts[i]!)) found.push(parts[i]!)
  }
  for (const word of text.split(/[\s"'`<>]+/, MAX_VALUES)) {
    const mark = word.indexOf('://')
    let start = mark
    while (start > 0 && mark - start < MAX_SCHEME && /[a-z\d+]/i.test(word[start - 1]!)) start--
    if (mark > 0) found.push(word.slice(start).replace(/[).,;\]}]$/, ''))
  }
  return [...new Set(found)].slice(0, MAX_TRIED).map((text) => ({ text }))
}
