import { type Database, DatabaseError, type Driver, type Io } from './database.ts'
import { clickhouse } from './drivers/clickhouse.ts'
import { d1 } from './drivers/d1.ts'
import { demo } from './drivers/demo.ts'
import { libsql } from './drivers/libsql.ts'
import { mysql } from './drivers/mysql.ts'
import { neon } from './drivers/neon.ts'
import { planetscale } from './drivers/planetscale.ts'
import { postgres } from './drivers/postgres.ts'
import { guarded } from './guarded.ts'

/** Every driver, one line each. */
const drivers: readonly Driver[] = [
  demo,
  neon,
  postgres,
  d1,
  libsql,
  mysql,
  planetscale,
  clickhouse,
]

/**
 * Opens the database that a URL names, without going there. Whatever it is asked passes the guard
 * first. Throws {@link DatabaseError} for a URL that no driver opens, without repeating it.
 */
export function open(url: string, io: Io): Database {
  if (!URL.canParse(url)) {
    throw new DatabaseError(
      'config',
      'The database URL is not one: percent-encode its user and password.',
    )
  }
  const parsed = new URL(url)
  const driver = drivers.find((it) => it.opens(parsed))
  if (driver) return guarded(driver.open(parsed, io))
  throw new DatabaseError(
    'config',
    'No driver opens this database URL. What opens is demo:, a postgres://, neon://, mysql://, libsql://, clickhouse:// or ' +
      'd1:// URL, and hyperdrive: or d1: with the name of a binding.',
  )
}

export { columnsOf, findSource, findTable, listTables } from './catalog.ts'
export type {
  Cell,
  Column,
  Database,
  Dialect,
  Failure,
  Io,
  Limits,
  Param,
  Rows,
  Statement,
  TableName,
} from './database.ts'
export { DatabaseError } from './database.ts'
export { DemoStore } from './demo/demo-store.ts'
export { withoutEnd } from './end.ts'
export type { Examination, Finding, Reported } from './examination.ts'
export { examine, reason, report, unprepared, warning } from './examine.ts'
export { explain } from './explain.ts'
export { admitted } from './guarded.ts'
export type { OverviewColumn } from './overview.ts'
export { fingerprint, keyOf, overview } from './overview.ts'
export { rowSecurity } from './row-security.ts'
export { searching } from './search.ts'
export type { Condition, Operator, Selection } from './select.ts'
export { keyOfOrder, operators, select } from './select.ts'
export { suggest } from './suggest.ts'
export type { ForeignKey, Index, Table, TableColumn, TableList, TableSummary } from './table.ts'
export { shownName } from './table-name.ts'
