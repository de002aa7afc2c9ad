import type { Counts } from './counts.ts'
import { groupedNames } from './grouped-names.ts'
import type { LexedSql } from './lexed-sql.ts'
import { type Computed, computedNames, namesBefore } from './names.ts'

/** More rows than any pragma about a table returns: it has fewer columns, indexes and keys. */
const MAX_PRAGMA_ROWS = 20

/** The most items of a JSON array. They count only if several arrays are joined. */
const ARRAY_ITEMS = 20_000

/** Only a value with more bytes can hold a JSON array that is long enough to count. */
const SHORT_VALUE_BYTES = 1_000

const ARRAYS = /\bjson_(?:each|tree)\b/gi

/** How many rows there are behind each name in a plan. */
export class TableSizes {
  readonly #counts: Counts
  /** A loop over json_each() or a pragma: how many rows it finds. */
  readonly #virtualRows: number
  readonly #namesBefore: ReadonlyMap<string, ReadonlySet<string>>
  readonly #computed: ReadonlyMap<string, Computed>
  readonly #grouped: ReadonlySet<string>
  /** The rows of the queries that the statement names. */
  readonly #queries = new Map<string, number>()

  /** @param largest bytes of the largest value: an array of JSON in it may have half as many items */
  constructor({ sql, tokens }: LexedSql, counts: Counts, largest: number) {
    this.#counts = counts
    this.#virtualRows = virtualRows(sql.match(ARRAYS)?.length ?? 0, largest)
    this.#namesBefore = namesBefore([...tokens, ...counts.views])
    this.#computed = computedNames(tokens, counts)
    this.#grouped = groupedNames(tokens)
  }

  /** Says how many rows a query of the statement has. */
  setQuery(name: string, rows: number): void {
    this.#queries.set(name, rows)
  }

  /** How many rows a loop finds each time it runs: `orders using index by_customer (customer_id=?)`. */
  rowsFound(loop: string): number {
    const name = this.#nameIn(loop)
    const way = loop.slice(name.length)
    if (way.startsWith(' virtual table')) return this.#virtualRows
    const written = name === '' && /^(\d+)(?:-row values clause| constant rows)$/.exec(way)
    if (written) return Number(written[1])
    if (way === 'constant row' || way.startsWith(' using integer primary key (rowid=')) return 1
    const columns = comparedColumns(way)
    const tables = [name, ...(this.#namesBefore.get(name) ?? [])]
    const sizes = tables.flatMap((it) => this.#rowsOf(it, columns) ?? [])
    return sizes.length > 0 ? Math.max(1, ...sizes) : this.#counts.mostRows
  }

  /** The name that a loop begins with. It may have spaces, and go on like a plan. */
  #nameIn(loop: string): string {
    return [...this.#namesBefore.keys(), ...this.#queries.keys()]
      .filter((it) => `${loop} `.startsWith(`${it} `))
      .reduce((a, b) => (a.length > b.length ? a : b), '')
  }

  /** The rows of a table or a query that share their values of these columns; undefined if there is none. */
  #rowsOf(name: string, columns: readonly string[]): number | undefined {
    const ofQuery = this.#queries.get(name)
    if (ofQuery === undefined && !this.#counts.tables.has(name)) return undefined
    const all = ofQuery ?? this.#counts.rows(name)
    if (columns.length === 0) return all
    return Math.min(
      ...columns.map((column) =>
        ofQuery === undefined
          ? this.#counts.rowsSharing(name, column)
          : this.#rowsSharing(ofQuery, column),
      ),
    )
  }

  /** How many of the rows of a query share their value of a column. */
  #rowsSharing(rows: number, column: string): number {
    const computed = this.#computed.get(column)
    const values = computed === undefined ? this.#counts.valuesOf(column) : 1
    if (values > 1) return rows / values
    return computed === 'expression' && this.#grouped.has(column) ? Math.sqrt(rows) : rows
  }
}

function virtualRows(arrays: number, largest: number): number {
  const items = arrays > 0 && largest > SHORT_VALUE_BYTES ? largest / 2 : MAX_PRAGMA_ROWS
  // A single array is no join, however long it is.
  return arrays > 1 ? Math.max(ARRAY_ITEMS, items) : items
}

/** The columns that a SEARCH has values for: `a` and `b` of `(a=? and b=?)`. */
const comparedColumns = (way: string) =>
  way.split(/[\s(]/).flatMap((it) => it.split('=?').slice(0, -1).slice(-1))
