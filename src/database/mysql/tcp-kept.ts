import { DatabaseError } from '../error.ts'
import type { TimeLimits } from '../rows.ts'
import type { Sessions } from '../sessions.ts'
import { ByteBudget } from '../transport/byte-budget.ts'
import { until } from '../transport/deadline.ts'
import { MOST_LENT, Pool, type Poolable } from '../transport/pool.ts'
import type { Opened } from './tcp-connect.ts'

/** For how long one is used. What is granted to its user, or taken away, holds from the next login on. */
const LIFE_MS = 60_000

/** How long the server may take to begin a session anew, or to hear a goodbye, in milliseconds. */
const LAST_WORDS_MS = 1_000

/** For how long the server keeps a connection that waits in a pool, in seconds: longer than the pool does. */
const WAIT_S = 60

/**
 * A connection that goes on from one call to the next. `mysql2` has a pool, too. But the connections of one of its pools
 * have one server and one password, whoever waits for one cannot leave, and it keeps a process alive.
 */
export class Kept implements Poolable {
  readonly opened: Opened
  /** What its session becomes. One without a role never gets one, and the other way round. */
  readonly role: string | undefined
  readonly budget = new ByteBudget({ maxBytes: 0 })
  /** Whether a call had it before: it may have broken since then. */
  isReused = false

  constructor(opened: Opened, role: string | undefined) {
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

  /** Leaves nothing of a call for the next. If that is not certain, it is closed. */
  async renew(): Promise<void> {
    const { connection } = this.opened
    try {
      await until(AbortSignal.timeout(LAST_WORDS_MS), connection.clean(WAIT_S))
      this.budget.renew()
      this.isReused = true
    } catch {
      // Not all that passes on what MySQL is sent knows how to begin anew.
      connection.destroy()
    }
  }

  async end(hurry: boolean): Promise<void> {
    const { connection } = this.opened
    if (!hurry) await until(AbortSignal.timeout(LAST_WORDS_MS), connection.end()).catch(() => {})
    connection.destroy()
  }
}

/** What holds on to a connection, and can let go of it. */
interface Holder {
  leave(): Promise<void>
}

/** The connections to one database, and which calls hold on to one that they do not use. */
export class KeptConnections {
  readonly #pool = new Pool<Kept>({ lifeMs: LIFE_MS })
  readonly #calls = new WeakMap<Sessions, Call>()

  /**
   * Lends a connection of this role. A call that waits for one lets go of those that it does not use, or calls would
   * wait for each other. Throws {@link DatabaseError}.
   *
   * @param mayBeOld whether one will do that was used before
   */
  async take(
    role: string | undefined,
    open: () => Promise<Opened>,
    mayBeOld: boolean,
    call: Sessions,
    { timeoutMs, signal }: TimeLimits,
  ): Promise<Kept> {
    const time = AbortSignal.timeout(timeoutMs)
    const { resting } = this.#call(call)
    this.#call(call).waits++
    for (const it of resting) void it.leave()
    try {
      const { it } = await this.#pool.take(
        async () => new Kept(await open(), role),
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

  /** Takes a connection back. */
  giveBack(kept: Kept): void {
    this.#pool.giveBack(kept)
  }

  /** Takes note that a call holds on to a connection that it does not use at the moment. */
  rest(call: Sessions, holder: Holder): void {
    const { waits, resting } = this.#call(call)
    if (waits > 0) void holder.leave()
    else resting.add(holder)
  }

  /** Takes note that it is used again, or let go. */
  unrest(call: Sessions, holder: Holder): void {
    this.#call(call).resting.delete(holder)
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  #call(sessions: Sessions): Call {
    const known = this.#calls.get(sessions) ?? { waits: 0, resting: new Set() }
    this.#calls.set(sessions, known)
    return known
  }
}

const noneFree = () =>
  new DatabaseError(
    'network',
    `All of the ${MOST_LENT} connections to the database are in use. Try again later.`,
  )

interface Call {
  /** How many connections it waits for. */
  waits: number
  readonly resting: Set<Holder>
}
