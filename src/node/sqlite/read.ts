import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  type Answer,
  assertReads,
  blob,
  type Cell,
  cell,
  commonClass,
  DatabaseError,
  ONE_STATEMENT,
  PARAMETERS,
  type Param,
  PRAGMA,
  probe,
  RowCollector,
  unwrapped,
  withoutExplain,
} from '../../database/sqlite/reader.ts'
import { connect } from './connection.ts'
import { look, pause } from './look.ts'
import { isNoPlaceholder, mayPass, said } from './said.ts'

/** A question for the process that reads a SQLite file. */
export interface Question {
  readonly path: string
  readonly sql: string
  readonly params: readonly Param[]
  readonly maxRows: number
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** The process's reply: a receipt for the question, and then rows, or the parts of a DatabaseError. */
export type ReaderReply =
  | 'begun'
  | { readonly answer: Answer }
  | { readonly error: Pick<DatabaseError, 'kind' | 'message' | 'code' | 'hint' | 'position'> }

/** The pause before a file that changed meanwhile, or seems to have changed, is checked again. */
const PAUSE_MS = 10
const MAX_SEEMING = 10

/** Answers a question. It opens the file each time, so it reads the one that is at the path now. */
export function read(question: Question): Answer {
  // The other half of the time is for the statement.
  const until = Date.now() + question.timeoutMs / 2
  for (let tries = 1; ; tries++) {
    const { uri, isLocked, holds } = look(question.path)
    const outcome = outcomeOf(uri, question)
    if (outcome instanceof DatabaseError) {
      if (holds() && !(mayPass(outcome) && tries < MAX_SEEMING)) throw outcome
    } else if (isLocked || holds()) return outcome
    if (Date.now() > until) {
      throw new DatabaseError('network', 'The file was changed while it was read. Try again.')
    }
    pause(PAUSE_MS)
  }
}

function outcomeOf(uri: string, question: Question): Answer | DatabaseError {
  try {
    return readFrom(uri, question)
  } catch (thrown) {
    return said(thrown, question.sql)
  }
}

function readFrom(uri: string, question: Question): Answer {
  const database = connect(uri, question.timeoutMs)
  try {
    const [explain, query] = withoutExplain(question.sql)
    prove(database, query)
    return answer(compile(database, explain + query), question)
  } finally {
    database.close()
  }
}

/** Throws unless a string is one query whose program writes nothing. This does not run the query. */
function prove(database: DatabaseSync, query: string): void {
  // As a table, a pragma runs in a program that EXPLAIN does not show.
  if (PRAGMA.test(query) || /pragma_optimize/i.test(query)) {
    throw new DatabaseError('refused', 'This database is read-only: that would write.')
  }
  try {
    database.prepare(probe(query))
  } catch (thrown) {
    const error = said(thrown, probe(query))
    throw error.kind === 'sql' ? unwrapped(error, query) : error
  }
  const program = compile(database, `explain ${query}`)
  program.setReadBigInts(false)
  assertReads(program.all() as unknown as unknown[][])
}

/** Compiles a string that is one statement. Node would ignore anything after the first one. */
function compile(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql)
  if (statement.sourceSQL !== sql) throw new DatabaseError('refused', ONE_STATEMENT)
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  return statement
}

/** A value as Node returns it. */
type NodeSqliteValue = null | bigint | number | string | Uint8Array

function answer(statement: StatementSync, { params, maxRows, maxBytes }: Question): Answer {
  const columns = statement.columns()
  const collector = new RowCollector({ maxRows, maxBytes, timeoutMs: 0 })
  const classes = columns.map(() => new Set<string>())
  for (const row of rowsOf(statement, params)) {
    if (!collector.add(row.map((it) => cellOf(it, maxBytes)))) break
    for (const [i, it] of row.entries()) classes[i]!.add(classOf(it))
  }
  return {
    columns: columns.map(({ name, type }, i) => ({
      name,
      type: type?.toLowerCase() || commonClass([...classes[i]!]),
    })),
    rows: collector.rows,
    truncated: collector.truncated,
  }
}

/** Runs a statement with a value for each placeholder, no more and no fewer. */
function rowsOf(statement: StatementSync, params: readonly Param[]): Iterable<NodeSqliteValue[]> {
  const values = params.map(argument)
  const rowsWith = (bound: BoundValues) => {
    try {
      return statement.iterate(...(bound as SQLInputValue[])) as unknown as Iterable<
        NodeSqliteValue[]
      >
    } catch (thrown) {
      if (isNoPlaceholder(thrown)) return undefined
      throw thrown
    }
  }
  // A placeholder without a value would be NULL. If one more value can be bound, there is such a placeholder.
  const tooFew = forms.some((form) => rowsWith(form([...values, null])))
  const rows = tooFew ? undefined : (rowsWith(inOrder(values)) ?? rowsWith(byNumber(values)))
  if (rows) return rows
  throw new DatabaseError('sql', PARAMETERS)
}

type BoundValues = [Record<string, SQLInputValue>] | SQLInputValue[]

const inOrder = (values: readonly SQLInputValue[]): BoundValues => [...values]

/** The first Node versions that read `?1` treat it as a name. */
const byNumber = (values: readonly SQLInputValue[]): BoundValues => [
  Object.fromEntries(values.map((it, i) => [`?${i + 1}`, it])),
]

const forms = [inOrder, byNumber]

const argument = (param: Param) => {
  const value = typeof param === 'boolean' ? Number(param) : param
  return Number.isSafeInteger(value) ? BigInt(value as number) : value
}

function cellOf(value: NodeSqliteValue, maxBytes: number): Cell {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  }
  if (value instanceof Uint8Array) return blob(value)
  // One character too many is enough to exceed the limit, so a long string is not encoded to count its bytes.
  if (typeof value === 'string') return value.slice(0, maxBytes + 1)
  return cell(value)
}

function classOf(value: NodeSqliteValue): string {
  if (value === null) return 'null'
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return 'real'
  return typeof value === 'string' ? 'text' : 'blob'
}
