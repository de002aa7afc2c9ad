import { DatabaseError, UNBOUND } from '../error.ts'
import type { Limits, Param, Statement } from '../rows.ts'
import { type Patience, patience } from '../transport/deadline.ts'
import { limited } from './limit.ts'
import type {
  Connection,
  ConnectionConfig,
  Field,
  default as Library,
  Prepared,
} from './mysql2.mjs'
import {
  CHECKS,
  check,
  noQuery,
  READ_ONLY,
  type Server,
  serverOf,
  settings,
  standsAlone,
} from './read-only.ts'
import { connectFailure, failure } from './tcp-error.ts'
import type { Login } from './tcp-login.ts'
import type { Raw } from './values.ts'

/** What came back, and whether there was too much of it to be read to the end. */
export interface Reading {
  readonly fields: readonly Field[]
  readonly rows: readonly (readonly Raw[])[]
  readonly cut: boolean
}

/**
 * Runs one statement in a session of its own, and ends it, whatever happens: a Worker cannot keep a
 * socket from one request to the next. When the time is over or the caller leaves, the server is told
 * to stop. Throws {@link DatabaseError}.
 */
export async function runReadOnly(
  login: Login,
  statement: Statement,
  limits: Limits,
): Promise<Reading> {
  const wait = patience(limits, 2_000)
  let session: Session | undefined
  try {
    // Loaded by the first query that needs it: other deployments never do.
    const { default: library } = await wait.race(import('./mysql2.mjs'))
    session = new Session(library, login, limits)
    return await wait.race(session.read(statement))
  } catch (error) {
    throw wait.over() ?? error
  } finally {
    await session?.leave(wait.signal.aborted)
  }
}

/** Bytes of one session that are read: what is behind them is beyond the cap of any answer. */
const MAX_BYTES = 10 * 1024 * 1024
const SLACK_BYTES = 1024 * 1024

/** What a goodbye may take. */
const LEAVE_MS = 1_000

/** "Unknown system variable". */
const UNKNOWN_VARIABLE = '1193'

class Session {
  readonly #library: typeof Library
  readonly #login: Login
  readonly #limits: Limits
  readonly #connection: Connection
  #cut = false

  constructor(library: typeof Library, login: Login, limits: Limits) {
    this.#library = library
    this.#login = login
    this.#limits = limits
    this.#connection = library.createConnection(configOf(login, limits.timeoutMs))
    // What goes wrong is heard of where somebody waits. Unheard, an error would end the process.
    this.#connection.on('error', () => {})
  }

  async read(statement: Statement): Promise<Reading> {
    const { sql, params = [] } = statement
    const server = await opened(this.#connection)
    await this.#run(READ_ONLY)
    await this.#run(settings(this.#limits, server)).catch((error) => {
      if (!(error instanceof DatabaseError) || error.code !== UNKNOWN_VARIABLE) throw error
      // A proxy gave another version than the server behind it has.
      return this.#run(settings(this.#limits, server === 'mysql' ? 'mariadb' : 'mysql'))
    })
    const variables = await this.#run(CHECKS)
    check(variables.map(([name, value]) => [text(name), text(value)]))
    const prepared = await this.#prepare(limited(statement, this.#limits.maxRows + 1)).catch(() =>
      // Whatever is wrong is told of what its author wrote.
      this.#prepare(sql),
    )
    if (prepared.columns.length === 0 && !standsAlone(statement)) throw noQuery()
    if (prepared.parameters.length !== params.length) {
      const { length } = prepared.parameters
      throw new DatabaseError(
        'sql',
        `Send a value for each placeholder ?: there are ${length}, and ${params.length} values came.`,
        { hint: UNBOUND },
      )
    }
    return await this.#execute(prepared, params)
  }

  /** Runs a statement of our own. */
  #run(sql: string): Promise<readonly (readonly unknown[])[]> {
    return new Promise((resolve, reject) => {
      this.#connection.query(sql, (error, rows) =>
        error ? reject(failure(error, this.#limits.timeoutMs)) : resolve(rows),
      )
    })
  }

  /** Has the server read a statement without running it. It takes one, and no more. */
  #prepare(sql: string): Promise<Prepared> {
    return new Promise((resolve, reject) => {
      this.#connection.prepare(sql, (error, prepared) =>
        error ? reject(failure(error, this.#limits.timeoutMs)) : resolve(prepared),
      )
    })
  }

  #execute(prepared: Prepared, params: readonly Param[]): Promise<Reading> {
    const { maxRows, maxBytes, timeoutMs } = this.#limits
    const { stream } = this.#connection
    return new Promise((resolve, reject) => {
      const rows: Raw[][] = []
      let fields: readonly Field[] = []
      let room = Math.min(2 * maxBytes + SLACK_BYTES, MAX_BYTES)
      const stop = () => {
        this.#cut = true
        stream.removeAllListeners('data')
        if (rows.length > 0) return resolve({ fields, rows, cut: true })
        reject(new DatabaseError('too_large', 'One row alone is more than can be fetched.', NARROW))
      }
      stream.on('data', (chunk: Uint8Array) => {
        room -= chunk.byteLength
        if (room < 0 && !this.#cut) stop()
      })
      // Ends without an 'end' of the command when the connection breaks.
      this.#connection.on('error', (error: unknown) => reject(failure(error, timeoutMs)))
      const { LONGLONG } = this.#library.TypedParameter
      prepared
        // An integer bound as a double is no LIMIT.
        .execute(params.map((it) => (Number.isSafeInteger(it) ? LONGLONG(Number(it)) : it)))
        .on('fields', (it) => {
          fields = it ?? []
        })
        .on('result', (row) => {
          if (this.#cut || !Array.isArray(row)) return
          // A LIMIT of the statement's own may be larger.
          if (rows.length > maxRows) return stop()
          rows.push(row)
        })
        .on('error', (error) => reject(failure(error, timeoutMs)))
        .on('end', () => resolve({ fields, rows, cut: false }))
    })
  }

  /** Says goodbye; in a hurry, or amid an answer, by having the server give up its work. */
  async leave(hurry: boolean): Promise<void> {
    const wait = patience({ ...this.#limits, signal: undefined, timeoutMs: LEAVE_MS })
    const goodbye = hurry || this.#cut ? this.#kill(wait) : ended(this.#connection)
    await wait.race(goodbye).catch(() => {})
    this.#connection.stream.destroy()
  }

  /** Ends the query from another connection, the only place from which a server hears of it. */
  async #kill(wait: Patience): Promise<void> {
    const { threadId } = this.#connection
    if (threadId === null) return
    const other = this.#library.createConnection(configOf(this.#login, LEAVE_MS))
    try {
      await wait.race(opened(other))
      const sql = `kill query ${Number(threadId)}`
      await wait.race(new Promise((resolve) => other.query(sql, resolve)))
    } finally {
      other.on('error', () => {})
      other.stream.destroy()
    }
  }
}

const NARROW = { hint: 'Select fewer columns, or shorter pieces of the long ones.' }

/** Resolves with the kind of server once it has let us in. */
const opened = (connection: Connection) =>
  new Promise<Server>((resolve, reject) => {
    connection.on('error', (error: unknown) => reject(connectFailure(error)))
    connection.once('connect', ({ serverVersion }: { serverVersion: string }) =>
      resolve(serverOf(serverVersion)),
    )
  })

const ended = (connection: Connection) =>
  new Promise<void>((resolve) => {
    connection.on('end', resolve)
    connection.end(() => resolve())
  })

const decoder = new TextDecoder()
const text = (value: unknown) =>
  value instanceof Uint8Array ? decoder.decode(value) : String(value)

/** A server that has not let anybody in by then is not going to. */
const CONNECT_MS = 10_000

/** What comes in a form of its own. All else comes as bytes. */
const FORMED = new Set([
  ...['TINY', 'SHORT', 'LONG', 'INT24', 'LONGLONG', 'YEAR', 'FLOAT', 'DOUBLE', 'NULL'],
  ...['DATE', 'NEWDATE', 'DATETIME', 'TIMESTAMP', 'TIME'],
])

const configOf = (login: Login, timeoutMs: number): ConnectionConfig => ({
  host: login.host,
  port: login.port,
  user: login.user,
  password: login.password,
  database: login.database,
  ssl: login.tls ? { verifyIdentity: true } : undefined,
  connectTimeout: Math.min(timeoutMs, CONNECT_MS),
  charset: 'utf8mb4',
  // Neither would the server be sent a file, nor a name be read as a function for want of a space.
  flags: ['-LOCAL_FILES', '-IGNORE_SPACE', '-MULTI_RESULTS', '-ODBC'],
  multipleStatements: false,
  // A Worker compiles no code while it runs.
  disableEval: true,
  rowsAsArray: true,
  supportBigNumbers: true,
  bigNumberStrings: true,
  dateStrings: true,
  typeCast: (field, next) => (FORMED.has(field.type) ? next() : field.buffer()),
})
