import type { Io } from '../database.ts'
import { DatabaseError, PARAMETER_HINT } from '../error.ts'
import type { Limits, Statement } from '../rows.ts'
import { bySessions } from '../sessions.ts'
import { ByteBudget, unread } from '../transport/byte-budget.ts'
import { type Deadline, startDeadline } from '../transport/deadline.ts'
import { limited } from './limit.ts'
import type { default as Library } from './mysql2.mjs'
import {
  CHECKS,
  check,
  noQuery,
  READ_ONLY,
  type Server,
  settings,
  standsAlone,
} from './read-only.ts'
import { execute, type Reading } from './tcp-answer.ts'
import { Connection } from './tcp-connection.ts'
import type { Login } from './tcp-login.ts'
import { becomeRole, textOf } from './tcp-role.ts'

/**
 * Runs one statement in the session of a call, or in one of its own. It ends with the call, whatever
 * happens: a Worker cannot keep a socket from one request to the next. When the time is over or the caller
 * leaves, the server is told to stop. Throws {@link DatabaseError}.
 */
export async function runReadOnly(
  login: Login,
  statement: Statement,
  limits: Limits,
  { waitUntil }: Pick<Io, 'waitUntil'>,
): Promise<Reading> {
  const deadline = startDeadline(limits, 2_000)
  // A session has one role, and one time limit.
  const name = JSON.stringify([login, limits.identity?.role, limits.timeoutMs])
  const open = () => connect(login, limits, deadline, waitUntil)
  return bySessions(limits.sessions, async (sessions) => {
    for (;;) {
      let session: Session | undefined
      try {
        session = await deadline.race(sessions.take(name, open))
        return await deadline.race(session.read(statement, limits))
      } catch (error) {
        const over = deadline.over()
        if (over || error !== unread) throw over ?? error
      } finally {
        const { aborted } = deadline.signal
        if (session && (aborted || !session.isOpen)) await session.leave(aborted)
      }
    }
  })
}

async function connect(
  login: Login,
  limits: Limits,
  deadline: Deadline,
  waitUntil: Io['waitUntil'],
): Promise<Session> {
  // Loaded by the first query that needs it: other deployments never do.
  const { default: library } = await deadline.race(import('./mysql2.mjs'))
  const session = new Session(library, login, limits, waitUntil)
  try {
    await deadline.race(session.open())
    return session
  } catch (error) {
    await session.leave(deadline.signal.aborted)
    throw error
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
  readonly #waitUntil: Io['waitUntil']
  readonly #connection: Connection
  readonly #budget = new ByteBudget({ maxBytes: 0 })
  #server: Server = 'mysql'
  /** Resolves once it is known to only read: with whether that needed no second try. */
  #begun: Promise<boolean> | undefined
  /** Whether a statement was asked that is not ours alone: it may leave something behind. */
  #isUsed = false
  #leaving: Promise<void> | undefined

  constructor(library: typeof Library, login: Login, limits: Limits, waitUntil: Io['waitUntil']) {
    this.#library = library
    this.#login = login
    this.#limits = limits
    this.#waitUntil = waitUntil
    // A user may have no right in the database but by the role, and so enters it afterwards.
    const { role } = limits.identity ?? {}
    const first = role === undefined ? login : { ...login, database: '' }
    this.#connection = new Connection(library, first, limits.timeoutMs)
  }

  /** Whether it can be asked more. */
  get isOpen(): boolean {
    return this.#connection.isOpen && !this.#isUsed && !this.#leaving && !this.#budget.isSpent
  }

  /** Logs in. */
  async open(): Promise<void> {
    this.#server = await this.#connection.opened()
    this.#budget.watch(this.#connection.client.stream)
  }

  async read(statement: Statement, limits: Limits): Promise<Reading> {
    this.#isUsed ||= !statement.internal
    const { params = [] } = statement
    const room = this.#budget.expect(limits)
    try {
      this.#begun ??= this.#begin().catch((error) => {
        this.#isUsed = true
        throw error
      })
      // The server reads it meanwhile. It runs nothing.
      const early = this.#prepare(statement, limits)
      early.catch(() => {})
      const atOnce = await this.#begun
      const prepared = await (atOnce ? early : this.#prepare(statement, limits))
      if (prepared.columns.length === 0 && !standsAlone(statement)) throw noQuery()
      const { length } = prepared.parameters
      if (length !== params.length) {
        throw new DatabaseError(
          'sql',
          `Send a value for each placeholder ?: there are ${length}, and ${params.length} values came.`,
          { hint: PARAMETER_HINT },
        )
      }
      const library = this.#library
      return await execute(library, this.#connection, prepared, params, this.#budget, room, limits)
    } finally {
      this.#budget.came(room)
    }
  }

  /** Makes sure that the session only reads. */
  async #begin(): Promise<boolean> {
    try {
      await this.#set(this.#server)
      return true
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== UNKNOWN_VARIABLE) throw error
      // A proxy reported another version than that of the server behind it.
      await this.#set(this.#server === 'mysql' ? 'mariadb' : 'mysql')
      this.#connection.forget()
      return false
    }
  }

  async #set(server: Server): Promise<void> {
    const connection = this.#connection
    const { role } = this.#limits.identity ?? {}
    const steps = [
      connection.run(READ_ONLY),
      connection.run(settings(this.#limits, server)),
      role === undefined ? undefined : becomeRole(connection, role, this.#login.database),
    ]
    const checks = connection.run(CHECKS)
    // Of several failures, the first one is the reason for the others.
    for (const it of [...steps, checks]) it?.catch(() => {})
    for (const it of steps) await it
    check((await checks).map(([name, value]) => [textOf(name), textOf(value)]))
  }

  #prepare(statement: Statement, { maxRows }: Limits) {
    const few = limited(statement, maxRows + 1)
    // An error is about the statement as its author wrote it, without the LIMIT.
    return this.#connection.prepare(few).catch(() => this.#connection.prepare(statement.sql))
  }

  /**
   * Ends the session. In a hurry, or amid an answer, the server is told to stop instead. Where work may go
   * on after the answer, the answer does not wait for it.
   */
  leave(hurry = false): Promise<void> {
    if (!this.#leaving) {
      this.#leaving = this.#goodbye(hurry || this.#budget.isSpent)
      this.#waitUntil?.(this.#leaving)
    }
    return this.#waitUntil ? Promise.resolve() : this.#leaving
  }

  async #goodbye(hurry: boolean): Promise<void> {
    const deadline = startDeadline({ ...this.#limits, signal: undefined, timeoutMs: LEAVE_MS })
    await deadline.race(hurry ? this.#kill(deadline) : this.#connection.end()).catch(() => {})
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
