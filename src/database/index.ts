import { clickhouse } from './clickhouse/driver.ts'
import { type Database, DatabaseError, type Driver, type Io } from './database.ts'
import { demo } from './demo/driver.ts'
import { guarded } from './guard/guarded.ts'
import { planetscale } from './mysql/planetscale.ts'
import { mysql } from './mysql/tcp.ts'
import { neon } from './postgres/neon.ts'
import { postgres } from './postgres/tcp.ts'
import { d1 } from './sqlite/d1.ts'
import { libsql } from './sqlite/libsql.ts'

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
export { examine, reason, report, unprepared, warning } from './doctor/examine.ts'
export { admitted } from './guard/guarded.ts'
export type { Examination, Finding, Reported } from './role.ts'
export { columnsOf, findSource, findTable, listTables } from './schema/catalog.ts'
export { suggest } from './schema/hints.ts'
export type { OverviewColumn } from './schema/overview.ts'
export { fingerprint, keyOf, overview } from './schema/overview.ts'
export { rowSecurity } from './schema/row-security.ts'
export type {
  ForeignKey,
  Index,
  Table,
  TableColumn,
  TableList,
  TableSummary,
} from './schema/table.ts'
export { shownName } from './schema/table-name.ts'
export { explain } from './statements/explain.ts'
export type { Condition, Operator, Selection } from './statements/select.ts'
export { keyOfOrder, operators, select } from './statements/select.ts'
export { searching } from './statements/text-search.ts'
export { withoutEnd } from './transport/end.ts'
