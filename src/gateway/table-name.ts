import type { Dialect, TableName } from '../database/index.ts'

/** A table's name as the other tools take it and as a model writes it in SQL. */
export const shownName = (dialect: Dialect, { schema, name }: TableName): string =>
  schema === dialect.schema ? name : `${schema}.${name}`
