import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { offsetOf } from './sqlite-child.ts'

/** A value as it travels: an integer as its digits, bytes in Base64. */
export type Wire = {
  readonly type: string
  readonly value?: string | number
  readonly base64?: string
}

/** What SQLite binds for a value that came. */
export const fromWire = ({ type, value, base64 }: Wire) => {
  if (type === 'blob') return new Uint8Array(Buffer.from(base64!, 'base64'))
  return type === 'integer' ? BigInt(value!) : (value ?? null)
}

// The types of ES2024 do not know it yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): number }

/** What is sent for a value of SQLite's. */
export function toWire(value: unknown): Wire {
  if (typeof value === 'bigint') return { type: 'integer', value: String(value) }
  // As in libSQL's JSON, an infinity is null and a minus zero is one.
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

/** The columns of a text that is one. */
export const columnsOf = (database: DatabaseSync, sql: string) => described(database.prepare(sql))

/** Like libSQL, looks no further than the first statement of a text. */
export function describe(database: DatabaseSync, sql: string) {
  const is_explain = /^\s*explain/i.test(sql)
  const program = database.prepare(is_explain ? sql : `explain ${sql}`).all()
  const is_readonly = !program.some(({ opcode, p2 }) => opcode === 'Transaction' && p2 !== 0)
  const params = Array.from({ length: parametersOf(sql) }, () => ({ name: null }))
  return { params, cols: columnsOf(database, sql), is_explain, is_readonly }
}

/** How many values a statement takes: no engine for Node tells. */
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

/** An error as libSQL tells it. */
export function failure(thrown: unknown, sql: string) {
  const { message } = thrown as Error
  const offset = offsetOf(message, sql)
  return offset === undefined
    ? { message: `SQLite error: ${message}`, code: 'SQLITE_UNKNOWN' }
    : { message: `SQL input error: ${message} (at offset ${offset})`, code: 'SQL_INPUT_ERROR' }
}
