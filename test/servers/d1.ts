import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parametersOf } from './hrana-values.ts'
import { offsetOf, type SqliteServer, serveChild, startChild, TOKEN } from './sqlite-child.ts'

/** Starts a server that answers like Cloudflare's API for D1, in front of SQLite. */
export const startD1 = (setup: Iterable<string>): Promise<SqliteServer> =>
  startChild(import.meta.filename, setup)

if (process.argv[1] === import.meta.filename) {
  const database = new DatabaseSync(process.argv[2]!)
  serveChild((asked, request, response) => {
    const send = ({ status, body }: Answer) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const token = request.headers.authorization
    if (token !== `Bearer ${TOKEN}`)
      return send(failed(403, 10000, `Authentication error: ${token}`))
    if (request.url !== '/client/v4/accounts/an-account/d1/database/a-database/raw') {
      return send(failed(404, 7404, 'The database could not be found'))
    }
    send(answerAsD1(database, asked))
  })
}

interface Answer {
  readonly status: number
  readonly body: object
}

const failed = (status: number, code: number, message: string): Answer => ({
  status,
  body: { success: false, errors: [{ code, message }], messages: [], result: [] },
})

/** The answer of the API to a text and its parameters. */
export function answerAsD1(
  database: DatabaseSync,
  { sql, params }: { readonly sql: string; readonly params: SQLInputValue[] },
): Answer {
  try {
    const began = performance.now()
    const results = runAll(database, sql, params)
    const result = [{ success: true, results, meta: metaOf(performance.now() - began) }]
    return { status: 200, body: { success: true, errors: [], messages: [], result } }
  } catch (thrown) {
    return failed(400, 7500, words(thrown, sql))
  }
}

/** Runs every statement of a text in order, like workerd. Returns the rows of the last one. */
function runAll(database: DatabaseSync, sql: string, params: SQLInputValue[]) {
  const statement = database.prepare(sql)
  const rest = sql.slice(statement.sourceSQL.length)
  const expected = parametersOf(statement.sourceSQL)
  if (/\S/.test(rest.replace(/--[^\n]*|\/\*.*?\*\//gs, ''))) {
    if (expected > 0) {
      throw new Error(
        'When executing multiple SQL statements in a single call, only the last statement can have parameters.',
      )
    }
    statement.all()
    return runAll(database, rest, params)
  }
  if (expected !== params.length) {
    throw new Error('Wrong number of parameter bindings for SQL query.')
  }
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  const rows = statement.all(...params) as unknown as unknown[][]
  return {
    columns: statement.columns().map(({ name }) => name),
    rows: rows.map((it) => it.map(json)),
  }
}

/** D1's metadata about a statement. */
const metaOf = (duration: number) => ({
  ...{ served_by: 'v3-prod', served_by_region: 'WEUR', served_by_colo: 'AMS' },
  ...{ served_by_primary: true, timings: { sql_duration_ms: duration }, duration },
  ...{ changes: 0, last_row_id: 0, changed_db: false, size_after: 16384 },
  ...{ rows_read: 0, rows_written: 0 },
})

/** A value as D1 sends it, which can lose precision. */
function json(value: unknown) {
  if (typeof value === 'bigint') return Number(value)
  return value instanceof Uint8Array ? [...value] : value
}

function words(thrown: unknown, sql: string): string {
  const { message, code } = thrown as Error & { code?: string }
  if (code !== 'ERR_SQLITE_ERROR') return message
  const offset = offsetOf(message, sql)
  return `${message}${offset === undefined ? '' : ` at offset ${offset}`}: SQLITE_ERROR`
}
