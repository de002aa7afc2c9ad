import type { Io } from '../../database.ts'
import { cancelledByCaller } from '../../error.ts'
import type { QueryContext } from '../../rows.ts'
import { ByteBudget, type ByteRoom } from '../../transport/byte-budget.ts'
import { until } from '../../transport/deadline.ts'
import type { PostgresResult } from '../answer.ts'
import { configOf, type Extras, type PostgresLogin } from '../libpq/login.ts'
import type { default as Client } from '../pg.mjs'
import { type Binding, bindingOf } from './binding.ts'
import { cancelUntil } from './cancel.ts'
import { connectFailure } from './error.ts'
import { query, type SentStatement } from './query.ts'

/** Sends all statements at once, and returns the result of the last one. */
export type RunStatements = (...statements: readonly SentStatement[]) => Promise<PostgresResult>

/** Time limit for closing the connection. */
const LEAVE_MS = 1_000

/** The server parameters that are stored. An untrusted server could report any number of other parameters. */
const REPORTED = ['in_hot_standby', 'default_transaction_read_only']

interface ParameterStatus {
  readonly parameterName: string
  readonly parameterValue: string
}

/** One connection to a PostgreSQL server. */
export class PostgresConnection {
  readonly login: PostgresLogin
  /** The stored parameters that the server has reported. */
  readonly reported: ReadonlyMap<string, string>
  readonly #Client: typeof Client
  readonly #client: Client
  readonly #waitUntil: Io['waitUntil']
  readonly #budget = new ByteBudget({ maxBytes: 0 })
  /** True after both sides have agreed on encryption, until data arrives through it. */
  #shakingHands = false
  #isClosed = false
  #leaving: Promise<void> | undefined
  readonly #extras: Extras | undefined
  readonly #binding: Binding | undefined
  /** Number of transactions that may have left state in the session. */
  #traces = 0
  /** Settles when the server has discarded that state. */
  #forgetting: Promise<unknown> = Promise.resolve()
  /** Number of unanswered statements. */
  #pending = 0
  /** Settles when all statements have been answered. */
  #answered: Promise<unknown> = Promise.resolve()

  constructor(
    PgClient: typeof Client,
    login: PostgresLogin,
    waitUntil: Io['waitUntil'],
    extras?: Extras,
    stream?: object,
  ) {
    this.#Client = PgClient
    this.login = login
    this.#waitUntil = waitUntil
    this.#extras = extras
    this.#client = new PgClient(configOf(login, extras, stream))
    const close = () => {
      this.#isClosed = true
    }
    // Each call rejects with its own error. But without a listener, an error would end the process.
    this.#client.on('error', close)
    this.#client.on('end', close)
    const { connection } = this.#client
    const reported = new Map<string, string>()
    this.reported = reported
    connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (REPORTED.includes(parameterName)) reported.set(parameterName, parameterValue)
    })
    this.#binding = extras?.isBound ? bindingOf(this.#client) : undefined
    const { stream: plain } = connection
    this.#budget.watch(plain)
    connection.on('sslconnect', () => {
      const { stream } = connection
      this.#shakingHands = true
      stream.once('data', () => {
        this.#shakingHands = false
      })
      // In Workers, this is the same stream, now encrypted.
      if (stream !== plain) this.#budget.watch(stream)
    })
    this.#destroyWhenSpent()
  }

  #destroyWhenSpent(): void {
    void this.#budget.spent.then(() => this.#client.connection.stream.destroy())
  }

  /** True if it accepts more statements. */
  get isOpen(): boolean {
    return !this.#isClosed && !this.#leaving && !this.#budget.isSpent
  }

  /** Connects and logs in. Throws {@link DatabaseError}. */
  async open(signal: AbortSignal): Promise<void> {
    try {
      await until(signal, this.#client.connect())
      this.#binding?.assertBound()
    } catch (error) {
      this.#client.connection.stream.destroy()
      const { code } = error as { readonly code?: unknown }
      const known = typeof code === 'string' && !signal.aborted && this.#extras?.explain(code)
      if (known) throw known
      throw connectFailure(error, this.#shakingHands && !signal.aborted, {
        direct: this.login.direct,
        isOwnMachine: this.login.own !== undefined,
      })
    }
  }

  /** Runs statements. Their results share the size limit for one result. */
  async ask<T>(limits: QueryContext, work: (run: RunStatements) => Promise<T>): Promise<T> {
    const room = this.#budget.expect(limits)
    try {
      return await work((...statements) => this.#run(statements, room, limits.timeoutMs))
    } finally {
      this.#budget.came(room)
    }
  }

  async #run(
    statements: readonly SentStatement[],
    room: ByteRoom,
    timeoutMs: number,
  ): Promise<PostgresResult> {
    if (this.#leaving) throw cancelledByCaller()
    const answers = statements.map((it) => {
      this.#pending++
      return query(this.#Client, this.#client, it, this.#budget, room, timeoutMs).finally(() => {
        this.#pending--
      })
    })
    // Dropping the value releases the rows of every result.
    this.#answered = Promise.allSettled([this.#answered, ...answers]).then(() => {})
    return (await Promise.all(answers)).at(-1)!
  }

  /** Rolls back a transaction. A connection that other calls reuse also discards state that functions left behind. */
  rollBack(run: RunStatements): void {
    void run({ sql: 'rollback' }).catch(() => {})
    if (!this.#extras) return
    this.#traces++
    const forgotten = run({ sql: 'discard all' }).then(() => this.#traces--)
    this.#forgetting = Promise.allSettled([this.#forgetting, forgotten]).then(() => {})
  }

  /** Waits for all results. Resolves with true if no state from earlier calls is left. */
  async isClean(signal: AbortSignal): Promise<boolean> {
    await until(signal, Promise.all([this.#answered, this.#forgetting])).catch(() => {})
    this.#budget.renew()
    this.#destroyWhenSpent()
    return this.isOpen && this.#pending === 0 && this.#traces === 0
  }

  /** Sets whether the open connection keeps the process alive. */
  hold(process: boolean): void {
    const { stream } = this.#client.connection
    if (process) stream.ref?.()
    else stream.unref?.()
  }

  /** Like {@link leave}, but always waits. */
  async end(hurry: boolean): Promise<void> {
    void this.leave(hurry)
    await this.#leaving
  }

  /**
   * Disconnects. In a hurry, or in the middle of a result, the statement is canceled instead. If the platform
   * allows background work, the caller does not wait for this.
   */
  leave(hurry = false): Promise<void> {
    if (!this.#leaving) {
      this.#leaving = this.#goodbye(hurry || this.#budget.isSpent)
      this.#waitUntil?.(this.#leaving)
    }
    return this.#waitUntil ? Promise.resolve() : this.#leaving
  }

  async #goodbye(hurry: boolean): Promise<void> {
    const signal = () => AbortSignal.timeout(LEAVE_MS)
    if (!hurry) await until(signal(), this.#client.end()).catch(() => {})
    if (hurry || this.#pending > 0) {
      const session = this.#client
      await cancelUntil(this.#answered, this.#Client, this.login, session, signal(), this.#extras)
    }
    this.#client.connection.stream.destroy()
  }
}
