import { DatabaseError } from '../error.ts'
import { Unreadable } from '../guard/token.ts'
import type { Answer, Cell, Param } from '../rows.ts'
import { sqliteError } from '../sqlite/error.ts'
import { decodeExact, type Exact, encodeExact } from '../sqlite/exact.ts'
import { assertReads } from '../sqlite/program.ts'
import { assertSingle } from '../sqlite/single.ts'
import { cell, classOf, commonClass, mayBeRounded, type SqliteValue } from '../sqlite/values.ts'
import { assertBounded } from './bounded.ts'
import type { Counts } from './counts.ts'
import { assertPreparable } from './expansion.ts'
import { lexSql } from './lexed-sql.ts'

/** One query, and the caps of its answer. */
export interface Query {
  readonly sql: string
  readonly params: readonly Param[]
  readonly maxRows: number
  readonly maxBytes: number
  readonly timeoutMs: number
}

/**
 * Answers a query from the SQLite of a Durable Object. It does not rely on the guard: it checks itself
 * that the query only reads. Its caller still rolls back. Throws {@link DatabaseError}.
 */
export function read(storage: SqlStorage, counts: Counts, query: Query): Answer {
  const [, explain = '', text = ''] = EXPLAIN.exec(query.sql) ?? []
  try {
    assertPreparable(lexSql(text))
    assertSingle(storage, text)
    const params = query.params.map((param) => (typeof param === 'boolean' ? Number(param) : param))
    const run = (sql: string) => storage.exec(sql, ...params)
    assertReads(run(`explain ${text}`).raw())
    if (explain) return answer(run(explain + text), query)

    assertBounded(text, run, query.params, counts, query.timeoutMs)
    return answer(run(text), query, (columns) => run(encodeExact(text, columns, query.maxRows + 1)))
  } catch (thrown) {
    if (thrown instanceof Unreadable) throw new DatabaseError('refused', thrown.message)
    throw thrown instanceof DatabaseError ? thrown : sqliteError(thrown)
  }
}

/** A statement in two: its EXPLAIN, if it has one, and what is to be explained. */
const EXPLAIN = /^(\s*explain\s+(?:query\s+plan\s+)?)?(.*)$/is

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>

/**
 * Reads a cursor to its end or to a cap. If integers came rounded, it reads a second cursor, of the same
 * rows with exact values.
 */
function answer(cursor: Cursor, query: Query, exact?: (columns: number) => Cursor): Answer {
  const names = cursor.columnNames
  let rounded = false
  let taken = take(cursor.raw(), query, (value) => {
    rounded ||= mayBeRounded(value)
    return { type: classOf(value), cell: cell(value) }
  })
  if (exact && rounded) {
    const marks = exact(names.length).raw<(null | number | string)[]>()
    taken = take(marks, query, decodeExact)
  }
  const columns = names.map((name, i) => ({
    name,
    type: commonClass(taken.types.map((row) => row[i] ?? 'null')),
  }))
  return { columns, rows: taken.rows, truncated: taken.truncated }
}

/** The rows up to a cap. The cursor makes them one by one, so the rest is never computed. */
function take<Value extends SqliteValue>(
  rows: Iterable<readonly Value[]>,
  { maxRows, maxBytes }: Query,
  read: (value: Value) => Exact,
) {
  const taken: Cell[][] = []
  const types: string[][] = []
  let bytes = 0
  for (const row of rows) {
    if (taken.length === maxRows) return { rows: taken, types, truncated: 'rows' as const }
    const values = row.map(read)
    const cells = values.map(({ cell }) => cell)
    bytes += new TextEncoder().encode(JSON.stringify(cells)).length + 1
    if (bytes > maxBytes) {
      if (taken.length > 0) return { rows: taken, types, truncated: 'bytes' as const }
      throw new DatabaseError(
        'too_large',
        `The first row alone is over ${maxBytes} bytes: select fewer columns, or a substr() of the long ones.`,
      )
    }
    taken.push(cells)
    types.push(values.map(({ type }) => type))
  }
  return { rows: taken, types, truncated: false as const }
}
