import type { Cell } from '../rows.ts'
import type { ForeignKey, Index, TableColumn, TableSummary } from './table.ts'

/** A row of the catalog. */
export type CatalogRow = readonly Cell[]

const text = (cell: Cell | undefined) =>
  cell === null || cell === undefined ? undefined : String(cell)

/** A table, from a row that begins with its schema. */
export function summaryOf([schema, name, kind, comment, rows, columns]: CatalogRow): TableSummary {
  return {
    schema: String(schema),
    name: String(name),
    kind: kind as TableSummary['kind'],
    comment: text(comment),
    estimatedRows: typeof rows === 'number' ? rows : undefined,
    columnCount: Number(columns),
  }
}

/** A column, from a row that begins with its name. */
export function columnOf(
  [name, type, nullable, expression, comment, values, operators]: CatalogRow,
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

/** The keys of one kind. Each row is one column: kind, key, column, and the table and column on the other side. */
export function keysOf(rows: readonly CatalogRow[], kind: string): ForeignKey[] {
  const own = rows.filter((row) => row[0] === kind)
  const groups = Map.groupBy(own, ([, key, , schema, table]) =>
    JSON.stringify([key, schema, table]),
  )
  return [...groups.values()].map((columns) => ({
    columns: columns.map((row) => String(row[2])),
    table: { schema: String(columns[0]![3]), name: String(columns[0]![4]) },
    tableColumns: columns.map((row) => String(row[5])),
  }))
}

/** Indexes. Each row is one column: name, unique, partial (or its condition), column. */
export function indexesOf(rows: readonly CatalogRow[]): Index[] {
  return [...Map.groupBy(rows, ([name]) => String(name))].map(([name, columns]) => {
    const [, unique, partial] = columns[0]!
    return {
      name,
      unique: Boolean(unique),
      partial: Boolean(partial),
      ...(typeof partial === 'string' && { where: partial }),
      columns: columns.map((row) => String(row[3])),
    }
  })
}
