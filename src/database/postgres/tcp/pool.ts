import { DatabaseError, unreachable } from '../../error.ts'
import type { Machine } from '../../machine.ts'
import type { QueryContext } from '../../rows.ts'
import type { Sessions } from '../../sessions.ts'
import { until } from '../../transport/deadline.ts'
import { Pool } from '../../transport/pool.ts'
import type { PostgresServers } from '../libpq/login.ts'
import { isStillWanted } from './connect.ts'
import type { PostgresConnection, RunStatements } from './connection.ts'

/** Time limit for an earlier call's connection to respond. After that, it counts as broken. */
const SILENT_MS = 3_000

/** The calls that have a connection from a pool. A call that waited for a second connection could wait for itself. */
const holders = new WeakMap<Pool<PostgresConnection>, WeakSet<Sessions>>()

/**
 * Lends a machine's pooled connections to a database, or opens a new one.
 *
 * @param call the call's sessions, which may already have a connection
 */
export function lender(
  access: PostgresServers,
  limits: QueryContext,
  machine: Machine,
  call: Sessions | undefined,
): (open: () => Promise<PostgresConnection>, signal: AbortSignal) => Promise<LentConnection> {
  // Once a session has had claims, the setting continues to exist, but is empty. Policies can distinguish
  // that from a session that never had the setting.
  const knowsClaims = limits.identity?.claims !== undefined
  const name = JSON.stringify(['postgres', access.servers.all, access.target, knowsClaims])
  const pool = machine.keep(name, () => new Pool<PostgresConnection>())
  const calls = holders.get(pool) ?? new WeakSet()
  holders.set(pool, calls)
  return async (open, signal) => {
    const willDo = (it: PostgresConnection) => isStillWanted(it, access.target)
    const patience = AbortSignal.timeout(limits.timeoutMs)
    const waiting = AbortSignal.any([signal, patience])
    for (;;) {
      const taking = pool.take(open, willDo, waiting, call && calls.has(call))
      const { it, isNew } = await taking.catch((error) => {
        // A login can also take all of that time. It then fails with its own error.
        throw error === patience.reason ? allInUse() : error
      })
      const lent = new LentConnection(it, isNew, pool)
      if (isNew || (await it.isClean(AbortSignal.any([signal, AbortSignal.timeout(SILENT_MS)])))) {
        if (call) calls.add(call)
        return lent
      }
      void lent.leave(true)
    }
  }
}

/** A pooled connection, lent for the duration of a call. */
export class LentConnection {
  readonly #connection: PostgresConnection
  readonly #pool: Pool<PostgresConnection>
  /** True once the connection is known to work: it is new, or the server has responded to this call. */
  #isProven: boolean
  #isBack = false
  #asked = 0

  constructor(connection: PostgresConnection, isNew: boolean, pool: Pool<PostgresConnection>) {
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

  rollBack(run: RunStatements): void {
    this.#connection.rollBack(run)
  }

  /** Runs statements. If the connection was idle, the first response must come soon. */
  async ask<T>(limits: QueryContext, work: (run: RunStatements) => Promise<T>): Promise<T> {
    const heard = Promise.withResolvers<void>()
    const prove = () => {
      this.#isProven = true
      heard.resolve()
    }
    const listening =
      (run: RunStatements): RunStatements =>
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

  /** True if this error means that the connection was broken before this call used it. It is then closed. */
  isBrokenBy(error: unknown): boolean {
    if (this.#isProven || !isOfNetwork(error)) return false
    void this.leave(true)
    return true
  }

  /** Returns the connection to the pool. In a hurry, or in the middle of a result, it is closed instead. */
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
