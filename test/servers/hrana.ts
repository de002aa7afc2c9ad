import type { ServerResponse } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { execute, executeAll, isMany, type Step, type Stmt } from './hrana-batch.ts'
import { columnsOf, describe, failure, fromWire, toWire } from './hrana-values.ts'
import { openLibsql } from './libsql-engine.ts'
import { type SqliteServer, serveChild, startChild, TOKEN } from './sqlite-child.ts'

/** Starts a server that speaks Hrana 3 over HTTP like libSQL's own, in front of Node's SQLite or libSQL. */
export const startHrana = (setup: Iterable<string>, engine?: 'libsql'): Promise<SqliteServer> =>
  startChild(import.meta.filename, setup, engine)

const [, , file = '', engine] = process.argv
const open = () => (engine === 'libsql' ? openLibsql(file) : new DatabaseSync(file))

if (process.argv[1] === import.meta.filename) {
  serveChild(async ({ requests, batch }, request, response) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      return send(response, 401, { error: 'Authentication failed' })
    }
    // A client checks whether this version is supported.
    if (request.method === 'GET') return send(response, request.url === '/v3' ? 200 : 404, {})
    // Each request has its own connection, so the answer has no baton for another one.
    const database = open()
    const head = { baton: null, base_url: null }
    if (request.url !== '/v3/cursor') {
      send(response, 200, { ...head, results: answers(database, requests) })
    } else if (batch.steps.some(({ stmt }: Step) => isMany(file, stmt.sql!))) {
      send(response, 500, { error: 'SQL string contains more than one statement' })
    } else {
      response.write(`${JSON.stringify(head)}\n`)
      for (const entry of entries(database, batch.steps)) {
        const ready = response.write(`${JSON.stringify(entry)}\n`)
        if (!ready) await new Promise((go) => response.once('drain', go).once('close', go))
        if (response.destroyed) break
      }
      process.send?.({ path: 'done', gone: response.destroyed })
      response.end()
    }
    database.close()
  })
}

interface Asked {
  readonly type: string
  readonly sql?: string
  readonly sql_id?: number
  readonly stmt?: Stmt
  readonly batch?: { readonly steps: readonly Step[] }
}

/** The answers to the requests of a pipeline, in order. */
export function answers(database: DatabaseSync, requests: readonly Asked[]) {
  const stored = new Map<number | undefined, string>()
  const textOf = ({ sql, sql_id }: Stmt) => sql ?? stored.get(sql_id)!
  const kinds: Record<string, (asked: Asked) => unknown> = {
    describe: ({ sql }) => describe(database, sql!),
    execute: ({ stmt }) => execute(database, textOf(stmt!), stmt!),
    batch: ({ batch }) => executeAll(database, batch!.steps, textOf),
    store_sql: ({ sql, sql_id }) => void stored.set(sql_id, sql!),
  }
  return requests.map((asked) => {
    const { type } = asked
    try {
      const result = kinds[type]?.(asked)
      return { type: 'ok', response: { type, result, is_autocommit: true } }
    } catch (thrown) {
      return { type: 'error', error: failure(thrown, asked.sql ?? asked.stmt?.sql ?? '') }
    }
  })
}

const send = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** The answer to a batch, in pieces. */
export function* entries(database: DatabaseSync, steps: readonly Step[]) {
  const failed = new Set<number>()
  for (const [step, { stmt, condition }] of steps.entries()) {
    if (condition && failed.has(condition.step!)) continue
    try {
      yield { type: 'step_begin', step, cols: columnsOf(database, stmt.sql!) }
      const statement = database.prepare(stmt.sql!)
      statement.setReadBigInts(true)
      statement.setReturnArrays(true)
      for (const row of statement.iterate(...(stmt.args ?? []).map(fromWire))) {
        yield { type: 'row', row: (row as unknown as unknown[]).map(toWire) }
      }
      yield { type: 'step_end', affected_row_count: 0, last_insert_rowid: null }
    } catch (thrown) {
      failed.add(step)
      yield { type: 'step_error', step, error: failure(thrown, stmt.sql!) }
    }
  }
}
