import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Database } from '../../src/database/database.ts'
import { guarded } from '../../src/database/guard/guarded.ts'
import type { Cell } from '../../src/database/rows.ts'
import { sqlite } from '../../src/database/sqlite/dialect.ts'
import { cap } from '../../src/database/transport/row-cap.ts'

/** A guarded SQLite database in memory, created by these statements. */
export function openSqlite(setup: string): Database {
  const database = new DatabaseSync(':memory:')
  database.exec(setup)
  return readSqlite(database)
}

/** Guarded read access to a database that the test can still change. */
export function readSqlite(database: DatabaseSync): Database {
  return guarded({
    dialect: sqlite,
    async query({ sql, params = [] }, limits) {
      const statement = database.prepare(sql)
      statement.setReturnArrays(true)
      const columns = statement.columns().map(({ name, type }) => ({ name, type: type ?? '' }))
      const rows = statement.iterate(...(params as SQLInputValue[]))
      return { columns, ...cap(rows as unknown as Iterable<Cell[]>, limits), elapsedMs: 0 }
    },
  })
}
