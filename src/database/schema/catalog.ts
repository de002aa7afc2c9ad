import type { Database } from '../database.ts'
import { type Dialect, MAX_PARAMS, type Page, type TableName } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import type { Cell, Statement, TimeLimits } from '../rows.ts'
import { nearest } from './nearest-names.ts'
import type {
  ForeignKey,
  Index,
  Source,
  Table,
  TableColumn,
  TableList,
  TableSummary,
} from './table.ts'
import { keyOf, shownName } from './table-name.ts'

/** The tables and views that the role may read, by part of a name or comment, in order of name. */
export async function listTables(
  database: Database,
  { limits, ...page }: Page & { readonly limits: TimeLimits },
): Promise<TableList> {
  // Databases refuse parameters with NULs or half characters, and names and comments have none.
  const { search = '' } = page
  if (search.includes('\0') || !search.isWellFormed()) return { tables: [], total: 0 }
  const fresh = { ...limits, catalog: undefined }
  const rows = await ask(database, database.dialect.catalog.tables(page), fresh)
  const tables = rows.filter(([, schema]) => schema !== null).map(([, ...row]) => summary(row))
  return { tables, total: Number(rows[0]?.[0] ?? 0) }
}

/** How often the list of tables is read on. */
const MAX_PAGES = 10

/** All tables and views that the role may read, or those that a search finds, up to 50,000. */
export async function allTables(
  database: Database,
  limits: TimeLimits,
  search?: string,
): Promise<readonly TableSummary[]> {
  const tables: TableSummary[] = []
  for (let page = 0; page < MAX_PAGES; page++) {
    const limit = CATALOG_LIMITS.maxRows
    const found = await listTables(database, { search, limit, offset: tables.length, limits })
    tables.push(...found.tables)
    if (found.tables.length === 0 || tables.length >= found.total) break
  }
  return tables
}

/**
 * Finds the table with this name, written as `table` or `schema.table`. If no name is the same, upper
 * and lower case count as equal. The name is only compared with names that exist. Throws
 * {@link DatabaseError} with the nearest names if there is no such table, or more than one.
 */
export async function findTable(
  database: Database,
  name: string,
  limits: TimeLimits,
): Promise<Table> {
  const { catalog } = database.dialect
  const [found, [columns, keys, indexes]] = await resolved(database, name, limits, (table) =>
    Promise.all([
      columnsOf(database, [table], limits),
      ask(database, catalog.keys(table), limits).then(grouped),
      ask(database, catalog.indexes(table), limits),
    ]),
  )
  const primaryKey = keys.find(({ kind }) => kind === 'primary')?.columns ?? []
  return {
    ...found,
    columns: columns[0]!.map((row) => column(row, primaryKey)),
    primaryKey,
    uniqueKeys: keys.filter(({ kind }) => kind === 'unique').map((key) => key.columns),
    foreignKeys: keys.filter(({ kind }) => kind === 'foreign').map(foreignKey),
    referencedBy: keys.filter(({ kind }) => kind === 'referenced').map(foreignKey),
    indexes: indexesOf(indexes),
  }
}

/** Finds a table like {@link findTable}, but without keys and indexes: two statements fewer. */
export async function findSource(
  database: Database,
  name: string,
  limits: TimeLimits,
): Promise<Source> {
  const [found, [rows]] = await resolved(database, name, limits, (table) =>
    columnsOf(database, [table], limits),
  )
  return { ...found, columns: rows!.map((row) => column(row, [])) }
}

/**
 * The columns of tables from the catalog: a row for each column, with its name and type first. One
 * statement asks for as many tables as its parameters allow.
 */
export async function columnsOf(
  database: Database,
  tables: readonly TableName[],
  limits: TimeLimits,
): Promise<readonly (readonly Row[])[]> {
  if (tables.length === 0) return []
  const { catalog, maxParams = MAX_PARAMS } = database.dialect
  const { params = [] } = catalog.columns(tables.slice(0, 1))
  const atOnce = Math.max(1, Math.floor(maxParams / params.length))
  const rows: Row[] = []
  for (let at = 0; at < tables.length; at += atOnce) {
    const statement = catalog.columns(tables.slice(at, at + atOnce))
    rows.push(...(await ask(database, statement, limits)))
  }
  const found = new Map<string, Row[]>()
  for (const [schema, table, ...row] of rows) {
    const key = JSON.stringify([schema, table])
    const columns = found.get(key) ?? []
    columns.push(row)
    found.set(key, columns)
  }
  return tables.map(({ schema, name }) => found.get(JSON.stringify([schema, name])) ?? [])
}

/** Statements about the catalog have caps of their own: a table of a thousand columns is not cut. */
export const CATALOG_LIMITS = { maxRows: 5_000, maxBytes: 4 << 20 }

type Row = readonly Cell[]

async function ask(
  database: Database,
  statement: Statement,
  limits: TimeLimits,
): Promise<readonly Row[]> {
  const { rows } = await database.query(
    { ...statement, internal: true },
    { ...limits, ...CATALOG_LIMITS },
  )
  return rows
}

/** The tables that a name may mean: the likeliest, or several that are equally likely. */
export async function summaries(
  database: Database,
  name: string,
  limits: TimeLimits,
): Promise<readonly TableSummary[]> {
  if (!isName(name)) return []
  const rows = await ask(database, database.dialect.catalog.find(name), limits)
  return rows.filter((row) => row.at(-1) === rows[0]?.at(-1)).map(summary)
}

/** How many tables an error lists if no name is similar. */
const MAX_NAMES = 20

/**
 * A sentence with the tables that an unknown name may mean: those with similar names, or else all that
 * exist; undefined if there are no tables.
 */
export async function meantTables(
  database: Database,
  name: string,
  limits: TimeLimits,
): Promise<string | undefined> {
  const likely = await near(database, name, limits)
  if (likely.length > 0) return `Did you mean ${likely.join(' or ')}?`
  const { tables, total } = await listTables(database, { limit: MAX_NAMES, limits })
  if (tables.length === 0) return undefined
  const names = tables.map((it) => shownName(database.dialect, it))
  const more = total > names.length ? ` and ${total - names.length} more` : ''
  return `There are ${names.join(', ').slice(0, 400)}${more}.`
}

/** Names of tables that are similar to this one; with schemas, if it has one. */
async function near(database: Database, name: string, limits: TimeLimits): Promise<string[]> {
  if (!isName(name)) return []
  const bare = name.split('.').at(-1)!
  const rows = await ask(database, database.dialect.catalog.near(bare), limits)
  const names = rows.map(([schema, table]) =>
    name.includes('.') ? `${schema}.${table}` : `${table}`,
  )
  return nearest(name, [...new Set(names)])
}

const isName = (name: string) => name.isWellFormed() && !name.includes('\0')

async function resolve(
  database: Database,
  name: string,
  limits: TimeLimits,
): Promise<TableSummary> {
  const best = await summaries(database, name, limits)
  if (best.length === 1) return best[0]!

  const quoted = JSON.stringify(name.slice(0, 100))
  if (best.length > 1) {
    const meant = best.map(qualified).slice(0, 5).join(', ')
    throw new DatabaseError('sql', `${quoted} names ${best.length} tables.`, {
      hint: `Say which: ${meant}.`,
    })
  }
  throw new DatabaseError('sql', `There is no table called ${quoted}.`, {
    hint: await meantTables(database, name, limits),
  })
}

/**
 * The table that a name means, and what is asked about it. Most names are those of the catalog, so that is
 * asked of the likeliest table at once, and again only if another is meant.
 */
async function resolved<T>(
  database: Database,
  name: string,
  limits: TimeLimits,
  about: (table: TableName) => Promise<T>,
): Promise<readonly [TableSummary, T]> {
  const likely = likeliest(name, database.dialect)
  const answer = likely && about(likely)
  // A table that does not exist has another error than the questions about it.
  answer?.catch(() => {})
  const found = await resolve(database, name, limits)
  const isLikely = likely && keyOf(found) === keyOf(likely)
  return [found, await (isLikely ? answer! : about(found))]
}

/** The table that a name means if it is written as in the catalog. */
function likeliest(name: string, { schema }: Pick<Dialect, 'schema'>): TableName | undefined {
  if (!isName(name)) return undefined
  const [first = '', second, ...more] = name.split('.')
  if (more.length > 0) return undefined
  return second === undefined ? { schema, name: first } : { schema: first, name: second }
}

const qualified = ({ schema, name }: TableName) => `${schema}.${name}`

const text = (cell: Cell | undefined) =>
  cell === null || cell === undefined ? undefined : String(cell)

function summary([schema, name, kind, comment, estimate, columns]: Row): TableSummary {
  return {
    schema: String(schema),
    name: String(name),
    kind: kind as TableSummary['kind'],
    comment: text(comment),
    estimatedRows: typeof estimate === 'number' ? estimate : undefined,
    columnCount: Number(columns),
  }
}

function column(
  [name, type, nullable, expression, comment, values, operators]: Row,
  primaryKey: readonly string[],
): TableColumn {
  return {
    name: String(name),
    type: String(type),
    nullable: Boolean(nullable),
    default: text(expression),
    comment: text(comment),
    values: Array.isArray(values) && values.length > 0 ? values.map(String) : undefined,
    primaryKey: primaryKey.includes(String(name)),
    ...(operators && { operators: String(operators) }),
  }
}

interface Key {
  readonly kind: Cell | undefined
  readonly columns: string[]
  readonly table: TableName
  readonly tableColumns: string[]
}

/** Groups rows by key. Each row is one column: kind, name, column, and the other table and column. */
function grouped(rows: readonly Row[]): Key[] {
  const keys = new Map<string, Key>()
  for (const [kind, key, column, schema, table, other] of rows) {
    const id = JSON.stringify([kind, key, schema, table])
    const found = keys.get(id) ?? {
      kind,
      columns: [],
      table: { schema: String(schema), name: String(table) },
      tableColumns: [],
    }
    found.columns.push(String(column))
    found.tableColumns.push(String(other))
    keys.set(id, found)
  }
  return [...keys.values()]
}

const foreignKey = ({ columns, table, tableColumns }: Key): ForeignKey => ({
  columns,
  table,
  tableColumns,
})

/** Groups rows by index. Each row is one column: name, unique, partial (or its condition), column. */
function indexesOf(rows: readonly Row[]): Index[] {
  const indexes = new Map<string, Index & { columns: string[] }>()
  for (const [key, unique, partial, column] of rows) {
    const name = String(key)
    const index = indexes.get(name) ?? {
      name,
      unique: Boolean(unique),
      partial: Boolean(partial),
      ...(typeof partial === 'string' && { where: partial }),
      columns: [],
    }
    index.columns.push(String(column))
    indexes.set(name, index)
  }
  return [...indexes.values()]
}
