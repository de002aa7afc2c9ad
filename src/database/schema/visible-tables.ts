import type { Dialect, TableName } from '../dialect.ts'
import { namesOf } from './table-name.ts'

/** The visible tables: all tables of some schemas, and single tables with all or some of their columns. */
export interface VisibleTables {
  readonly schemas?: readonly string[] | undefined
  /** By name: `orders`, or `sales.orders` outside the default schema. */
  readonly tables?: Readonly<Record<string, true | readonly string[]>> | undefined
}

/** The visible columns of a table: `true` for all, or a set. Undefined if the table is hidden. */
export type Visibility = (table: TableName) => true | ReadonlySet<string> | undefined

/**
 * Looks up visibility by table. Names match the catalog exactly. A table's column list applies in every
 * schema. If a table is listed under two names, the stricter entry applies.
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

/** True if a column is visible. */
export const shows = (columns: ReturnType<Visibility>, name: string): boolean =>
  columns === true || (columns?.has(name) ?? false)
