import type { Dialect, TableName } from '../dialect.ts'
import type { Cell } from '../rows.ts'

/** The shortest name by which every tool knows a table, whatever stands in it: `orders`, `main.a.b`. */
export const shownName = (dialect: Dialect, { schema, name }: TableName): string =>
  schema === dialect.schema && !name.includes('.') ? name : `${schema}.${name}`

/** What tells a table from all others, as a key. */
export const keyOf = ({ schema, name }: { schema: Cell | undefined; name: Cell | undefined }) =>
  `${schema}\0${name}`
