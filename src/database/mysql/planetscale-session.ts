import type { Io } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { Limits, Statement } from '../rows.ts'
import { bySessions } from '../sessions.ts'
import { type Deadline, startDeadline } from '../transport/deadline.ts'
import { limited } from './limit.ts'
import { type Address, type Execute, type Result, session } from './planetscale-http.ts'
import { inlineParams } from './quote.ts'
import { READ_ONLY } from './read-only.ts'

/**
 * Runs one statement in a read-only transaction of the session of a call, or of one of its own. Our own
 * questions share a transaction with what follows; after any other statement the session ends. Vitess
 * accepts the first statement of a session and ignores it; a plain MySQL obeys it.
 */
export function runReadOnly(
  address: Address,
  statement: Statement,
  limits: Limits,
  io: Io,
): Promise<Result> {
  const deadline = startDeadline(limits)
  const name = JSON.stringify([address, limits.timeoutMs])
  return bySessions(limits.sessions, async (sessions) => {
    for (;;) {
      const session = await sessions.take(name, () => open(address, limits, deadline, io))
      // Somebody else may have taken it meanwhile.
      if (session.claim(statement)) return session.read(statement, limits, deadline)
    }
  })
}

/** Begins a session in which texts are read as the guard reads them. */
async function open(
  address: Address,
  limits: Limits,
  deadline: Deadline,
  io: Io,
): Promise<Session> {
  const execute = session(address, limits, io)
  await execute(READ_ONLY, deadline)
  // For a caller that leaves unnoticed. A plain MySQL behind the protocol has no such variable.
  await execute(`set query_timeout = ${limits.timeoutMs}`, deadline).catch(() => {})
  const mode = await execute('select @@sql_mode', deadline)
  if (/ANSI|NO_BACKSLASH_ESCAPES/.test(atob(mode.rows?.[0]?.values ?? ''))) {
    throw new DatabaseError(
      'config',
      'The sql_mode of the database changes how texts are read. The operator must take ANSI, ANSI_QUOTES and NO_BACKSLASH_ESCAPES out of it.',
    )
  }
  return new Session(execute, io)
}

/** How long to wait for the end of a transaction, in milliseconds. One that is left open ends after 20 s. */
const ROLLBACK_MS = 2_000

class Session {
  readonly #execute: Execute
  readonly #io: Io
  #isUsed = false
  #begun: Promise<unknown> | undefined
  /** The last work. A session does one thing after the other. */
  #last: Promise<unknown> | undefined
  #leaving: Promise<void> | undefined

  constructor(execute: Execute, io: Io) {
    this.#execute = execute
    this.#io = io
  }

  /** Whether it can be asked more. */
  get isOpen(): boolean {
    return !this.#isUsed && !this.#leaving
  }

  /** Takes it for a statement, if it is free. One that is not ours alone may leave something behind. */
  claim(statement: Statement): boolean {
    if (!this.isOpen) return false
    this.#isUsed = !statement.internal
    return true
  }

  /** Runs a statement that it was claimed for, after those before. */
  async read(statement: Statement, limits: Limits, deadline: Deadline): Promise<Result> {
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

  async #run(statement: Statement, { maxRows, gate }: Limits, deadline: Deadline): Promise<Result> {
    const sql = inlineParams(statement)
    const limitedSql = limited(statement, maxRows + 1, sql)
    const ask = (of: (sql: string) => string) =>
      this.#execute(of(limitedSql), deadline).catch((error) => {
        if (limitedSql === sql || !(error instanceof DatabaseError) || error.kind !== 'sql')
          throw error
        // An error is told of the statement as its author wrote it, without the LIMIT.
        return this.#execute(of(sql), deadline)
      })
    if (gate) {
      // A plan is one cell.
      const { rows = [] } = await ask(gate.of)
      const cells = rows.map(({ values = '' }) => [atob(values)])
      gate.pass({ columns: [], rows: cells, truncated: false })
    }
    return ask((sql) => sql)
  }

  /** Ends its transaction, behind the answer where the platform lets work go on. */
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
