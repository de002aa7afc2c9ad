import { doubleQuoted } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import { lex } from '../guard/lexer.ts'
import { isOne, type Token } from '../guard/token.ts'
import type { Param } from '../rows.ts'
import { rules } from '../sqlite/rules.ts'
import { namedQueries } from './named-queries.ts'
import { readPlan } from './plan.ts'
import { type Counts, type Measure, TableSizes } from './table-sizes.ts'
import { reusesRows, visitsOf } from './visits.ts'
import { isSteady, weightOf } from './weight.ts'

/** Runs a statement, with the parameters that the caller sent. */
type DemoRun = (sql: string) => SqlStorageCursor<Record<string, SqlStorageValue>>

/**
 * The maximum work for a statement, in row visits: about a second at worst. Meanwhile the Durable Object
 * serves no other requests, because it has one thread, and nothing can interrupt SQLite on it.
 */
const MAX_WORK = 12_000_000

/** The number of program steps that take as long as one row visit. */
const STEPS_PER_VISIT = 15

/** More rows than any pragma about a table returns: the tables have fewer columns, indexes and keys. */
const PRAGMA_ROWS = 20

/** Refuses a statement that can take too long, and one that is recursive. */
export function assertBounded(
  sql: string,
  tokens: readonly Token[],
  run: DemoRun,
  params: readonly Param[],
  counts: Counts,
): void {
  let left = MAX_WORK
  const longestParam = params.reduce<number>((most, it) => Math.max(most, `${it}`.length), 0)
  const known = new Map<string, number | undefined>()
  const queries = namedQueries(tokens)
  const text = withBrackets(sql, tokens)
  // A name that contains the text of a lookup in a plan could be mistaken for one.
  if (tokens.some((it) => NAMES.has(it.kind) && sql.slice(it.start, it.end).includes('=?'))) {
    throw tooMuch()
  }
  if (work(sql, tokens) <= left) return
  // The comparison also refuses a NaN.
  if (!(isSteady(sql, tokens, params) && work(sql, tokens, measure) <= left)) throw tooMuch()

  function work(statement: string, read: readonly Token[], measuring?: Measure): number {
    const plan = readPlan(run(`explain query plan ${statement}`).raw())
    const { largest, perRow } = weightOf(statement, read, longestParam, reusesRows(plan))
    const isArray = read.some((it) => /^jsonb?_(?:each|tree)$/.test(it.value))
    const virtualRows = Math.max(PRAGMA_ROWS, isArray ? largest / 2 : 0)
    const sizes = new TableSizes(read, counts, virtualRows, measuring)
    const program = [...run(`explain ${statement}`).raw()]
    const steps = Math.max(1, longestPass(program) / STEPS_PER_VISIT)
    const rows = visitsOf(plan, sizes, 1).visits
    const { visits, longestList } = visitsOf(plan, sizes, perRow(rows) + steps)
    const lists = Math.max(longestList, writtenList(read)) ** listLoops(program)
    return visits * lists * rowsReread(read, counts)
  }

  /** Runs the query in SQLite if it is cheap enough on its own. */
  function measure(name: string, columns: readonly string[]): number | undefined {
    const asked = measuring(name, columns)
    if (asked === undefined || known.has(asked)) return known.get(asked ?? '')
    // For a query that refers to itself while it is measured.
    known.set(asked, undefined)
    try {
      const cost = work(asked, lex(asked, rules.lexis), measure)
      if (!(cost <= left)) return undefined
      left -= cost
      const [[count]] = [...run(asked).raw<number[]>()] as [[number]]
      known.set(asked, count)
    } catch {
      // A query that depends on the one around it cannot run alone.
    }
    return known.get(asked)
  }

  /** The statement that measures a query. Undefined if another query has the same name. */
  function measuring(name: string, columns: readonly string[]): string | undefined {
    const [query, another] = queries.filter((it) => it.name === name)
    const isInline = query !== undefined && !(query.isCommon && query.depth === 0)
    // The parameters of a query in the middle would get the wrong values.
    if (another || (isInline && params.length > 0)) return undefined
    if (!query && !counts.views.has(name)) return undefined
    const first = queries.findLast((it) => it.isCommon && it.depth === 0)
    const last = isInline ? first : query
    const before = last ? `${text.slice(0, last.end)})` : ''
    const from = isInline ? `(${text.slice(query.start, query.end)})` : doubleQuoted(name)
    // It must take as many parameters as the caller sent.
    const where = params.length > 0 ? `where coalesce(?${params.length}, 1) is not null` : ''
    const rows = `select count(*) n from ${from} ${where}`
    if (columns.length === 0) return `${before} ${rows}`
    const by = columns.map(doubleQuoted).join(', ')
    return `${before} select coalesce(max(n), 0) from (${rows} group by ${by})`
  }
}

const NAMES: ReadonlySet<Token['kind']> = new Set(['name', 'text'])

/** The statement with names in brackets: SQLite reads an unknown name in double quotes as a string. */
function withBrackets(sql: string, tokens: readonly Token[]): string {
  const units = sql.split('')
  for (const { kind, start, end } of tokens) {
    if (kind === 'name') [units[start], units[end - 1]] = ['[', ']']
  }
  return units.join('')
}

/** Rows that SQLite reads again for each row of a window: the whole frame, if EXCLUDE leaves out part of it. */
function rowsReread(tokens: readonly Token[], counts: Counts): number {
  if (!tokens.some((it) => isOne(it, 'exclude'))) return 1
  let rows = 1
  for (const [i, token] of tokens.entries()) {
    if (isOne(token, 'range', 'groups')) return counts.mostRows
    if (!isOne(token, 'preceding', 'following')) continue
    if (tokens[i - 1]?.kind !== 'number') return counts.mostRows
    rows += Number(tokens[i - 1]!.value)
  }
  return Math.min(rows, counts.mostRows)
}

/** The number of values in the longest written list. SQLite also turns several ORs into a list. */
function writtenList(tokens: readonly Token[]): number {
  let [longest, commas, ors] = [1, 0, 1]
  for (const [i, token] of tokens.entries()) {
    if (isOne(token, 'or')) ors++
    if (isOne(tokens[i - 1], 'in')) commas = 1
    // Commas after the list count too: the result is never too small.
    if (isOne(token, ',') && commas > 0) longest = Math.max(longest, ++commas)
  }
  return Math.max(longest, ors)
}

/**
 * The number of index lookups for each value of a list, which no query plan shows. SQLite reads the list
 * like a table, but skips each value that is NULL.
 */
const listLoops = (program: readonly (readonly unknown[])[]): number =>
  program.filter(
    ([, opcode, cursor], i) =>
      /^(?:Rewind|Last)$/.test(String(opcode)) &&
      /^(?:Column|Rowid)$/.test(String(program[i + 1]?.[1])) &&
      program[i + 1]![2] === cursor &&
      program[i + 2]?.[1] === 'IsNull',
  ).length

/** Maximum number of steps that a program takes per row: in a loop without its inner loops, or outside all loops. */
function longestPass(program: readonly (readonly unknown[])[]): number {
  /** The starts of loops that end later, with the number of steps in the loops that have ended. */
  const ended: { readonly start: number; readonly steps: number }[] = []
  const passes = program.flatMap(([, opcode, , target], end) => {
    // The last step goes back to the first.
    const isEnd = LOOP_ENDS.has(String(opcode)) && Number(target) <= end && target !== 1
    if (!isEnd) return []
    const start = Number(target)
    let inside = 0
    while (ended.length > 0 && ended.at(-1)!.start >= start) inside += ended.pop()!.steps
    const steps = end - start + 1
    ended.push({ start, steps })
    return steps - inside
  })
  const inLoops = ended.reduce((sum, { steps }) => sum + steps, 0)
  return Math.max(program.length - inLoops, ...passes)
}

const LOOP_ENDS = new Set(['Next', 'Prev', 'VNext', 'SorterNext', 'Goto'])

const tooMuch = () =>
  new DatabaseError(
    'refused',
    'This query is too expensive for the demo, where each query can take up to a second. Join on keys, filter before joining, make the values shorter, or split it into several queries.',
  )
