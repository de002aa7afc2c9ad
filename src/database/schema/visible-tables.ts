import type { Dialect, TableName } from '../dialect.ts'
import { namesOf } from './table-name.ts'

/** The tables that are visible: all of some schemas, and single ones, whole or some of their columns. */
export interface VisibleTables {
  readonly schemas?: readonly string[] | undefined
  /** By name: `orders`, or `sales.orders` outside the default schema. */
  readonly tables?: Readonly<Record<string, true | readonly string[]>> | undefined
}

/** The columns of a table that are visible: all, or these; undefined if the table is hidden. */
export type Visibility = (table: TableName) => true | ReadonlySet<string> | undefined

/**
 * What is visible. Names are those of the catalog, exactly. The list of columns of a table holds in any
 * schema, and of two names of one table the stricter one.
 */
export function visibilityOf(
  { schemas, tables = {} }: VisibleTables,
  dialect: Dialect,
): Visibility {
  const whole = new Set(schemas)
  const named = new Map(
    Object.entries(tables).map(([name, it]) => [name, it === true ? it : new Set(it)]),
  )
  return (table) => {
    const found = namesOf(dialect, table)
      .map((it) => named.get(it))
      .filter((it) => it !== undefined)
    return found.find((it) => it !== true) ?? found[0] ?? (whole.has(table.schema) || undefined)
  }
}

/** Whether a column is among the visible ones of its table. */
export const shows = (columns: ReturnType<Visibility>, name: string): boolean =>
  columns === true || (columns?.has(name) ?? false)
