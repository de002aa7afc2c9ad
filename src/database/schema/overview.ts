import type { Database } from '../database.ts'
import type { TableName } from '../dialect.ts'
import type { Cell, Limits, TimeLimits } from '../rows.ts'
import { CATALOG_LIMITS } from './catalog.ts'
import { keyOf } from './table-name.ts'

/** A column as an overview of all tables shows it. */
export interface OverviewColumn {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly comment: string | undefined
  readonly primaryKey: boolean
  /** The column that a foreign key refers to. A column with two foreign keys comes twice. */
  readonly references?: { readonly table: TableName; readonly column: string } | undefined
}

/**
 * The columns of every table that the role may read, by the {@link keyOf} of the table; undefined if
 * there are too many for one answer.
 */
export async function overview(
  database: Database,
  limits: TimeLimits,
): Promise<ReadonlyMap<string, readonly OverviewColumn[]> | undefined> {
  const statement = { ...database.dialect.catalog.overview(), internal: true }
  const { rows, truncated } = await database.query(statement, { ...limits, ...CATALOG_LIMITS })
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

/** A text that stays the same as long as no table, column, comment or key changes. */
export async function fingerprint(database: Database, limits: Limits): Promise<string> {
  const statement = { ...database.dialect.catalog.fingerprint(), internal: true }
  const { rows } = await database.query(statement, {
    ...limits,
    ...CATALOG_LIMITS,
    maxRows: 100_000,
  })
  const bytes = new TextEncoder().encode(
    rows
      .map((it) => JSON.stringify(it))
      .sort()
      .join(),
  )
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).toString()
}
