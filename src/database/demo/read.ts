import { DatabaseError } from '../error.ts'
import { lex } from '../guard/lexer.ts'
import { Unreadable } from '../guard/token.ts'
import type { Answer, Param } from '../rows.ts'
import { sqliteError } from '../sqlite/error.ts'
import { decodeExact, encodeExact, exactAnswer } from '../sqlite/exact.ts'
import { withoutExplain } from '../sqlite/explain-prefix.ts'
import { assertReads } from '../sqlite/program.ts'
import { rules } from '../sqlite/rules.ts'
import { assertSingle } from '../sqlite/single.ts'
import { cell, classOf, mayBeRounded } from '../sqlite/values.ts'
import { assertBounded } from './bounded.ts'
import { assertPreparable } from './statement-size.ts'
import type { Counts } from './table-sizes.ts'

/** One query, and the limits for its answer. */
export interface DemoQuery {
  readonly sql: string
  readonly params: readonly Param[]
  readonly maxRows: number
  readonly maxBytes: number
}

/**
 * Answers a query from a Durable Object's SQLite. It does not rely on the guard: it checks itself that
 * the query only reads. Its caller still rolls back. Throws {@link DatabaseError}.
 */
export function read(storage: SqlStorage, counts: Counts, query: DemoQuery): Answer {
  const [explain, text] = withoutExplain(query.sql)
  try {
    const tokens = lex(text, rules.lexis)
    assertPreparable(tokens)
    assertSingle(storage, text)
    const params = query.params.map((param) => (typeof param === 'boolean' ? Number(param) : param))
    const run = (sql: string) => storage.exec(sql, ...params)
    assertReads(run(`explain ${text}`).raw())
    if (explain) return answer(run(explain + text), query)

    assertBounded(text, tokens, run, query.params, counts)
    return answer(run(text), query, (columns) => run(encodeExact(text, columns, query.maxRows + 1)))
  } catch (thrown) {
    if (thrown instanceof Unreadable) throw new DatabaseError('refused', thrown.message)
    throw thrown instanceof DatabaseError ? thrown : sqliteError(thrown)
  }
}

type DemoCursor = SqlStorageCursor<Record<string, SqlStorageValue>>

/**
 * Reads a cursor as far as the limits allow. It produces the rows one by one, so the rest is never computed. If they
 * contain rounded integers, a second cursor reads the same rows with exact values.
 */
function answer(
  cursor: DemoCursor,
  query: DemoQuery,
  exact?: (columns: number) => DemoCursor,
): Answer {
  const names = cursor.columnNames
  let rounded = false
  const found = exactAnswer(names, cursor.raw(), query, (value) => {
    rounded ||= mayBeRounded(value)
    return { type: classOf(value), cell: cell(value) }
  })
  if (!exact || !rounded) return found
  const marks = exact(names.length).raw<(null | number | string)[]>()
  return exactAnswer(names, marks, query, decodeExact)
}
