import type { Token } from '../guard/lexer.ts'
import { type Text, textOf } from './weight.ts'

/** How much there is in a database that does not change, each thing counted once. */
export class Counts {
  /** The names of all tables, in lower case. */
  readonly tables: ReadonlySet<string>
  /** What all views are made of: the plan of a query names what they name. */
  readonly views: readonly Token[]
  readonly #sql: SqlStorage
  readonly #known = new Map<string, number>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
    const schema = `select iif(type = 'table', lower(name), null), iif(type = 'view', sql, null)
      from sqlite_schema where name not like '\\_%' escape '\\'`
    const rows = [...sql.exec(schema).raw<(string | null)[]>()]
    this.tables = new Set(['sqlite_schema', ...rows.flatMap(([table]) => table ?? [])])
    const views = rows.flatMap(([, view]) => view ?? [])
    this.views = textOf([';', ...views].join('\n;')).tokens
  }

  /** How many values a column has, in whatever table: one, if no table has such a column. */
  values(column: string): number {
    return Math.max(...[...this.tables].map((it) => this.of(it) / Math.max(1, this.of(it, column))))
  }

  /** The rows of the largest table. */
  get most(): number {
    return Math.max(...[...this.tables].map((it) => this.of(it)))
  }

  /** The rows of a table, or those that share a value of a column with one: all, if there is no such. */
  of(table: string, column?: string): number {
    const all = `select count(*) n from ${quote(table)}`
    // No name is given to a count beside the column: another would be taken for it.
    const it = quote(column ?? '')
    const groups = `select count(*) from ${quote(table)} where ${it} is not null group by ${it}`
    const shared = `with g (n) as (${groups}) select coalesce(sum(n * n) * 1.0 / sum(n), 0) n from g`
    const text = column === undefined ? all : shared
    const count = this.#known.get(text) ?? this.#sql.exec<{ n: number }>(text).one().n
    this.#known.set(text, count)
    return count
  }
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

// More than any table of the schema has columns, indexes or keys.
const VIRTUAL_ROWS = 20

// How long an array of JSON may be. Of a single one nobody minds; several make a join.
const LONG_ARRAY = 20_000
// A text with room for one that is worth a look.
const LONG = 1_000
const ARRAYS = /\bjson_(?:each|tree)\b/gi

/**
 * About how many rows a statement visits, going by the rows of its EXPLAIN QUERY PLAN.
 *
 * It is there to stop a join without a condition, not somebody who means harm. A plan does not
 * show, so this cannot catch: how uneven what a group computes is; how long a single array for
 * json_each() is, or a list after IN whose keys are looked up one by one. Nor is a table known by an
 * alias in single quotes. What a plan says in words not known here costs nothing. What is computed from a row is
 * told by {@link weightOf}.
 *
 * @param length how many rows the recursive query of a name has
 * @param largest bytes of a value: an array of JSON in it may have half as many items
 * @param stepCost what a step of the recursive query of a name costs, in rows
 */
export function rowsVisited(
  plan: Iterable<readonly unknown[]>,
  { sql, tokens }: Text,
  counts: Counts,
  length: (name: string) => number,
  largest = 0,
  stepCost = (_: string) => 0,
): number {
  const rows = [...plan]
  const arrays = sql.match(ARRAYS)?.length ?? 0
  const meanings = aliases([...tokens, ...counts.views])
  const computed = computedNames(tokens, counts)
  const grouped = groupedNames(tokens)
  const made = new Map<string, number>()
  // What does not depend on what stands around it runs only once.
  let once = 0
  return walk(0).visits + once

  /** Loops are nested in each other; a compound, a recursion and an OR have parts. */
  function walk(node: unknown, name = ''): { visits: number; rows: number } {
    let [visits, loops, parts, trees, sorts] = [0, 1, 0, 0, 0]
    const inside = rows.filter(([, above]) => above === node)
    // SQLite makes an automatic index once, however often what it is for is run.
    const isIndexed = inside.some(([, , , text]) => String(text).includes(' USING AUTOMATIC '))
    for (const [id, , , text] of inside) {
      const detail = String(text).toLowerCase()
      if (/^(?:scan|search) /.test(detail)) {
        loops *= found(detail)
        visits += loops
        continue
      }
      const query = /^(?:materialize|co-routine) (.*)/.exec(detail)?.[1]
      const steps = detail === 'recursive step' ? length(name) : undefined
      // A step takes one row at a time.
      if (steps !== undefined) made.set(name, 1)
      const inner = walk(id, query)
      if (query !== undefined) made.set(query, inner.rows)
      const times = steps ?? (/^(?:correlated|multi-index or)/.test(detail) ? loops : 1)
      const isOnce = query === undefined ? /^(?:scalar|list) subquery/.test(detail) : isIndexed
      if (isOnce) once += inner.visits
      else visits += times * inner.visits
      if (steps !== undefined) visits += steps * stepCost(name)
      if (/^use temp b-tree for (?:count\()?distinct/.test(detail)) trees++
      if (/^use temp b-tree for (?:group|order) by/.test(detail)) sorts++
      if (/^union using temp b-tree/.test(detail)) visits += kept(inner.rows)
      // To begin one anew takes its time, and so does what it groups.
      if (/^correlated/.test(detail)) visits += times * inner.visits
      if (/^correlated list/.test(detail)) visits += times * kept(inner.rows)
      if (/^(?:multi-index or|compound|merge)/.test(detail)) loops *= inner.rows
      if (PART.test(detail)) parts += steps ?? inner.rows
    }
    return { visits: visits + trees * kept(loops) + sorts * SORTED * loops, rows: loops + parts }
  }

  /** What it costs to keep so many rows apart, which SQLite does in a tree. */
  function kept(rows: number): number {
    return rows * (rows > LARGE_TREE ? 100 : 10)
  }

  /** How many rows of a query share its value of a column. */
  function sharing(rows: number, column: string): number {
    const how = computed.get(column)
    const values = how === undefined ? counts.values(column) : 1
    if (values > 1) return rows / values
    return how === 'more' && grouped.has(column) ? Math.sqrt(rows) : rows
  }

  /** How many rows a SCAN or SEARCH finds each time. */
  function found(detail: string): number {
    const what = detail.slice(detail.indexOf(' ') + 1)
    // A name may have spaces, and go on like a plan.
    const name = [...meanings.keys(), ...made.keys()]
      .filter((it) => `${what} `.startsWith(`${it} `))
      .reduce((a, b) => (a.length > b.length ? a : b), '')
    const how = what.slice(name.length)
    if (how.startsWith(' virtual table')) {
      const items = arrays > 0 && largest > LONG ? largest / 2 : VIRTUAL_ROWS
      return arrays > 1 ? Math.max(LONG_ARRAY, items) : items
    }
    const written = name === '' && /^(\d+)(?:-row values clause| constant rows)$/.exec(how)
    if (written) return Number(written[1])
    if (how === 'constant row' || how.startsWith(' using integer primary key (rowid=')) return 1
    const columns = how.split(/[\s(]/).flatMap((it) => it.split('=?').slice(0, -1).slice(-1))
    const sizes = [name, ...(meanings.get(name) ?? [])].flatMap((table) => {
      const all = made.get(table) ?? (counts.tables.has(table) ? counts.of(table) : undefined)
      if (all === undefined || columns.length === 0) return all ?? []
      const own = made.has(table)
      return Math.min(...columns.map((it) => (own ? sharing(all, it) : counts.of(table, it))))
    })
    if (sizes.length === 0) return counts.most
    return Math.max(1, ...sizes)
  }
}

// With more entries than these, a tree takes ten times as long for each.
const LARGE_TREE = 100_000

// What it costs to sort a row, in rows.
const SORTED = 5

const PART = /^(?:setup|recursive step|left|right|union|intersect|except|index)/

/** The names that are given to what is no column: to a literal, or to more than that. */
function computedNames(
  all: readonly Token[],
  counts: Counts,
): ReadonlyMap<string, 'literal' | 'more'> {
  const names = new Map<string, 'literal' | 'more'>()
  const tokens = all.filter(({ kind, value }) => kind !== 'word' || value !== 'as')
  const isName = (at: number) => tokens[at]?.kind === 'word' || tokens[at]?.kind === 'name'
  const compute = (name: string) => names.has(name) || names.set(name, 'more')
  for (const [i, { value }] of tokens.entries()) {
    const before = tokens[i - 1]
    if (value === ')' && HEADS.has(tokens[i + 1]?.value ?? '')) {
      // `t (a, b) as (…)` gives names as well.
      for (let at = i - 1; isName(at); at -= 2) compute(tokens[at]!.value)
    }
    if (!isName(i) || !before) continue
    if (before.kind === 'number' || before.kind === 'text') names.set(value, 'literal')
    else if (before.value === ')' || before.value === 'end') compute(value)
    else if (isName(i - 1) && counts.values(before.value) > 1) compute(value)
  }
  return names
}

const HEADS = new Set(['(', 'not', 'materialized'])

/** A SELECT at some depth of parentheses: the names of its columns, and what keeps its rows apart. */
interface Select {
  readonly names: (string | undefined)[]
  readonly groups: (string | undefined)[]
  readonly numbers: Set<string | undefined>
  /** Whether these parentheses are those of `row_number() over (…)`, without partitions so far. */
  isNumber: boolean
  isDistinct: boolean
  part: 'columns' | 'groups' | 'rest'
}

/**
 * The names of columns that have another value in each row wherever they are given: the one column
 * that the query groups by or keeps distinct, or the number of a row.
 */
function groupedNames(tokens: readonly Token[]): ReadonlySet<string> {
  const begin = (isNumber = false): Select => ({
    ...{ names: [], groups: [], numbers: new Set<string | undefined>(), isNumber },
    ...{ isDistinct: false, part: 'rest' as const },
  })
  const [found, others] = [new Set<string>(), new Set<string>()]
  const end = ({ names, groups, numbers, isDistinct }: Select) => {
    const only = groups.length === 1 ? groups[0] : isDistinct && names.length === 1 && names[0]
    for (const name of names) {
      if (name !== undefined) (name === only || numbers.has(name) ? found : others).add(name)
    }
  }
  const depths = [begin()]
  let last: string | undefined
  for (const [i, { kind, value }] of tokens.entries()) {
    const at = depths.at(-1)!
    if (value === '(' && kind === 'symbol') {
      depths.push(begin(tokens[i - 1]?.value === 'over' && tokens[i - 4]?.value === 'row_number'))
    } else if (value === ')' && kind === 'symbol') {
      end(at)
      if (depths.length > 1) depths.pop()
      const named = tokens[tokens[i + 1]?.value === 'as' ? i + 2 : i + 1]
      if (at.isNumber) depths.at(-1)!.numbers.add(named?.value)
    } else if (kind === 'word' && value === 'select') {
      end(at)
      depths[depths.length - 1] = { ...begin(at.isNumber), part: 'columns' }
      depths.at(-1)!.isDistinct = tokens[i + 1]?.value === 'distinct'
    } else if (at.part === 'columns' && (value === ',' || value === 'from')) {
      at.names.push(last)
      if (value === 'from') at.part = 'rest'
    } else if (kind === 'word' && value === 'by') {
      at.part = tokens[i - 1]?.value === 'group' ? 'groups' : 'rest'
      if (tokens[i - 1]?.value === 'partition') at.isNumber = false
    } else if (at.part === 'groups') {
      if (kind === 'number') at.groups.push(at.names[Number(value) - 1])
      else if (ENDS.has(value)) at.part = 'rest'
      else if (value !== ',') at.groups.push(value)
    }
    last = kind === 'word' || kind === 'name' ? value : undefined
  }
  for (const it of depths) end(it)
  for (const name of others) found.delete(name)
  return found
}

/** What may follow a GROUP BY. */
const ENDS = new Set(['having', 'order', 'limit', 'window', 'union', 'intersect', 'except'])

/** Each name among these, with the names right before it: so an alias has its table. */
function aliases(tokens: readonly Token[]): Map<string, Set<string>> {
  const meanings = new Map<string, Set<string>>()
  let before: string | undefined
  for (const { kind, value } of tokens) {
    if (kind === 'word' && value === 'as') continue
    const isName = kind === 'word' || kind === 'name'
    const names = meanings.get(value) ?? new Set()
    if (isName) meanings.set(value, before === undefined ? names : names.add(before))
    before = isName ? value : undefined
  }
  return meanings
}
