import type { Dialect, TableName } from '../database/index.ts'

/** A table's name as the other tools take it and as a model writes it in SQL. */
export const shownName = (dialect: Dialect, { schema, name }: TableName): string =>
  schema === dialect.schema ? name : `${schema}.${name}`

/** The shortest name that no other table goes by, whatever stands in it: `orders`, `main.a.b`. */
export const exactName = (dialect: Dialect, table: TableName): string =>
  table.name.includes('.') ? `${table.schema}.${table.name}` : shownName(dialect, table)
