import {
  type Cell,
  type Database,
  DatabaseError,
  type Limits,
  type Page,
  type Statement,
  type TableName,
} from './database.ts'
import { nearest } from './nearest.ts'
import type { ForeignKey, Index, Table, TableColumn, TableList, TableSummary } from './table.ts'

/** The tables and views that the role may read, by part of a name or comment, in order of name. */
export async function listTables(
  database: Database,
  { limits, ...page }: Page & { readonly limits: Limits },
): Promise<TableList> {
  // No name, no comment and no column holds a NUL, and no database takes one.
  if (page.search?.includes('\0')) return { tables: [], total: 0 }
  const rows = await ask(database, database.dialect.catalog.tables(page), limits)
  const tables = rows.filter(([, schema]) => schema !== null).map(([, ...row]) => summary(row))
  return { tables, total: Number(rows[0]?.[0] ?? 0) }
}

/**
 * The one table that a name names, written as `table` or `schema.table`: exactly, or else in
 * another case. The name is only ever compared with names that exist. Throws {@link DatabaseError}
 * with the nearest names if there is no such table, or more than one.
 */
export async function findTable(database: Database, name: string, limits: Limits): Promise<Table> {
  const found = await resolve(database, name, limits)
  const { catalog } = database.dialect
  const [columns, keys, indexes] = await Promise.all([
    ask(database, catalog.columns(found), limits),
    ask(database, catalog.keys(found), limits).then(grouped),
    ask(database, catalog.indexes(found), limits),
  ])
  const primaryKey = keys.find(({ kind }) => kind === 'primary')?.columns ?? []
  return {
    ...found,
    columns: columns.map((row) => column(row, primaryKey)),
    primaryKey,
    uniqueKeys: keys.filter(({ kind }) => kind === 'unique').map((key) => key.columns),
    foreignKeys: keys.filter(({ kind }) => kind === 'foreign').map(foreignKey),
    referencedBy: keys.filter(({ kind }) => kind === 'referenced').map(foreignKey),
    indexes: indexesOf(indexes),
  }
}

/** Describing has room of its own: a table of a thousand columns is not cut like an answer. */
const ROOM = { maxRows: 5_000, maxBytes: 4 << 20 }

type Row = readonly Cell[]

async function ask(
  database: Database,
  statement: Statement,
  limits: Limits,
): Promise<readonly Row[]> {
  const { rows } = await database.query(statement, { ...limits, ...ROOM })
  return rows
}

async function resolve(database: Database, name: string, limits: Limits): Promise<TableSummary> {
  const { catalog } = database.dialect
  const known = name.isWellFormed() && !name.includes('\0')
  const rows = known ? await ask(database, catalog.find(name), limits) : []
  const best = rows.filter((row) => row.at(-1) === rows[0]?.at(-1)).map(summary)
  if (best.length === 1) return best[0]!

  const quoted = JSON.stringify(name.slice(0, 100))
  if (best.length > 1) {
    const meant = best.map(qualified).slice(0, 5).join(', ')
    throw new DatabaseError('sql', `${quoted} names ${best.length} tables.`, {
      hint: `Say which: ${meant}.`,
    })
  }
  const near = known ? await ask(database, catalog.near(name.split('.').at(-1)!), limits) : []
  // As they were asked for: with a schema, or without.
  const names = near.map(([schema, table]) =>
    name.includes('.') ? `${schema}.${table}` : `${table}`,
  )
  const likely = nearest(name, [...new Set(names)])
  throw new DatabaseError('sql', `There is no table called ${quoted}.`, {
    hint: likely.length > 0 ? `Did you mean ${likely.join(' or ')}?` : undefined,
  })
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
  [name, type, nullable, expression, comment, values]: Row,
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
  }
}

interface Key {
  readonly kind: Cell | undefined
  readonly columns: string[]
  readonly table: TableName
  readonly tableColumns: string[]
}

/** Keys arrive one column a row: kind, name, column, and the table and column at the other end. */
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

/** Indexes arrive one column a row: name, whether unique, whether partial, column. */
function indexesOf(rows: readonly Row[]): Index[] {
  const indexes = new Map<string, Index & { columns: string[] }>()
  for (const [key, unique, partial, column] of rows) {
    const name = String(key)
    const index = indexes.get(name) ?? {
      name,
      unique: Boolean(unique),
      partial: Boolean(partial),
      columns: [],
    }
    index.columns.push(String(column))
    indexes.set(name, index)
  }
  return [...indexes.values()]
}
