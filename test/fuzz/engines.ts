import { openClickHouse } from './clickhouse.ts'
import { openMariaDb } from './mariadb.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

/** All judges, by name. Each throws if its engine cannot be reached. */
export const engines = {
  sqlite: openSqlite,
  postgres: openPostgres,
  mariadb: openMariaDb,
  clickhouse: openClickHouse,
} as const
