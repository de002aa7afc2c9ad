import { DatabaseError } from '../../error.ts'
import type { TimeLimits } from '../../rows.ts'
import type { Sessions } from '../../sessions.ts'
import { ByteBudget } from '../../transport/byte-budget.ts'
import { until } from '../../transport/deadline.ts'
import { MOST_LENT, Pool, type Poolable } from '../../transport/pool.ts'
import type { OpenedConnection } from './connect.ts'

/** Lifetime of a connection. A change in privileges takes effect at the next login. */
const LIFE_MS = 60_000

/** Time limit for the server to reset a session or to close a connection, in milliseconds. */
const LAST_WORDS_MS = 1_000

/** Time that the server keeps an idle pooled connection, in seconds. The pool keeps it for less time. */
const WAIT_S = 60

/**
 * A connection that is reused from one call to the next. `mysql2` also has a pool. But each of its pools has only one
 * server and one password, a caller waiting for a connection cannot give up, and the pool keeps the process alive.
 */
export class ConnectionPool implements Poolable {
  readonly opened: OpenedConnection
  /** Role in its session. A connection without a role never gets one, and a connection with a role keeps it. */
  readonly role: string | undefined
  readonly budget = new ByteBudget({ maxBytes: 0 })
  /** True if an earlier call used the connection. It may have broken since then. */
  isReused = false

  constructor(opened: OpenedConnection, role: string | undefined) {
    this.opened = opened
    this.role = role
    if (role === undefined) opened.connection.note()
    this.budget.watch(opened.connection.client.stream)
  }

  get isOpen(): boolean {
    return this.opened.connection.isOpen && !this.budget.isSpent
  }

  hold(process: boolean): void {
    const { stream } = this.opened.connection.client
    if (process) stream.ref?.()
    else stream.unref?.()
  }

  /** Resets the session for the next call. If the reset is not certain, the connection is closed. */
  async renew(): Promise<void> {
    const { connection } = this.opened
    try {
      await until(AbortSignal.timeout(LAST_WORDS_MS), connection.clean(WAIT_S))
      this.budget.renew()
      this.isReused = true
    } catch {
      // Not every MySQL proxy supports a reset.
      connection.destroy()
    }
  }

  async end(hurry: boolean): Promise<void> {
    const { connection } = this.opened
    if (!hurry) await until(AbortSignal.timeout(LAST_WORDS_MS), connection.end()).catch(() => {})
    connection.destroy()
  }
}

/** A holder of a connection that can release it. */
interface Holder {
  leave(): Promise<void>
}

/** The connections to one database, and the idle ones that each call holds. */
export class KeptConnections {
  readonly #pool = new Pool<ConnectionPool>({ lifeMs: LIFE_MS })
  readonly #calls = new WeakMap<Sessions, PoolCall>()

  /**
   * Lends a connection with this role. A call that waits for one releases its idle connections. Otherwise, calls could
   * wait for each other. Throws {@link DatabaseError}.
   *
   * @param mayBeOld true if a used connection is acceptable
   */
  async take(
    role: string | undefined,
    open: () => Promise<OpenedConnection>,
    mayBeOld: boolean,
    call: Sessions,
    { timeoutMs, signal }: TimeLimits,
  ): Promise<ConnectionPool> {
    const time = AbortSignal.timeout(timeoutMs)
    const { resting } = this.#call(call)
    this.#call(call).waits++
    for (const it of resting) void it.leave()
    try {
      const { it } = await this.#pool.take(
        async () => new ConnectionPool(await open(), role),
        (it) => mayBeOld && it.role === role,
        signal ? AbortSignal.any([signal, time]) : time,
      )
      return it
    } catch (error) {
      throw error === time.reason ? noneFree() : error
    } finally {
      this.#call(call).waits--
    }
  }

  giveBack(kept: ConnectionPool): void {
    this.#pool.giveBack(kept)
  }

  /** Records that a call holds an idle connection. */
  rest(call: Sessions, holder: Holder): void {
    const { waits, resting } = this.#call(call)
    if (waits > 0) void holder.leave()
    else resting.add(holder)
  }

  /** Records that the connection is in use again, or has been released. */
  unrest(call: Sessions, holder: Holder): void {
    this.#call(call).resting.delete(holder)
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  #call(sessions: Sessions): PoolCall {
    const known = this.#calls.get(sessions) ?? { waits: 0, resting: new Set() }
    this.#calls.set(sessions, known)
    return known
  }
}

const noneFree = () =>
  new DatabaseError(
    'network',
    `All ${MOST_LENT} connections to the database are in use. Try again later.`,
  )

interface PoolCall {
  waits: number
  readonly resting: Set<Holder>
}
