import type { DatabaseSync } from 'node:sqlite'
import Libsql from 'libsql'

type Value = string | number | bigint | Uint8Array | null

/** libSQL's own engine with the part of the API of node:sqlite that the servers here use. */
export function openLibsql(file: string): DatabaseSync {
  const database = new Libsql(file)
  const prepare = (sql: string) => {
    const statement = database.prepare(sql)
    const rows = (values: readonly Value[]): unknown[] => {
      if (statement.reader) return statement.all(...values)
      statement.run(...values)
      return []
    }
    return {
      setReadBigInts: (yes: boolean) => void statement.safeIntegers(yes),
      setReturnArrays: (yes: boolean) => void (statement.reader && statement.raw(yes)),
      columns: () => statement.columns(),
      all: (...values: Value[]) => rows(values),
      iterate: (...values: Value[]) =>
        statement.reader ? statement.iterate(...values) : rows(values),
      get: (...values: Value[]) => rows(values)[0],
    }
  }
  return {
    prepare,
    get isTransaction() {
      return database.inTransaction
    },
    close: () => void database.close(),
  } as unknown as DatabaseSync
}
