import type { Database } from '../database.ts'
import { type CatalogPage, type Dialect, MAX_PARAMS, type TableName } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import type { Rows, Statement, TimeLimits } from '../rows.ts'
import { type CatalogRow, columnOf, indexesOf, keysOf, summaryOf } from './catalog-rows.ts'
import { nearest } from './nearest-names.ts'
import type { ReadableTable, Table, TableList, TableSummary } from './table.ts'
import { keyOf, shownName } from './table-name.ts'

/** Catalog statements have their own caps, so a table with a thousand columns is not truncated. */
export const CATALOG_LIMITS = { maxRows: 5_000, maxBytes: 4 << 20 }

/** Runs a catalog statement. */
export const askCatalog = (
  database: Database,
  statement: Statement,
  limits: TimeLimits,
): Promise<Rows> =>
  database.query({ ...statement, internal: true }, { ...limits, ...CATALOG_LIMITS })

/** Tables and views that the role can read and whose name or comment contains a search, sorted by name. */
export async function listTables(
  database: Database,
  { limits, ...page }: CatalogPage & { readonly limits: TimeLimits },
): Promise<TableList> {
  // Databases refuse parameters with NULs or lone surrogates, and no name or comment contains them.
  if (!isName(page.search ?? '')) return { tables: [], total: 0 }
  const fresh = { ...limits, catalog: undefined }
  const { rows } = await askCatalog(database, database.dialect.catalog.tables(page), fresh)
  const tables = rows.filter(([, schema]) => schema !== null).map(([, ...row]) => summaryOf(row))
  return { tables, total: Number(rows[0]?.[0] ?? 0) }
}

/** Maximum number of pages read from the list of tables. */
const MAX_PAGES = 10

/** All tables and views that the role can read, or the matches for a search, up to 50,000. */
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
 * Finds the table with this name, written as `table` or `schema.table`. If no name matches exactly, case is
 * ignored. The name is only compared with existing names. Throws {@link DatabaseError} with similar names if
 * there is no such table, or more than one.
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
      askCatalog(database, catalog.keys(table), limits),
      askCatalog(database, catalog.indexes(table), limits),
    ]),
  )
  const primaryKey = keysOf(keys.rows, 'primary')[0]?.columns ?? []
  return {
    ...found,
    columns: columns[0]!.map((row) => columnOf(row, primaryKey)),
    primaryKey,
    uniqueKeys: keysOf(keys.rows, 'unique').map((key) => key.columns),
    foreignKeys: keysOf(keys.rows, 'foreign'),
    referencedBy: keysOf(keys.rows, 'referenced'),
    indexes: indexesOf(indexes.rows),
  }
}

/** Finds a table like {@link findTable}, but without keys and indexes, which saves two statements. */
export async function findSource(
  database: Database,
  name: string,
  limits: TimeLimits,
): Promise<ReadableTable> {
  const [found, [rows]] = await resolved(database, name, limits, (table) =>
    columnsOf(database, [table], limits),
  )
  return { ...found, columns: rows!.map((row) => columnOf(row, [])) }
}

/**
 * Reads the columns of tables from the catalog: one row per column, with its name and type first. Each
 * statement covers as many tables as its parameters allow.
 */
export async function columnsOf(
  database: Database,
  tables: readonly TableName[],
  limits: TimeLimits,
): Promise<readonly (readonly CatalogRow[])[]> {
  if (tables.length === 0) return []
  const { catalog, maxParams = MAX_PARAMS } = database.dialect
  const { params = [] } = catalog.columns(tables.slice(0, 1))
  const atOnce = Math.max(1, Math.floor(maxParams / params.length))
  const all: CatalogRow[] = []
  for (let at = 0; at < tables.length; at += atOnce) {
    const statement = catalog.columns(tables.slice(at, at + atOnce))
    all.push(...(await askCatalog(database, statement, limits)).rows)
  }
  const found = Map.groupBy(all, ([schema, name]) => keyOf({ schema, name }))
  return tables.map((it) => (found.get(keyOf(it)) ?? []).map(([, , ...row]) => row))
}

/** The tables that a name can refer to: the likeliest, or several that are equally likely. */
export async function summaries(
  database: Database,
  name: string,
  limits: TimeLimits,
): Promise<readonly TableSummary[]> {
  if (!isName(name)) return []
  const { rows } = await askCatalog(database, database.dialect.catalog.find(name), limits)
  return rows.filter((row) => row.at(-1) === rows[0]?.at(-1)).map(summaryOf)
}

/** Maximum number of tables that an error lists if no name is similar. */
const MAX_NAMES = 20

/** The tables that an unknown name could mean, in a sentence: similar names, otherwise all names. Undefined if none. */
export async function meantTables(
  database: Database,
  name: string,
  limits: TimeLimits,
): Promise<string | undefined> {
  if (database.dialect.hidesTables) return undefined
  const likely = await near(database, name, limits)
  if (likely.length > 0) return `Did you mean ${likely.join(' or ')}?`
  const { tables, total } = await listTables(database, { limit: MAX_NAMES, limits })
  if (tables.length === 0) return undefined
  const names = tables.map((it) => shownName(database.dialect, it))
  const more = total > names.length ? ` and ${total - names.length} more` : ''
  return `Available tables: ${names.join(', ').slice(0, 400)}${more}.`
}

/** Table names similar to this one, with schemas if it has a schema. */
async function near(database: Database, name: string, limits: TimeLimits): Promise<string[]> {
  if (!isName(name)) return []
  const bare = name.split('.').at(-1)!
  const { rows } = await askCatalog(database, database.dialect.catalog.near(bare), limits)
  const names = rows.map(([schema, table]) =>
    name.includes('.') ? `${schema}.${table}` : `${table}`,
  )
  return nearest(name, [...new Set(names)])
}

const isName = (name: string) => name.isWellFormed() && !name.includes('\0')

/**
 * Resolves a name to a table and runs a question about it. Most names are written as in the catalog, so the
 * question is sent for the likeliest table at once, and again only if the name refers to another table.
 */
async function resolved<T>(
  database: Database,
  name: string,
  limits: TimeLimits,
  about: (table: TableName) => Promise<T>,
): Promise<readonly [TableSummary, T]> {
  const likely = likeliest(name, database.dialect)
  const answer = likely && about(likely)
  // If the table is missing, this throws below, so a failure of the question must not go unhandled.
  answer?.catch(() => {})
  const [found, ...others] = await summaries(database, name, limits)
  const quoted = JSON.stringify(name.slice(0, 100))
  if (!found) {
    throw new DatabaseError('sql', `There is no table called ${quoted}.`, {
      hint: await meantTables(database, name, limits),
    })
  }
  if (others.length > 0) {
    const meant = [found, ...others].map((it) => `${it.schema}.${it.name}`)
    throw new DatabaseError('sql', `${quoted} matches ${meant.length} tables.`, {
      hint: `Specify one of ${meant.slice(0, 5).join(', ')}.`,
    })
  }
  const isLikely = likely && keyOf(found) === keyOf(likely)
  return [found, await (isLikely ? answer! : about(found))]
}

/** The table that a name refers to if it is written as in the catalog. */
function likeliest(name: string, { schema }: Pick<Dialect, 'schema'>): TableName | undefined {
  if (!isName(name)) return undefined
  const [first = '', second, ...more] = name.split('.')
  if (more.length > 0) return undefined
  return second === undefined ? { schema, name: first } : { schema: first, name: second }
}
