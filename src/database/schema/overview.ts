import { hashOf } from '../../ground/index.ts'
import type { Database } from '../database.ts'
import type { TableName } from '../dialect.ts'
import type { Cell, QueryContext, TimeLimits } from '../rows.ts'
import { askCatalog, CATALOG_LIMITS } from './catalog.ts'
import { keyOf } from './table-name.ts'

/** A column in the overview of all tables. */
export interface OverviewColumn {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly comment: string | undefined
  readonly primaryKey: boolean
  /** The column that a foreign key refers to. A column with two foreign keys is listed twice. */
  readonly references?: { readonly table: TableName; readonly column: string } | undefined
}

/**
 * Columns of every table that the role can read, by the table's {@link keyOf}. Undefined if there are too
 * many for one answer.
 */
export async function overview(
  database: Database,
  limits: TimeLimits,
): Promise<ReadonlyMap<string, readonly OverviewColumn[]> | undefined> {
  const { rows, truncated } = await askCatalog(
    database,
    database.dialect.catalog.overview(),
    limits,
  )
  if (truncated) return undefined
  const tables = Map.groupBy(rows, ([schema, name]) => keyOf({ schema, name }))
  return new Map([...tables].map(([key, columns]) => [key, columns.map(columnOf)]))
}

function columnOf(row: readonly Cell[]): OverviewColumn {
  const [, , name, type, nullable, comment, primaryKey, ...to] = row
  const [schema, table, column] = to.map(String)
  return {
    name: String(name),
    type: String(type),
    nullable: Boolean(nullable),
    comment: (comment ?? undefined) as string | undefined,
    primaryKey: Boolean(primaryKey),
    references: to[1] ? { table: { schema: schema!, name: table! }, column: column! } : undefined,
  }
}

/** A fingerprint of the schema: it changes only when a table, column, comment or key changes. */
export async function fingerprint(database: Database, limits: QueryContext): Promise<string> {
  const statement = { ...database.dialect.catalog.fingerprint(), internal: true }
  const room = { ...limits, ...CATALOG_LIMITS, maxRows: 100_000 }
  const { rows } = await database.query(statement, room)
  return hashOf(
    rows
      .map((it) => JSON.stringify(it))
      .sort()
      .join(),
  )
}
