import type { Database } from '../database.ts'
import type { Catalog, CatalogPage, TableName } from '../dialect.ts'
import type { Statement, TimeLimits } from '../rows.ts'
import { allTables, askCatalog, columnsOf } from './catalog.ts'
import type { CatalogRow } from './catalog-rows.ts'
import { ownQuestions } from './own-question.ts'
import type { TableSummary } from './table.ts'
import { keyOf, namesOf } from './table-name.ts'

/** The operator's descriptions of tables and columns. Names match the catalog exactly. */
export interface Glossary {
  /** By name: `orders`, or `sales.orders` outside the default schema. */
  readonly [table: string]: {
    readonly description?: string | undefined
    readonly columns?: Readonly<Record<string, string>> | undefined
  }
}

const { question, answered } = ownQuestions()

/**
 * Wraps a database so that the operator's description of a table or column replaces its own comment and is
 * searched as well. Only tables in the catalog are described, so the description of a hidden table stays
 * hidden.
 */
export async function described(database: Database, glossary: Glossary): Promise<Database> {
  const catalog = describedCatalog(database, glossary)
  return {
    ...database,
    dialect: { ...database.dialect, catalog },
    async query(statement, limits) {
      const answer = answered(statement, limits)
      if (!answer) return database.query(statement, limits)
      return { columns: [], elapsedMs: 0, ...(await answer) }
    },
  }
}

function describedCatalog(database: Database, glossary: Glossary): Catalog {
  const { dialect } = database
  const { catalog } = dialect
  let read: ReturnType<typeof entriesIn> | undefined
  /** Entries by name, read only when a call uses the catalog. */
  const entries = () => {
    read ??= entriesIn(glossary)
    return read
  }

  const entriesOf = (table: TableName) =>
    namesOf(dialect, table).flatMap((name) => entries().get(name) ?? [])

  const ofTable = (table: TableName): string | undefined =>
    entriesOf(table).find((it) => it.description)?.description

  const ofColumn = (table: TableName, column: string): string | undefined =>
    entriesOf(table)
      .map(({ columns }) => columns.get(column))
      .find(Boolean)

  const tableOf = ([schema, name]: CatalogRow): TableName => ({
    schema: String(schema),
    name: String(name),
  })

  /** A row about a table or column, with its comment replaced by the operator's description. */
  const inWords = (row: CatalogRow, comment: number, words: string | undefined): CatalogRow =>
    words === undefined ? row : row.with(comment, words)

  const ask = (statement: Statement, limits: TimeLimits) => askCatalog(database, statement, limits)

  /** Tables that match a search in the catalog or in the glossary. */
  async function found(search: string, limits: TimeLimits): Promise<readonly TableSummary[]> {
    const all = await allTables(database, limits)
    const byItself = new Set((await allTables(database, limits, search)).map(keyOf))
    const others = all.filter((it) => !byItself.has(keyOf(it)))
    const holds = holding(search)
    const byTable = others.filter((it) => holds(ofTable(it)))
    // Where columns are hidden, every described table is queried, so the duration of a search does not
    // reveal hidden descriptions.
    const byColumn = others.filter((it) =>
      entriesOf(it).some(({ columns }) =>
        dialect.hidesColumns ? columns.size > 0 : [...columns.values()].some(holds),
      ),
    )
    // A glossary entry for a dropped or hidden column matches nothing.
    const columns = await columnsOf(database, byColumn, limits)
    const byWords = byColumn.filter((it, i) =>
      columns[i]!.some(([column]) => holds(ofColumn(it, String(column)))),
    )
    const found = new Set([...byItself, ...[...byTable, ...byWords].map(keyOf)])
    return all.filter((it) => found.has(keyOf(it)))
  }

  /** True if a search can match the glossary. Where tables are hidden, it must not reveal their descriptions. */
  const finds = (search: string) =>
    dialect.hidesColumns ||
    [...entries().values()].some(({ description, columns }) =>
      [description, ...columns.values()].some(holding(search)),
    )

  async function tables(page: CatalogPage, limits: TimeLimits): Promise<readonly CatalogRow[]> {
    const { search, names, offset = 0, limit } = page
    if (!search || names || !finds(search)) {
      const { rows } = await ask(catalog.tables(page), limits)
      return rows.map((row) => inWords(row, 1 + COMMENT, ofTable(tableOf(row.slice(1)))))
    }
    const all = await found(search, limits)
    const shown = all
      .slice(offset, offset + limit)
      .map((it) => [
        ...[all.length, it.schema, it.name, it.kind, ofTable(it) ?? it.comment ?? null],
        ...[it.estimatedRows ?? null, it.columnCount],
      ])
    return shown.length > 0 ? shown : [[all.length, null, null, null, null, null, null]]
  }

  /** The glossary rows that users of this database are allowed to read. */
  async function readable(limits: TimeLimits): Promise<readonly CatalogRow[]> {
    if (!dialect.hidesColumns) return [[JSON.stringify(glossary)]]
    const all = (await allTables(database, limits)).filter((it) => entriesOf(it).length > 0)
    const columns = await columnsOf(database, all, limits)
    return all.flatMap((it, i) => [
      [it.schema, it.name, ofTable(it) ?? null],
      ...columns[i]!.map(([name]) => [it.name, name!, ofColumn(it, String(name)) ?? null]),
    ])
  }

  return {
    ...catalog,
    tables: (page) => question((limits) => tables(page, limits)),

    find: (name) =>
      question(async (limits) => {
        const { rows } = await ask(catalog.find(name), limits)
        return rows.map((row) => inWords(row, COMMENT, ofTable(tableOf(row))))
      }),

    columns: (tables) =>
      question(async (limits) => {
        const columns = await columnsOf(database, tables, limits)
        return tables.flatMap((it, i) =>
          columns[i]!.map((row) => [
            ...[it.schema, it.name],
            ...inWords(row, COLUMN_COMMENT, ofColumn(it, String(row[0]))),
          ]),
        )
      }),

    overview: () =>
      question(async (limits) => {
        const { rows, truncated } = await ask(catalog.overview(), limits)
        const words = (row: CatalogRow) => ofColumn(tableOf(row), String(row[2]))
        return { rows: rows.map((row) => inWords(row, 5, words(row))), truncated }
      }),

    fingerprint: () =>
      question(async (limits) => {
        const [{ rows }, words] = await Promise.all([
          ask(catalog.fingerprint(), limits),
          readable(limits),
        ])
        return [...rows, ...words]
      }),
  }
}

const entriesIn = (glossary: Glossary) =>
  new Map(
    Object.entries(glossary).map(([name, { description, columns = {} }]) => [
      name,
      { description, columns: new Map(Object.entries(columns)) },
    ]),
  )

/** Positions of these cells in catalog rows; see `catalog-rows.ts`. */
const COMMENT = 3
const COLUMN_COMMENT = 4

const holding = (search: string) => {
  const wanted = search.toLowerCase()
  return (text: string | undefined): boolean => text?.toLowerCase().includes(wanted) ?? false
}
