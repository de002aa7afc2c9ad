import type { Dialect, TableName } from '../dialect.ts'

/** The shortest name by which every tool knows a table, whatever stands in it: `orders`, `main.a.b`. */
export const shownName = (dialect: Dialect, { schema, name }: TableName): string =>
  schema === dialect.schema && !name.includes('.') ? name : `${schema}.${name}`
