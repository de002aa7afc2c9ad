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

  /** The rows of the largest table. */
  get most(): number {
    return Math.max(...[...this.tables].map((it) => this.of(it)))
  }

  /** The rows of a table, or the values of one of its columns: one, if it has no such column. */
  of(table: string, column?: string): number {
    const what = column === undefined ? '*' : `distinct ${quote(column)}`
    const text = `select count(${what}) n from ${quote(table)}`
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
 * show, so this cannot catch: how uneven a column is; how long a single array for json_each() is, or
 * a list after IN whose keys are looked up one by one. Nor is a table known by an alias in single
 * quotes. What a plan says in words not known here costs nothing. What is computed from a row is
 * told by {@link weightOf}.
 *
 * @param length how many rows the recursive query of a name has
 * @param largest bytes of a value: an array of JSON in it may have half as many items
 */
export function rowsVisited(
  plan: Iterable<readonly unknown[]>,
  { sql, tokens }: Text,
  counts: Counts,
  length: (name: string) => number,
  largest = 0,
): number {
  const rows = [...plan]
  const arrays = sql.match(ARRAYS)?.length ?? 0
  const meanings = aliases([...tokens, ...counts.views])
  const made = new Map<string, number>()
  // What does not depend on what stands around it runs only once.
  let once = 0
  return walk(0).visits + once

  /** Loops are nested in each other; a compound, a recursion and an OR have parts. */
  function walk(node: unknown, name = ''): { visits: number; rows: number } {
    let [visits, loops, parts] = [0, 1, 0]
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
      if (/^(?:multi-index or|compound|merge)/.test(detail)) loops *= inner.rows
      if (PART.test(detail)) parts += steps ?? inner.rows
    }
    return { visits, rows: loops + parts }
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
      if (made.has(table)) return Math.sqrt(all)
      return all / Math.max(1, ...columns.map((column) => counts.of(table, column)))
    })
    if (sizes.length === 0) return counts.most
    return Math.max(1, ...sizes)
  }
}

const PART = /^(?:setup|recursive step|left|right|union|intersect|except|index)/

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
