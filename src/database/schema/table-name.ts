import type { Dialect, TableName } from '../dialect.ts'
import type { Cell } from '../rows.ts'

/** The shortest name that every tool takes for a table: `orders`, or `main.a.b` for one with a dot. */
export const shownName = (dialect: Dialect, { schema, name }: TableName): string =>
  schema === dialect.schema && !name.includes('.') ? name : `${schema}.${name}`

/** The names that a configuration may have for a table: `orders` in the default schema, `sales.orders` in any. */
export const namesOf = (dialect: Dialect, { schema, name }: TableName): readonly string[] => [
  ...(schema === dialect.schema && !name.includes('.') ? [name] : []),
  // The first dot ends the schema. One with a dot in its name could be taken for another.
  ...(schema.includes('.') ? [] : [`${schema}.${name}`]),
]

/** A key for a table in a map. */
export const keyOf = ({ schema, name }: { schema: Cell | undefined; name: Cell | undefined }) =>
  `${schema}\0${name}`
