import { DatabaseError } from '../error.ts'
import type { Closable } from '../machine.ts'
import { until } from './deadline.ts'

/** A connection that a pool keeps. */
export interface Poolable {
  /** Whether it can be asked more. */
  readonly isOpen: boolean
  /** Whether the process may end while it is open. */
  hold(process: boolean): void
  /** Ends it: at once, without waiting for an answer, where there is a hurry. */
  end(hurry: boolean): Promise<void>
}

/** The bounds of a pool. */
export interface PoolBounds {
  /** The most connections that are lent at once: a few long queries must not make all others wait. */
  readonly size: number
  /** The most that are kept while nobody asks them. */
  readonly kept: number
  /** For how long one that nobody asks is kept, in milliseconds, and for how long any is. */
  readonly idleMs: number
  readonly lifeMs: number
}

/** The most connections to one database that are in use at once. A server of PostgreSQL usually has 100. */
export const MOST_LENT = 32

/** The most connections to one database that are kept while nobody asks them. */
export const MOST_KEPT = 5

const USUAL: PoolBounds = { size: MOST_LENT, kept: MOST_KEPT, idleMs: 30_000, lifeMs: 600_000 }

interface Idle<It> {
  readonly it: It
  readonly timer: ReturnType<typeof setTimeout>
}

/**
 * The connections to one database that go on from one call to the next. The drivers make them: their own
 * logins have several servers, tokens and files, which the pools of `pg` and `mysql2` know nothing of.
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
   * Lends a connection: the one that was used last, if it is open and will do; else a new one. If too many are
   * lent, it waits until the signal aborts. Throws {@link DatabaseError}.
   *
   * @param beside lends one more at once: to a call that has one already, and would wait for itself
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

  /** Takes a connection back. One that is not open is forgotten, and so is one that is old. */
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

  /** Ends all connections, and lends no more. */
  async close(): Promise<void> {
    this.#isClosed = true
    const idle = this.#idle.splice(0)
    for (const { timer } of idle) clearTimeout(timer)
    for (const wake of this.#waiting.splice(0)) wake()
    await Promise.allSettled([
      ...idle.map(({ it }) => {
        // Else the process could end before it has said goodbye.
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
      // It may have come just now: then it is for the next one.
      if (at >= 0) this.#waiting.splice(at, 1)
      else this.#next()
      throw error
    }
    if (this.#isClosed) throw closed()
  }

  /** Gives a place to the one that has waited longest. */
  #next(): void {
    if (this.#free >= 0 && this.#waiting.length > 0) this.#waiting.shift()!()
    else this.#free++
  }
}

/** A timer that keeps no process from ending, where timers do. */
function letEnd(timer: unknown): void {
  ;(timer as { unref?(): void }).unref?.()
}

const closed = () => new DatabaseError('network', 'The gateway is ending. Nothing more is asked.')
