import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

type SqlValue = ArrayBuffer | string | number | null
type SqlRow = Record<string, SqlValue>

/** The platform's SQL interface for an object, on Node's SQLite. */
export class Sql {
  readonly #database: () => DatabaseSync
  readonly #wrote: () => void

  /** @param wrote Called on each change. */
  constructor(database: () => DatabaseSync, wrote: () => void) {
    this.#database = database
    this.#wrote = wrote
  }

  /** Runs one statement. A write is complete when this returns; a query produces its rows one by one. */
  exec(sql: string, ...values: readonly unknown[]): Cursor {
    const statement = inItsWords(sql, () => prepared(this.#database(), sql))
    if (parametersIn(sql) !== values.length) {
      throw new Error('Wrong number of parameter bindings for SQL query.')
    }
    const bound = values.map(inputOf)
    const columns = statement.columns().map(({ name }) => name)
    if (columns.length === 0) {
      const { changes } = inItsWords(sql, () => statement.run(...bound))
      // If a new empty table is lost, it is created again. Only these statements report changes; others are writes.
      if (changes > 0 || !/^\s*(?:create|delete|insert|replace|update)\b/i.test(sql)) this.#wrote()
      return new Cursor(columns, [], sql, Number(changes))
    }
    const made = () => statement.iterate(...bound) as unknown as Iterable<readonly unknown[]>
    if (!/\breturning\b/i.test(sql)) return new Cursor(columns, made(), sql, 0)
    const rows = inItsWords(sql, () => [...made()])
    if (rows.length > 0) this.#wrote()
    return new Cursor(columns, rows, sql, rows.length)
  }
}

/** The rows of a statement. They can be read once. */
export class Cursor {
  readonly columnNames: string[]
  /** The number of rows that an insert, update or delete changed, without index rows. */
  readonly rowsWritten: number
  readonly #rows: Iterator<readonly unknown[]>
  readonly #sql: string

  constructor(
    columnNames: string[],
    rows: Iterable<readonly unknown[]>,
    sql: string,
    rowsWritten: number,
  ) {
    this.columnNames = columnNames
    this.rowsWritten = rowsWritten
    this.#rows = rows[Symbol.iterator]()
    this.#sql = sql
  }

  *raw(): IterableIterator<SqlValue[]> {
    try {
      for (;;) {
        const { done, value } = inItsWords(this.#sql, () => this.#rows.next())
        if (done) return
        yield value.map(outputOf)
      }
    } finally {
      // A statement that has not reached its end would stay open.
      this.#rows.return?.()
    }
  }

  *[Symbol.iterator](): IterableIterator<SqlRow> {
    for (const row of this.raw()) yield this.#named(row)
  }

  toArray(): SqlRow[] {
    return [...this]
  }

  one(): SqlRow {
    const [row, more] = this.toArray()
    if (row && !more) return row
    throw new Error(
      `Expected exactly one result from SQL query, but got ${more ? 'multiple' : 'no'} results.`,
    )
  }

  #named(row: readonly SqlValue[]): SqlRow {
    return Object.fromEntries(this.columnNames.map((name, i) => [name, row[i] ?? null]))
  }
}

/** Prepares a string that is one statement. `prepare` stops after the first one, whose text it stores. */
function prepared(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql)
  if (/[^\s;]/.test(sql.slice(statement.sourceSQL.length))) {
    throw new Error('A string with multiple SQL statements is not run.')
  }
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  return statement
}

// Strings, quoted names, comments, numbers and words. Any other question mark is a parameter.
const TOKEN =
  /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\[[^\]]*\]?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[A-Za-z_\x80-\uffff][\w$\x80-\uffff]*|\?(\d*)/g

/** Counts the parameters in a statement. SQLite has already parsed its text, so all quotes are closed. */
function parametersIn(sql: string): number {
  let count = 0
  for (const [, number] of sql.matchAll(TOKEN)) {
    if (number !== undefined) count = number ? Math.max(count, Number(number)) : count + 1
  }
  return count
}

const inputOf = (value: unknown): SQLInputValue => {
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  return (value ?? null) as SQLInputValue
}

/** A value as the platform returns it: integers as doubles, however large. */
function outputOf(value: unknown): SqlValue {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint8Array) return value.slice().buffer as ArrayBuffer
  return value as SqlValue
}

/** Rewrites a statement's error in the platform's form: `no such table: x: SQLITE_ERROR`. */
function inItsWords<T>(sql: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { errcode, message } = error as { errcode?: unknown; message: string }
    if (typeof errcode !== 'number') throw error
    const name = NAMES[errcode & 0xff] ?? 'ERROR'
    const at = offsetOf(message, sql)
    throw new Error(`${message}${at < 0 ? '' : ` at offset ${at}`}: SQLITE_${name}`)
  }
}

/** The error's offset in bytes: SQLite names the word, so it is known only if the word occurs once. Otherwise -1. */
function offsetOf(message: string, sql: string): number {
  const word = /^near "(.+)": |^no such (?:column|function): "?([^"\s]+)/s.exec(message)
  const text = word?.[1] ?? word?.[2]
  const at = text ? sql.indexOf(text) : -1
  if (at < 0 || sql.includes(text!, at + 1)) return -1
  return Buffer.byteLength(sql.slice(0, at))
}

const NAMES: Readonly<Record<number, string>> = {
  ...{ 1: 'ERROR', 2: 'INTERNAL', 3: 'PERM', 4: 'ABORT', 5: 'BUSY', 6: 'LOCKED', 7: 'NOMEM' },
  ...{ 8: 'READONLY', 9: 'INTERRUPT', 10: 'IOERR', 11: 'CORRUPT', 13: 'FULL', 14: 'CANTOPEN' },
  ...{ 17: 'SCHEMA', 18: 'TOOBIG', 19: 'CONSTRAINT', 20: 'MISMATCH', 21: 'MISUSE', 23: 'AUTH' },
  25: 'RANGE',
}
