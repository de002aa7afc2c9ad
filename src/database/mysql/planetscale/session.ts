import type { Io } from '../../database.ts'
import { badConfig } from '../../error.ts'
import type { QueryContext, Statement } from '../../rows.ts'
import { bySessions } from '../../sessions.ts'
import { type Deadline, startDeadline } from '../../transport/deadline.ts'
import { runLimited } from '../limit.ts'
import { inlineParams } from '../quote.ts'
import { READ_ONLY } from '../read-only.ts'
import { type Execute, type PlanetScaleAddress, type PlanetScaleResult, session } from './http.ts'

/**
 * Runs one statement in a read-only transaction, in the call's session or in a separate one. Our own
 * queries share a transaction with the next statement. After any other statement, the session ends. The first
 * statement in a session makes it read-only: Vitess accepts and ignores that, and a plain MySQL server obeys it.
 */
export function runReadOnly(
  address: PlanetScaleAddress,
  statement: Statement,
  limits: QueryContext,
  io: Io,
): Promise<PlanetScaleResult> {
  const deadline = startDeadline(limits)
  const name = JSON.stringify([address, limits.timeoutMs])
  return bySessions(limits.sessions, async (sessions) => {
    for (;;) {
      const session = await sessions.take(name, () => open(address, limits, deadline, io))
      // Another query may have claimed it in the meantime.
      if (session.claim(statement)) return session.read(statement, limits, deadline)
    }
  })
}

/** Begins a session that parses strings as the guard does. */
async function open(
  address: PlanetScaleAddress,
  limits: QueryContext,
  deadline: Deadline,
  io: Io,
): Promise<PlanetScaleSession> {
  const execute = session(address, limits, io)
  await execute(READ_ONLY, deadline)
  // Limits a query whose caller disconnects unnoticed. A plain MySQL behind the protocol does not have this variable.
  await execute(`set query_timeout = ${limits.timeoutMs}`, deadline).catch(() => {})
  const mode = await execute('select @@sql_mode', deadline)
  if (/ANSI|NO_BACKSLASH_ESCAPES/.test(atob(mode.rows?.[0]?.values ?? ''))) {
    throw badConfig(
      'The sql_mode of the database changes how strings are parsed. The operator must remove ANSI, ANSI_QUOTES and NO_BACKSLASH_ESCAPES from it.',
    )
  }
  return new PlanetScaleSession(execute, io)
}

/** Time to wait for a transaction to end, in milliseconds. A transaction left open ends after 20 s. */
const ROLLBACK_MS = 2_000

class PlanetScaleSession {
  readonly #execute: Execute
  readonly #io: Io
  #isUsed = false
  #begun: Promise<unknown> | undefined
  /** The most recent task. A session runs its tasks one at a time. */
  #last: Promise<unknown> | undefined
  #leaving: Promise<void> | undefined

  constructor(execute: Execute, io: Io) {
    this.#execute = execute
    this.#io = io
  }

  get isOpen(): boolean {
    return !this.#isUsed && !this.#leaving
  }

  /** Claims the session for a statement if it is free. A caller's statement can leave state behind. */
  claim(statement: Statement): boolean {
    if (!this.isOpen) return false
    this.#isUsed = !statement.internal
    return true
  }

  /** Runs a statement for which the session was claimed, after the earlier statements. */
  async read(
    statement: Statement,
    limits: QueryContext,
    deadline: Deadline,
  ): Promise<PlanetScaleResult> {
    const before = this.#last
    const work = async () => {
      await before?.catch(() => {})
      // Without the transaction, nothing runs.
      this.#begun ??= this.#execute('start transaction read only', deadline)
      await this.#begun
      return this.#run(statement, limits, deadline)
    }
    const working = work()
    this.#last = working
    try {
      return await working
    } catch (error) {
      this.#isUsed = true
      throw error
    } finally {
      if (this.#isUsed) await this.leave(deadline)
    }
  }

  async #run(
    statement: Statement,
    { maxRows, gate }: QueryContext,
    deadline: Deadline,
  ): Promise<PlanetScaleResult> {
    const sql = inlineParams(statement)
    const ask = (of: (sql: string) => string) =>
      runLimited(statement, maxRows + 1, sql, (text) => this.#execute(of(text), deadline))
    if (gate) {
      // Each row of a plan is one cell.
      const { rows = [] } = await ask(gate.of)
      const cells = rows.map(({ values = '' }) => [atob(values)])
      gate.pass({ columns: [], rows: cells, truncated: false })
    }
    return ask((sql) => sql)
  }

  /** Ends the transaction. If the platform allows background work, the caller does not wait for this. */
  async leave(deadline?: Deadline): Promise<void> {
    this.#leaving ??= this.#rollBack(deadline)
    if (this.#io.waitUntil) this.#io.waitUntil(this.#leaving)
    else await this.#leaving
  }

  async #rollBack(deadline?: Deadline): Promise<void> {
    if (!this.#last || deadline?.over()) return
    await this.#last.catch(() => {})
    // An earlier error matters more.
    await this.#execute('rollback', startDeadline({ timeoutMs: ROLLBACK_MS })).catch(() => {})
  }
}
