import type { Io } from '../database.ts'
import { cancelledByCaller } from '../error.ts'
import type { Limits } from '../rows.ts'
import { ByteBudget, type Room } from '../transport/byte-budget.ts'
import { until } from '../transport/deadline.ts'
import type { default as Client } from './pg.mjs'
import { type Binding, bindingOf } from './tcp-binding.ts'
import { cancelUntil } from './tcp-cancel.ts'
import { connectFailure } from './tcp-error.ts'
import { configOf, type Extras, type Login } from './tcp-login.ts'
import { query, type Reading, type Sent } from './tcp-query.ts'

/** Sends statements, all at once, and returns what the last one did. */
export type Run = (...statements: readonly Sent[]) => Promise<Reading>

/** How long closing the connection may take. */
const LEAVE_MS = 1_000

/** What a server says of itself that is used. A stranger may say as much as it likes. */
const REPORTED = ['in_hot_standby', 'default_transaction_read_only']

interface ParameterStatus {
  readonly parameterName: string
  readonly parameterValue: string
}

/** One connection to a PostgreSQL server. */
export class Connection {
  /** Where it leads. */
  readonly login: Login
  /** What the server said of itself when it let us in. */
  readonly reported: ReadonlyMap<string, string>
  readonly #Client: typeof Client
  readonly #client: Client
  readonly #waitUntil: Io['waitUntil']
  readonly #budget = new ByteBudget({ maxBytes: 0 })
  /** Encryption is agreed upon, and nothing has come through it. */
  #shakingHands = false
  #isClosed = false
  #leaving: Promise<void> | undefined
  readonly #extras: Extras | undefined
  readonly #binding: Binding | undefined
  /** How many transactions may have left something in the session. */
  #traces = 0
  /** Settles when the server has been told to forget that. */
  #forgetting: Promise<unknown> = Promise.resolve()
  /** How much was asked and is not answered. */
  #pending = 0
  /** Settles when all that was asked is answered. */
  #answered: Promise<unknown> = Promise.resolve()

  constructor(
    PgClient: typeof Client,
    login: Login,
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
      // In Workers it is the same one, now encrypted.
      if (stream !== plain) this.#budget.watch(stream)
    })
    this.#destroyWhenSpent()
  }

  #destroyWhenSpent(): void {
    void this.#budget.spent.then(() => this.#client.connection.stream.destroy())
  }

  /** Whether it can be asked more. */
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
      throw connectFailure(error, this.#shakingHands && !signal.aborted, this.login.direct)
    }
  }

  /** Asks something. All that its statements return shares the room of one answer. */
  async ask<T>(limits: Limits, work: (run: Run) => Promise<T>): Promise<T> {
    const room = this.#budget.expect(limits)
    try {
      return await work((...statements) => this.#run(statements, room, limits.timeoutMs))
    } finally {
      this.#budget.came(room)
    }
  }

  async #run(statements: readonly Sent[], room: Room, timeoutMs: number): Promise<Reading> {
    if (this.#leaving) throw cancelledByCaller()
    const answers = statements.map((it) => {
      this.#pending++
      return query(this.#Client, this.#client, it, this.#budget, room, timeoutMs).finally(() => {
        this.#pending--
      })
    })
    // Without its value, which would hold the rows of every answer.
    this.#answered = Promise.allSettled([this.#answered, ...answers]).then(() => {})
    return (await Promise.all(answers)).at(-1)!
  }

  /** Ends a transaction. A connection that goes on to other calls also forgets what its functions have left. */
  rollBack(run: Run): void {
    void run({ sql: 'rollback' }).catch(() => {})
    if (!this.#extras) return
    this.#traces++
    const forgotten = run({ sql: 'discard all' }).then(() => this.#traces--)
    this.#forgetting = Promise.allSettled([this.#forgetting, forgotten]).then(() => {})
  }

  /** Whether nothing of the calls before is left, once all that was asked is answered. */
  async isClean(signal: AbortSignal): Promise<boolean> {
    await until(signal, Promise.all([this.#answered, this.#forgetting])).catch(() => {})
    this.#budget.renew()
    this.#destroyWhenSpent()
    return this.isOpen && this.#pending === 0 && this.#traces === 0
  }

  /** Whether the process waits for it to end. */
  hold(process: boolean): void {
    const { stream } = this.#client.connection
    if (process) stream.ref?.()
    else stream.unref?.()
  }

  /** As {@link leave}, and waits for it in any case. */
  async end(hurry: boolean): Promise<void> {
    void this.leave(hurry)
    await this.#leaving
  }

  /**
   * Disconnects. In a hurry, or amid an answer, the server is told to stop instead. Where work may go on
   * after the answer, the answer does not wait for it.
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
