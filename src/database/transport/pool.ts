import { DatabaseError } from '../error.ts'
import type { Closable } from '../machine.ts'
import { until } from './deadline.ts'

/** A pooled connection. */
export interface Poolable {
  readonly isOpen: boolean
  /** Sets whether the open connection keeps the process alive. */
  hold(process: boolean): void
  /** Closes the connection. With `hurry`, closes it immediately, without waiting for a response. */
  end(hurry: boolean): Promise<void>
}

/** A pool's limits. */
export interface PoolBounds {
  /** Maximum number of connections lent at once. A few long queries must not make all others wait. */
  readonly size: number
  /** Maximum number of idle connections. */
  readonly kept: number
  /** Maximum idle time and maximum age of a connection, in milliseconds. */
  readonly idleMs: number
  readonly lifeMs: number
}

/** Maximum number of connections to one database in use at once. A PostgreSQL server usually allows 100. */
export const MOST_LENT = 32

/** Maximum number of idle connections to one database. */
export const MOST_KEPT = 5

const USUAL: PoolBounds = { size: MOST_LENT, kept: MOST_KEPT, idleMs: 30_000, lifeMs: 600_000 }

interface Idle<It> {
  readonly it: It
  readonly timer: ReturnType<typeof setTimeout>
}

/**
 * A pool of connections to one database, reused from call to call. The drivers open the connections, because their
 * logins support several servers, tokens and files, which the pools in `pg` and `mysql2` do not.
 */
export class Pool<It extends Poolable> implements Closable {
  readonly #bounds: PoolBounds
  readonly #idle: Idle<It>[] = []
  readonly #lent = new Set<It>()
  readonly #born = new WeakMap<It, number>()
  readonly #waiting: (() => void)[] = []
  #free: number
  #isClosed = false

  constructor(bounds: Partial<PoolBounds> = {}) {
    this.#bounds = { ...USUAL, ...bounds }
    this.#free = this.#bounds.size
  }

  /**
   * Lends the most recently used connection that is open and suitable, otherwise a new connection. If too
   * many are lent, it waits until the signal aborts. Throws {@link DatabaseError}.
   *
   * @param beside true to lend one more immediately, for a call that already has one and would wait for itself
   */
  async take(
    open: () => Promise<It>,
    willDo: (it: It) => boolean,
    signal: AbortSignal,
    beside = false,
  ): Promise<{ readonly it: It; readonly isNew: boolean }> {
    if (this.#isClosed) throw closed()
    if (beside || this.#free > 0) this.#free--
    else await this.#turn(signal)
    try {
      const kept = this.#keptOne(willDo)
      const it = kept ?? (await open())
      if (!kept) this.#born.set(it, Date.now())
      if (this.#isClosed) {
        await it.end(true)
        throw closed()
      }
      this.#lent.add(it)
      return { it, isNew: !kept }
    } catch (error) {
      this.#next()
      throw error
    }
  }

  /** Takes back a connection. Closed and old connections are dropped. */
  giveBack(it: It): void {
    if (!this.#lent.delete(it)) return
    const isOld = Date.now() - (this.#born.get(it) ?? 0) > this.#bounds.lifeMs
    const isMore = this.#idle.length >= this.#bounds.kept
    if (it.isOpen && !isOld && !isMore && !this.#isClosed) {
      it.hold(false)
      const timer = setTimeout(() => this.#drop(it), this.#bounds.idleMs)
      letEnd(timer)
      this.#idle.push({ it, timer })
    } else if (it.isOpen) {
      void it.end(false).catch(() => {})
    }
    this.#next()
  }

  /** Closes all connections, and stops lending. */
  async close(): Promise<void> {
    this.#isClosed = true
    const idle = this.#idle.splice(0)
    for (const { timer } of idle) clearTimeout(timer)
    for (const wake of this.#waiting.splice(0)) wake()
    await Promise.allSettled([
      ...idle.map(({ it }) => {
        // Otherwise, the process could end before the connection is closed properly.
        it.hold(true)
        return it.end(false)
      }),
      ...[...this.#lent].map((it) => it.end(true)),
    ])
  }

  #keptOne(willDo: (it: It) => boolean): It | undefined {
    for (;;) {
      const last = this.#idle.pop()
      if (!last) return undefined
      clearTimeout(last.timer)
      const { it } = last
      it.hold(true)
      if (it.isOpen && willDo(it)) return it
      if (it.isOpen) void it.end(false).catch(() => {})
    }
  }

  #drop(it: It): void {
    const at = this.#idle.findIndex((idle) => idle.it === it)
    if (at >= 0) this.#idle.splice(at, 1)
    void it.end(false).catch(() => {})
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    try {
      await until(signal, promise)
    } catch (error) {
      const at = this.#waiting.indexOf(resolve)
      // The turn can come at this very moment. In that case, it passes to the next waiter.
      if (at >= 0) this.#waiting.splice(at, 1)
      else this.#next()
      throw error
    }
    if (this.#isClosed) throw closed()
  }

  /** Passes a free place to the waiter that has waited longest. */
  #next(): void {
    if (this.#free >= 0 && this.#waiting.length > 0) this.#waiting.shift()!()
    else this.#free++
  }
}

/** Lets the process end while a timer is active, on platforms where timers would prevent that. */
function letEnd(timer: unknown): void {
  ;(timer as { unref?(): void }).unref?.()
}

const closed = () =>
  new DatabaseError('network', 'The gateway is shutting down. No more queries are sent.')
