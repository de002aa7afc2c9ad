import { DatabaseError, PARAMETER_HINT } from '../error.ts'
import type { Limits, Statement } from '../rows.ts'
import { ByteBudget } from '../transport/byte-budget.ts'
import { type Deadline, startDeadline } from '../transport/deadline.ts'
import { limited } from './limit.ts'
import type { default as Library } from './mysql2.mjs'
import { CHECKS, check, noQuery, READ_ONLY, settings, standsAlone } from './read-only.ts'
import { execute, type Reading } from './tcp-answer.ts'
import { Connection } from './tcp-connection.ts'
import type { Login } from './tcp-login.ts'
import { becomeRole, textOf } from './tcp-role.ts'

/**
 * Runs one statement in a new session, and ends the session, whatever happens: a Worker cannot keep
 * a socket from one request to the next. When the time is over or the caller leaves, the server is
 * told to stop. Throws {@link DatabaseError}.
 */
export async function runReadOnly(
  login: Login,
  statement: Statement,
  limits: Limits,
): Promise<Reading> {
  const deadline = startDeadline(limits, 2_000)
  let session: Session | undefined
  try {
    // Loaded by the first query that needs it: other deployments never do.
    const { default: library } = await deadline.race(import('./mysql2.mjs'))
    session = new Session(library, login, limits)
    return await deadline.race(session.read(statement))
  } catch (error) {
    throw deadline.over() ?? error
  } finally {
    await session?.leave(deadline.signal.aborted)
  }
}

/** How long closing the connection may take. */
const LEAVE_MS = 1_000

/** "Unknown system variable". */
const UNKNOWN_VARIABLE = '1193'

class Session {
  readonly #library: typeof Library
  readonly #login: Login
  readonly #limits: Limits
  readonly #connection: Connection
  /** Of the answer alone: what comes before it is small. */
  readonly #budget: ByteBudget

  constructor(library: typeof Library, login: Login, limits: Limits) {
    this.#library = library
    this.#login = login
    this.#limits = limits
    // A user may have no right in the database but by the role, and so enters it afterwards.
    const { role } = limits.identity ?? {}
    const first = role === undefined ? login : { ...login, database: '' }
    this.#connection = new Connection(library, first, limits.timeoutMs)
    this.#budget = new ByteBudget(limits)
  }

  async read(statement: Statement): Promise<Reading> {
    await this.#beginReadOnly()
    const { params = [] } = statement
    const prepared = await this.#prepare(statement)
    if (prepared.columns.length === 0 && !standsAlone(statement)) throw noQuery()
    const { length } = prepared.parameters
    if (length !== params.length) {
      throw new DatabaseError(
        'sql',
        `Send a value for each placeholder ?: there are ${length}, and ${params.length} values came.`,
        { hint: PARAMETER_HINT },
      )
    }
    return await execute(
      this.#library,
      this.#connection,
      prepared,
      params,
      this.#budget,
      this.#limits,
    )
  }

  /** Logs in, and makes sure that the session only reads. */
  async #beginReadOnly(): Promise<void> {
    const connection = this.#connection
    const server = await connection.opened()
    await connection.run(READ_ONLY)
    await connection.run(settings(this.#limits, server)).catch((error) => {
      if (!(error instanceof DatabaseError) || error.code !== UNKNOWN_VARIABLE) throw error
      // A proxy reported another version than that of the server behind it.
      return connection.run(settings(this.#limits, server === 'mysql' ? 'mariadb' : 'mysql'))
    })
    const { role } = this.#limits.identity ?? {}
    if (role !== undefined) await becomeRole(connection, role, this.#login.database)
    const variables = await connection.run(CHECKS)
    check(variables.map(([name, value]) => [textOf(name), textOf(value)]))
  }

  #prepare(statement: Statement) {
    const few = limited(statement, this.#limits.maxRows + 1)
    // An error is about the statement as its author wrote it, without the LIMIT.
    return this.#connection.prepare(few).catch(() => this.#connection.prepare(statement.sql))
  }

  /** Ends the session. In a hurry, or amid an answer, the server is told to stop instead. */
  async leave(hurry: boolean): Promise<void> {
    const deadline = startDeadline({ ...this.#limits, signal: undefined, timeoutMs: LEAVE_MS })
    const goodbye = hurry || this.#budget.isSpent ? this.#kill(deadline) : this.#connection.end()
    await deadline.race(goodbye).catch(() => {})
    this.#connection.destroy()
  }

  /** Ends the query from another connection, the only place from which a server hears of it. */
  async #kill(deadline: Deadline): Promise<void> {
    const { threadId } = this.#connection.client
    if (threadId === null) return
    const other = new Connection(this.#library, this.#login, LEAVE_MS)
    try {
      await deadline.race(other.opened())
      await deadline.race(other.run(`kill query ${Number(threadId)}`))
    } finally {
      other.destroy()
    }
  }
}
