import type { ServerResponse } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { offsetOf, type SqliteServer, serveChild, startChild, TOKEN } from './sqlite-child.ts'

/** Starts a server that speaks Hrana 3 over HTTP as libSQL's own does, in front of SQLite. */
export const startHrana = (setup: Iterable<string>): Promise<SqliteServer> =>
  startChild(import.meta.filename, setup)

if (process.argv[1] === import.meta.filename) {
  serveChild(async ({ requests, batch }, request, response) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      return send(response, 401, { error: 'Authentication failed' })
    }
    // Each request has a connection of its own, and its answer offers no other on it.
    const database = new DatabaseSync(process.argv[2]!)
    const head = { baton: null, base_url: null }
    if (request.url === '/v3/cursor') await runBatch(database, batch.steps, response, head)
    else send(response, 200, { ...head, results: requests.map(result) })
    database.close()

    function result({ type, sql }: { type: string; sql: string }) {
      try {
        const result = type === 'describe' ? describe(database, sql) : undefined
        return { type: 'ok', response: { type, result, is_autocommit: true } }
      } catch (thrown) {
        return { type: 'error', error: failure(thrown, sql) }
      }
    }
  })
}

const send = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const columnsOf = (database: DatabaseSync, sql: string) =>
  database
    .prepare(sql)
    .columns()
    .map(({ name, type }) => ({ name, decltype: type }))

/** Like libSQL, looks no further than the first statement of a text. */
function describe(database: DatabaseSync, sql: string) {
  const is_explain = /^\s*explain/i.test(sql)
  const program = database.prepare(is_explain ? sql : `explain ${sql}`).all()
  const is_readonly = !program.some(({ opcode, p2 }) => opcode === 'Transaction' && p2 !== 0)
  return { params: [], cols: columnsOf(database, sql), is_explain, is_readonly }
}

interface Step {
  readonly stmt: { readonly sql: string; readonly args?: readonly Wire[] }
  readonly condition?: { readonly step: number }
}

async function runBatch(db: DatabaseSync, steps: Step[], response: ServerResponse, head: object) {
  if (steps.some(({ stmt }) => isMany(db, stmt.sql))) {
    return send(response, 500, { error: 'SQL string contains more than one statement' })
  }
  const write = (entry: object) => response.write(`${JSON.stringify(entry)}\n`)
  write(head)
  const failed = new Set<number>()
  for (const [step, { stmt, condition }] of steps.entries()) {
    if (condition && failed.has(condition.step)) continue
    try {
      write({ type: 'step_begin', step, cols: columnsOf(db, stmt.sql) })
      const statement = db.prepare(stmt.sql)
      statement.setReadBigInts(true)
      statement.setReturnArrays(true)
      for (const row of statement.iterate(...(stmt.args ?? []).map(fromWire))) {
        const ready = write({ type: 'row', row: (row as unknown as unknown[]).map(toWire) })
        if (!ready) await new Promise((go) => response.once('drain', go).once('close', go))
        if (response.destroyed) break
      }
      write({ type: 'step_end', affected_row_count: 0, last_insert_rowid: null })
    } catch (thrown) {
      failed.add(step)
      write({ type: 'step_error', step, error: failure(thrown, stmt.sql) })
    }
  }
  process.send?.({ path: 'done', gone: response.destroyed })
  response.end()
}

function isMany(database: DatabaseSync, sql: string): boolean {
  try {
    return /\S/.test(sql.slice(database.prepare(sql).sourceSQL.length))
  } catch {
    return false
  }
}

function failure(thrown: unknown, sql: string) {
  const { message } = thrown as Error
  const offset = offsetOf(message, sql)
  return offset === undefined
    ? { message: `SQLite error: ${message}`, code: 'SQLITE_UNKNOWN' }
    : { message: `SQL input error: ${message} (at offset ${offset})`, code: 'SQL_INPUT_ERROR' }
}

type Wire = { readonly type: string; readonly value?: string | number; readonly base64?: string }

const fromWire = ({ type, value }: Wire) => (type === 'integer' ? BigInt(value!) : (value ?? null))

function toWire(value: unknown): Wire {
  if (typeof value === 'bigint') return { type: 'integer', value: String(value) }
  // An infinity is null in JSON, as it is in libSQL's.
  if (typeof value === 'number') return { type: 'float', value }
  if (typeof value === 'string') return { type: 'text', value }
  if (!(value instanceof Uint8Array)) return { type: 'null' }
  return { type: 'blob', base64: Buffer.from(value).toString('base64').replace(/=+$/, '') }
}
