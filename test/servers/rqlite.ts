import type { ServerResponse } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { parametersOf } from './hrana-values.ts'
import { type SqliteServer, serveChild, startChild, TOKEN } from './sqlite-child.ts'

/** Starts a server that answers like an rqlite node, in front of Node's SQLite. */
export const startRqlite = (setup: Iterable<string>): Promise<SqliteServer> =>
  startChild(import.meta.filename, setup)

type Value = null | number | string | bigint | Uint8Array

if (process.argv[1] === import.meta.filename) {
  serveChild((statements, request, response) => {
    const url = new URL(request.url!, 'http://rqlite')
    const login = Buffer.from(`reader:${TOKEN}`).toString('base64')
    if (url.pathname !== '/db/query') return send(response, 404, '404 page not found\n')
    if (request.headers.authorization !== `Basic ${login}`) return send(response, 401, '')
    if (request.method !== 'POST') return send(response, 405, '')
    // Each query has a read-only connection.
    const database = new DatabaseSync(process.argv[2]!, { readOnly: true })
    try {
      const results = (statements as (string | Value[])[]).map((it) => {
        const [sql, ...params] = typeof it === 'string' ? [it] : it
        return answer(database, String(sql), params.map(bound))
      })
      send(response, 200, toGoJson({ results }))
    } catch (thrown) {
      send(response, 500, `${(thrown as Error).message}\n`)
    } finally {
      database.close()
    }
  })
}

const send = (response: ServerResponse, status: number, body: string) =>
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(body)

/** The value to bind for a value of a request: a text in a certain format means bytes. */
function bound(value: unknown): Value {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  const [, hex] = /^x'((?:[\da-f]{2})*)'$/i.exec(String(value).trim()) ?? []
  return hex === undefined ? (value as Value) : new Uint8Array(Buffer.from(hex, 'hex'))
}

/** Like Go's driver, prepares every statement of a text, but runs only the last one. */
function answer(database: DatabaseSync, sql: string, params: readonly Value[]) {
  try {
    let rest = sql
    for (let start = 0; ; ) {
      const statement = database.prepare(rest)
      const want = parametersOf(statement.sourceSQL)
      if (params.length - start < want) {
        throw new Error(
          `not enough args to execute query: want ${want} got ${params.length - start}`,
        )
      }
      const values = params.slice(start, start + want)
      start += want
      rest = rest.slice(statement.sourceSQL.length).trim()
      if (rest) continue
      statement.setReadBigInts(true)
      statement.setReturnArrays(true)
      const rows = statement.all(...values) as unknown as Value[][]
      const declared = statement.columns().map(({ type }) => type?.toLowerCase() ?? '')
      const values_ = rows.map((row) => row.map((it, i) => converted(it, declared[i]!)))
      // The first row shows the types that are not declared.
      const types = declared.map((type, i) => type || (rows[0] ? classOf(rows[0][i]!) : ''))
      const columns = statement.columns().map(({ name }) => name)
      return { columns, types, ...(rows.length > 0 && { values: values_ }) }
    }
  } catch (thrown) {
    const { message, code } = thrown as Error & { code?: string }
    // Node's message for a text without a statement.
    if (code === 'ERR_INVALID_STATE') return {}
    return {
      error: message.includes('readonly database')
        ? 'attempt to change database via query operation'
        : message,
    }
  }
}

function classOf(value: Value): string {
  if (value === null) return ''
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return 'real'
  return typeof value === 'string' ? 'text' : 'blob'
}

/** A value as Go's driver returns it, based on the declared type of its column. */
function converted(value: Value, type: string): unknown {
  if (type === 'boolean' && typeof value === 'bigint') return value > 0n
  if (/^(?:timestamp|datetime|date)$/.test(type)) {
    if (typeof value === 'bigint') return time(new Date(Number(value) * 1_000))
    if (typeof value === 'string') return time(new Date(`${value.replace(' ', 'T')}Z`))
  }
  if (value instanceof Uint8Array) {
    const text = /^(?:text|json|$|n?varchar|varying character|nchar|native character|clob)/
    const bytes = Buffer.from(value)
    return type && text.test(type) ? bytes.toString() : bytes.toString('base64')
  }
  return value
}

const time = (date: Date) =>
  Number.isNaN(date.getTime()) ? '0001-01-01T00:00:00Z' : date.toISOString().replace('.000', '')

// It is missing in the types of ES2024.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** JSON as Go writes it: integers as digits, a minus zero with its sign, and no infinity. */
function toGoJson(value: unknown): string {
  return JSON.stringify(value, (_, it) => {
    if (typeof it === 'bigint') return rawJSON(String(it))
    if (Object.is(it, -0)) return rawJSON('-0')
    if (typeof it === 'number' && !Number.isFinite(it)) {
      throw new Error(`json: unsupported value: ${it > 0 ? '+' : '-'}Inf`)
    }
    return it
  })
}
