import { doubleQuoted } from '../dialect.ts'
import { lex } from '../guard/lexer.ts'
import { isName, type Token } from '../guard/token.ts'
import { rules } from '../sqlite/rules.ts'

/** Measures a query with a name: its rows, or the maximum number of rows that share values in some columns. */
export type Measure = (query: string, columns: readonly string[]) => number | undefined

/** The number of rows in each demo table. They never change, so each count runs once. */
export class Counts {
  /** The names of all tables, in lower case. */
  readonly tables: readonly string[]
  /** The names of all views, in lower case. */
  readonly views: ReadonlySet<string>
  /** The tokens of all views: a query's plan also mentions the tables inside its views. */
  readonly inViews: readonly Token[]
  readonly #sql: SqlStorage
  readonly #counted = new Map<string, number>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
    const schema = `select type, lower(name), sql
      from sqlite_schema where name not like '\\_%' escape '\\'`
    const rows = [...sql.exec(schema).raw<string[]>()] as [
      type: string,
      name: string,
      sql: string,
    ][]
    const views = rows.filter(([type]) => type === 'view')
    this.tables = [
      'sqlite_schema',
      ...rows.flatMap(([type, name]) => (type === 'table' ? name : [])),
    ]
    this.views = new Set(views.map(([, name]) => name))
    this.inViews = lex([';', ...views.map(([, , sql]) => sql)].join('\n;'), rules.lexis)
  }

  rows(table: string): number {
    return this.#count(`select count(*) n from ${doubleQuoted(table)}`)
  }

  /** Maximum number of rows in a table that share a value in a column; all rows if there is no such column. */
  rowsSharing(table: string, column: string): number {
    const it = doubleQuoted(column)
    // The count has no alias here, because it could clash with a column of the same name.
    const groups = `select count(*) from ${doubleQuoted(table)} group by ${it}`
    return this.#count(`with g (n) as (${groups}) select coalesce(max(n), 0) n from g`)
  }

  /** The number of rows in the largest table. */
  get mostRows(): number {
    return Math.max(...this.tables.map((it) => this.rows(it)))
  }

  #count(statement: string): number {
    const count = this.#counted.get(statement) ?? this.#sql.exec<{ n: number }>(statement).one().n
    this.#counted.set(statement, count)
    return count
  }
}

/** A loop that looks up values in an index, and the columns. Any other wording counts as reading everything. */
const SEARCH =
  /^search (\S+) using (?:integer primary key|(?:automatic )?(?:partial )?(?:covering )?index(?: [\w$]+)?) \(((?:\w+=\?)(?: and \w+=\?)*)(?: and \w+[<>]\?)*\)(?: left-join)?$/

/** True if a loop looks up values in an index that SQLite makes for the statement. */
export const isAutomatic = (loop: string): boolean =>
  SEARCH.test(loop) && loop.includes(' using automatic ')

const UNIQUE = /^search \S+ using integer primary key \(rowid=\?\)(?: left-join)?$/

/** The number of rows behind each name in a plan, as an upper bound. */
export class TableSizes {
  readonly #counts: Counts
  /** The number of rows that a loop over json_each() or a pragma finds. */
  readonly #virtualRows: number
  readonly #measure: Measure | undefined
  /** Each name with the names right before it, which connects an alias to its table. */
  readonly #before: ReadonlyMap<string, ReadonlySet<string>>
  /** The number of rows in each query in the plan, by name. */
  readonly #queries = new Map<string, number>()
  /** The number of rows in the largest table or query. */
  mostRows: number

  constructor(
    tokens: readonly Token[],
    counts: Counts,
    virtualRows: number,
    measure: Measure | undefined,
  ) {
    this.#counts = counts
    this.#virtualRows = virtualRows
    this.#measure = measure
    this.#before = namesBefore([...tokens, ...counts.inViews])
    this.mostRows = Math.max(counts.mostRows, virtualRows)
  }

  /** Records the number of rows in one of the statement's queries. */
  setQuery(name: string, rows: number): void {
    const known = Math.min(rows, this.#measure?.(name, []) ?? rows)
    this.#queries.set(name, Math.max(known, this.#queries.get(name) ?? 0))
    this.mostRows = Math.max(this.mostRows, known)
  }

  /** True if a query runs alone, so it needs nothing from the query around it. */
  isMeasured(name: string): boolean {
    return this.#measure?.(name, []) !== undefined
  }

  /** The number of rows a loop finds each time it runs: `search orders using index by_customer (customer_id=?)`. */
  rowsFound(loop: string): number {
    const written = /^scan (?:constant row$|(\d+)(?:-row values clause| constant rows)$)/.exec(loop)
    if (written) return Math.max(1, Number(written[1] ?? 1))
    if (UNIQUE.test(loop)) return 1
    const name = /^(?:scan|search) (\S+)/.exec(loop)?.[1] ?? ''
    if (loop.startsWith(`scan ${name} virtual table`)) return this.#virtualRows
    const columns =
      SEARCH.exec(loop)?.[2]
        ?.split(' and ')
        .map((it) => it.slice(0, -2)) ?? []
    const names = [name, ...(this.#before.get(name) ?? [])]
    const found = names.flatMap((it) => this.#rowsOf(it, columns))
    return found.length > 0 ? Math.max(1, ...found) : this.mostRows
  }

  /** The rows in a table, or in a query with the same name, that share their values in these columns. */
  #rowsOf(name: string, columns: readonly string[]): readonly number[] {
    const found: number[] = []
    const rows = this.#queries.get(name)
    if (rows !== undefined) {
      const sharing = columns.length > 0 ? this.#measure?.(name, columns) : undefined
      found.push(Math.min(rows, sharing ?? rows))
    }
    if (this.#counts.tables.includes(name)) {
      const sharing = columns.map((column) => this.#counts.rowsSharing(name, column))
      found.push(Math.min(this.#counts.rows(name), ...sharing))
    }
    return found
  }
}

function namesBefore(tokens: readonly Token[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  let before: string | undefined
  for (const token of tokens) {
    const { kind, value } = token
    if (kind === 'word' && value === 'as') continue
    const name = isName(token) ? value : undefined
    if (name !== undefined && before !== undefined) {
      found.set(name, (found.get(name) ?? new Set()).add(before))
    }
    before = name
  }
  return found
}
