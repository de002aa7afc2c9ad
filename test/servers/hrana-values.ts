import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { offsetOf } from './sqlite-child.ts'

/** A value in a message: an integer as digits, bytes in Base64. */
export type Wire = {
  readonly type: string
  readonly value?: string | number
  readonly base64?: string
}

/** The value that SQLite binds for a value in a message. */
export const fromWire = ({ type, value, base64 }: Wire) => {
  if (type === 'blob') return new Uint8Array(Buffer.from(base64!, 'base64'))
  return type === 'integer' ? BigInt(value!) : (value ?? null)
}

// It is missing in the types of ES2024.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): number }

/** The value in a message for a value from SQLite. */
export function toWire(value: unknown): Wire {
  if (typeof value === 'bigint') return { type: 'integer', value: String(value) }
  // Like in libSQL's JSON, an infinity is null, and a minus zero keeps its sign.
  if (typeof value === 'number') {
    return { type: 'float', value: Object.is(value, -0) ? rawJSON('-0.0') : value }
  }
  if (typeof value === 'string') return { type: 'text', value }
  if (!(value instanceof Uint8Array)) return { type: 'null' }
  return { type: 'blob', base64: Buffer.from(value).toString('base64').replace(/=+$/, '') }
}

/** The columns of a statement. */
export const described = (statement: StatementSync) =>
  statement.columns().map(({ name, type }) => ({ name, decltype: type }))

/** The columns of a text that is one statement. */
export const columnsOf = (database: DatabaseSync, sql: string) => described(database.prepare(sql))

/** Like libSQL, describes only the first statement of a text. */
export function describe(database: DatabaseSync, sql: string) {
  const is_explain = /^\s*explain/i.test(sql)
  const program = database.prepare(is_explain ? sql : `explain ${sql}`).all()
  const is_readonly = !program.some(({ opcode, p2 }) => opcode === 'Transaction' && p2 !== 0)
  const params = Array.from({ length: parametersOf(sql) }, () => ({ name: null }))
  return { params, cols: columnsOf(database, sql), is_explain, is_readonly }
}

/** The number of parameters of a statement, which no SQLite engine for Node returns. */
export function parametersOf(sql: string): number {
  const outside = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*.*?\*\//gs, ' ')
  let most = 0
  const names = new Set<string>()
  for (const [text, number] of outside.matchAll(/\?(\d*)|[$:@]\w+/g)) {
    if (number) most = Math.max(most, Number(number))
    else if (text === '?' || !names.has(text)) most++
    names.add(text)
  }
  return most
}

/** An error in libSQL's format. */
export function failure(thrown: unknown, sql: string) {
  const { message } = thrown as Error
  const offset = offsetOf(message, sql)
  return offset === undefined
    ? { message: `SQLite error: ${message}`, code: 'SQLITE_UNKNOWN' }
    : { message: `SQL input error: ${message} (at offset ${offset})`, code: 'SQL_INPUT_ERROR' }
}
