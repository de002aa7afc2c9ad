import { DatabaseError, leftAlone } from '../error.ts'
import type { Limits, Statement } from '../rows.ts'
import type { Result } from './answer.ts'
import type { default as Client, ClientConfig } from './pg.mjs'
import { connectFailure, failure } from './tcp-error.ts'
import type { Login } from './tcp-login.ts'

/** What came back, and whether there was too much of it to be read to the end. */
export interface Reading extends Result {
  readonly cut: boolean
}

/**
 * Sends statements, all at once, and returns what the last one did. Each goes by the extended
 * protocol, which refuses a text that holds more than one.
 */
export type Run = (...statements: readonly Statement[]) => Promise<Reading>

/** Bytes of one connection that are read: what is behind them is beyond the cap of any answer. */
const MAX_BYTES = 10 * 1024 * 1024
const SLACK_BYTES = 1024 * 1024

/** A server that has not let anybody in by then is not going to. */
const CONNECT_MS = 10_000

/** What a goodbye may take. */
const LEAVE_MS = 1_000

/** A statement that has been cancelled ends sooner. */
const AGAIN_MS = 100

const raw = { getTypeParser: () => (text: string) => text }

/** One connection to a PostgreSQL server. */
export class Connection {
  readonly #Client: typeof Client
  readonly #login: Login
  readonly #client: Client
  /** Resolves when as much has been read as there is room for. */
  readonly #full = Promise.withResolvers<void>()
  readonly #timeoutMs: number
  /** Bytes that may still come. */
  #room: number
  /** Encryption is agreed upon, and nothing has come through it. */
  #shakingHands = false
  #leaving = false
  /** Settles when all that was asked is answered. */
  #answered: Promise<unknown> = Promise.resolve()

  constructor(PgClient: typeof Client, login: Login, { timeoutMs, maxBytes }: Limits) {
    this.#Client = PgClient
    this.#login = login
    this.#timeoutMs = timeoutMs
    this.#room = Math.min(2 * maxBytes + SLACK_BYTES, MAX_BYTES)
    this.#client = new PgClient(configOf(login))
    // What goes wrong is heard of where somebody waits. Unheard, an error would end the process.
    this.#client.on('error', () => {})
    const { connection } = this.#client
    const { stream } = connection
    stream.on('data', this.#count)
    connection.on('sslconnect', () => {
      this.#shakingHands = true
      if (connection.stream !== stream) connection.stream.on('data', this.#count)
    })
  }

  readonly #count = (chunk: Uint8Array) => {
    this.#shakingHands = false
    this.#room -= chunk.byteLength
    if (this.#room >= 0) return
    const { stream } = this.#client.connection
    stream.removeAllListeners('data')
    stream.destroy()
    this.#full.resolve()
  }

  async open(signal: AbortSignal): Promise<void> {
    const patience = AbortSignal.timeout(Math.min(this.#timeoutMs, CONNECT_MS))
    try {
      await until(AbortSignal.any([signal, patience]), this.#client.connect())
    } catch (error) {
      this.#client.connection.stream.destroy()
      throw connectFailure(error, this.#shakingHands)
    }
  }

  readonly run: Run = async (...statements) => {
    if (this.#leaving) throw leftAlone()
    const work = Promise.all(statements.map((it) => this.#query(it)))
    this.#answered = work.catch(() => {})
    return (await work).at(-1)!
  }

  #query({ sql, params = [] }: Statement): Promise<Reading> {
    return new Promise((resolve, reject) => {
      const rows: (string | null)[][] = []
      let fields: Result['fields'] = []
      const query = new this.#Client.Query({
        text: sql,
        values: params,
        rowMode: 'array',
        queryMode: 'extended',
        types: raw,
      })
      query.on('row', (row, result) => {
        fields = result.fields
        rows.push(row)
      })
      query.on('end', (result) => resolve({ fields: result.fields, rows, cut: false }))
      query.on('error', (error) => reject(failure(error, this.#timeoutMs)))
      void this.#full.promise.then(() => {
        if (rows.length > 0) return resolve({ fields, rows, cut: true })
        reject(new DatabaseError('too_large', 'One row alone is more than can be fetched.', NARROW))
      })
      this.#client.query(query)
    })
  }

  /** Says goodbye; in a hurry, or amid an answer, by having the server give up its work. */
  async leave(hurry: boolean): Promise<void> {
    const patience = AbortSignal.timeout(LEAVE_MS)
    const goodbye =
      hurry || this.#room < 0
        ? this.#giveUp(patience)
        : Promise.all([this.run({ sql: 'rollback' }), this.#client.end()])
    this.#leaving = true
    await until<unknown>(patience, goodbye).catch(() => {})
    this.#client.connection.stream.destroy()
  }

  async #giveUp(patience: AbortSignal): Promise<void> {
    let answered = false
    void this.#answered.then(() => {
      answered = true
    })
    // A cancellation that arrives between two statements has no effect.
    do {
      await this.#cancel(patience)
      await until(AbortSignal.timeout(AGAIN_MS), this.#answered).catch(() => {})
    } while (!answered && !patience.aborted)
  }

  /** Cancels as the protocol has it: on a connection of its own, which the server closes. */
  async #cancel(patience: AbortSignal): Promise<void> {
    const { processID, secretKey } = this.#client
    if (processID === null) return
    const { tls, port, host } = this.#login
    const { connection } = new this.#Client(configOf(this.#login))
    const cancel = () => connection.cancel(processID, secretKey)
    const closed = new Promise<void>((resolve) => {
      connection.on('error', () => resolve())
      connection.on('end', () => resolve())
    })
    connection.on('connect', tls === 'never' ? cancel : () => connection.requestSsl())
    connection.on('sslconnect', cancel)
    connection.connect(port, host)
    await until(patience, closed)
      .catch(() => {})
      .finally(() => connection.stream.destroy())
  }
}

const NARROW = { hint: 'Select fewer columns, or shorter pieces of the long ones.' }

const configOf = (login: Login): ClientConfig => ({
  host: login.host,
  port: login.port,
  user: login.user,
  // A function: else an empty one would be looked for in the environment and in files.
  password: () => login.password,
  database: login.database,
  ssl: login.tls !== 'never',
  options: login.options,
  application_name: login.name,
  pipeline: true,
})

/** What becomes of the work, unless the signal aborts before. */
export function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
