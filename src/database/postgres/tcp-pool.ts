import { DatabaseError, unreachable } from '../error.ts'
import type { Machine } from '../machine.ts'
import type { Limits } from '../rows.ts'
import type { Sessions } from '../sessions.ts'
import { until } from '../transport/deadline.ts'
import { Pool } from '../transport/pool.ts'
import { isStillWanted } from './tcp-connect.ts'
import type { Connection, Run } from './tcp-connection.ts'
import type { Access } from './tcp-login.ts'

/** How long a connection of an earlier call may take to say anything: after that it is taken for broken. */
const SILENT_MS = 3_000

/** The calls that have a connection of a database. One that waits for another could wait for itself. */
const holders = new WeakMap<Pool<Connection>, WeakSet<Sessions>>()

/**
 * Lends the connections to a database that a machine keeps, or one that is opened now.
 *
 * @param call the sessions of the call, which may have one already
 */
export function lender(
  access: Access,
  limits: Limits,
  machine: Machine,
  call: Sessions | undefined,
): (open: () => Promise<Connection>, signal: AbortSignal) => Promise<Lent> {
  // A session that was once told of claims has this setting ever after, with nothing in it. Policies can tell
  // that from a session that never heard of it.
  const knowsClaims = limits.identity?.claims !== undefined
  const name = JSON.stringify(['postgres', access.servers.all, access.target, knowsClaims])
  const pool = machine.keep(name, () => new Pool<Connection>())
  const calls = holders.get(pool) ?? new WeakSet()
  holders.set(pool, calls)
  return async (open, signal) => {
    const willDo = (it: Connection) => isStillWanted(it, access.target)
    const patience = AbortSignal.timeout(limits.timeoutMs)
    const waiting = AbortSignal.any([signal, patience])
    for (;;) {
      const taking = pool.take(open, willDo, waiting, call && calls.has(call))
      const { it, isNew } = await taking.catch((error) => {
        // A login may take as long as all of that, and fails by itself.
        throw error === patience.reason ? allInUse() : error
      })
      const lent = new Lent(it, isNew, pool)
      if (isNew || (await it.isClean(AbortSignal.any([signal, AbortSignal.timeout(SILENT_MS)])))) {
        if (call) calls.add(call)
        return lent
      }
      void lent.leave(true)
    }
  }
}

/** A connection of a pool, for the length of a call. */
export class Lent {
  readonly #connection: Connection
  readonly #pool: Pool<Connection>
  /** Whether this call or the server has shown that it works. */
  #isProven: boolean
  #isBack = false
  /** What is asked and not answered. */
  #asked = 0

  constructor(connection: Connection, isNew: boolean, pool: Pool<Connection>) {
    this.#connection = connection
    this.#isProven = isNew
    this.#pool = pool
  }

  get login() {
    return this.#connection.login
  }

  get isOpen(): boolean {
    return !this.#isBack && this.#connection.isOpen
  }

  rollBack(run: Run): void {
    this.#connection.rollBack(run)
  }

  /** Asks something. Where a connection was idle, what it says first must come soon. */
  async ask<T>(limits: Limits, work: (run: Run) => Promise<T>): Promise<T> {
    const heard = Promise.withResolvers<void>()
    const prove = () => {
      this.#isProven = true
      heard.resolve()
    }
    const listening =
      (run: Run): Run =>
      (...statements) => {
        const answer = run(...statements)
        answer.then(prove, (error) => (isOfNetwork(error) ? heard.resolve() : prove()))
        return answer
      }
    this.#asked++
    const answer = this.#connection
      .ask(limits, (run) => work(listening(run)))
      .finally(() => {
        this.#asked--
        heard.resolve()
      })
    if (!this.#isProven) {
      await until(AbortSignal.timeout(SILENT_MS), heard.promise).catch(() => {
        answer.catch(() => {})
        throw unreachable()
      })
    }
    return answer
  }

  /** Whether it was broken before this call asked anything, if this is what came of it. Then it is given up. */
  isBrokenBy(error: unknown): boolean {
    if (this.#isProven || !isOfNetwork(error)) return false
    void this.leave(true)
    return true
  }

  /** Gives it back. In a hurry, or amid an answer, it is ended, and nobody else gets it. */
  async leave(hurry = false): Promise<void> {
    if (this.#isBack) return
    this.#isBack = true
    const connection = this.#connection
    const back = () => this.#pool.giveBack(connection)
    if (!hurry && connection.isOpen && this.#asked === 0) back()
    else void connection.end(true).then(back, back)
  }
}

const isOfNetwork = (error: unknown) => error instanceof DatabaseError && error.kind === 'network'

const allInUse = () =>
  new DatabaseError('network', 'All connections to the database are in use. Try again later.')
