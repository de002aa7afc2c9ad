import { cancelledByCaller } from '../error.ts'
import type { Limits, Statement } from '../rows.ts'
import { ByteBudget } from '../transport/byte-budget.ts'
import { until } from '../transport/deadline.ts'
import type { default as Client } from './pg.mjs'
import { cancelUntil } from './tcp-cancel.ts'
import { connectFailure } from './tcp-error.ts'
import { configOf, type Login } from './tcp-login.ts'
import { query, type Reading } from './tcp-query.ts'

/** Sends statements, all at once, and returns what the last one did. */
export type Run = (...statements: readonly Statement[]) => Promise<Reading>

/** How long to wait for a connection: a server that takes longer does not let us in at all. */
const CONNECT_MS = 10_000

/** How long closing the connection may take. */
const LEAVE_MS = 1_000

/** One connection to a PostgreSQL server. */
export class Connection {
  readonly #Client: typeof Client
  readonly #login: Login
  readonly #client: Client
  readonly #timeoutMs: number
  /** Of the connection as a whole, and not of each statement. */
  readonly #budget: ByteBudget
  /** Encryption is agreed upon, and nothing has come through it. */
  #shakingHands = false
  #leaving = false
  /** Settles when all that was asked is answered. */
  #answered: Promise<unknown> = Promise.resolve()

  constructor(PgClient: typeof Client, login: Login, limits: Limits) {
    this.#Client = PgClient
    this.#login = login
    this.#timeoutMs = limits.timeoutMs
    this.#budget = new ByteBudget(limits)
    this.#client = new PgClient(configOf(login))
    // Each call rejects with its own error. But without a listener, an error would end the process.
    this.#client.on('error', () => {})
    const { connection } = this.#client
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
    void this.#budget.spent.then(() => connection.stream.destroy())
  }

  /** Connects and logs in. Throws {@link DatabaseError}. */
  async open(signal: AbortSignal): Promise<void> {
    const wait = AbortSignal.timeout(Math.min(this.#timeoutMs, CONNECT_MS))
    try {
      await until(AbortSignal.any([signal, wait]), this.#client.connect())
    } catch (error) {
      this.#client.connection.stream.destroy()
      throw connectFailure(error, this.#shakingHands)
    }
  }

  readonly run: Run = async (...statements) => {
    if (this.#leaving) throw cancelledByCaller()
    const work = Promise.all(
      statements.map((it) => query(this.#Client, this.#client, it, this.#budget, this.#timeoutMs)),
    )
    this.#answered = work.catch(() => {})
    return (await work).at(-1)!
  }

  /** Rolls back and disconnects. In a hurry, or amid an answer, the server is told to stop instead. */
  async leave(hurry: boolean): Promise<void> {
    const wait = AbortSignal.timeout(LEAVE_MS)
    const goodbye =
      hurry || this.#budget.isSpent
        ? cancelUntil(this.#answered, this.#Client, this.#login, this.#client, wait)
        : Promise.all([this.run({ sql: 'rollback' }), this.#client.end()])
    this.#leaving = true
    await until<unknown>(wait, goodbye).catch(() => {})
    this.#client.connection.stream.destroy()
  }
}
