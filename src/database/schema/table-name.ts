import type { Dialect, TableName } from '../dialect.ts'
import type { Cell } from '../rows.ts'

/** The shortest table name that every tool accepts: `orders`, or `main.a.b` for a name with a dot. */
export const shownName = (dialect: Dialect, { schema, name }: TableName): string =>
  schema === dialect.schema && !name.includes('.') ? name : `${schema}.${name}`

/** Names for a table in a configuration: `orders` in the default schema, `sales.orders` in any schema. */
export const namesOf = (dialect: Dialect, { schema, name }: TableName): readonly string[] => [
  ...(schema === dialect.schema && !name.includes('.') ? [name] : []),
  // The first dot ends the schema, so a schema with a dot in its name could be mistaken for another.
  ...(schema.includes('.') ? [] : [`${schema}.${name}`]),
]

/** Map key for a table. */
export const keyOf = ({ schema, name }: { schema: Cell | undefined; name: Cell | undefined }) =>
  `${schema}\0${name}`
