import type { Io } from '../../database.ts'
import { DatabaseError, PARAMETER_HINT, rowTooLarge, unreachable } from '../../error.ts'
import type { Gate, Limits, QueryContext, Statement } from '../../rows.ts'
import type { Sessions } from '../../sessions.ts'
import { ByteBudget, type ByteRoom, unread } from '../../transport/byte-budget.ts'
import { type Deadline, startDeadline, until } from '../../transport/deadline.ts'
import type { Target } from '../../transport/servers.ts'
import { limited } from '../limit.ts'
import type { Answer, default as Library } from '../mysql2.mjs'
import { inlineParams } from '../quote.ts'
import { noQuery, READ_ONLY, standsAlone } from '../read-only.ts'
import { boundValues, collect, type ReadAnswer } from './answer.ts'
import { begin, isWanted, unwanted } from './begin.ts'
import { connectBeside, type OpenedConnection } from './connect.ts'
import type { MysqlConnection } from './connection.ts'
import type { ConnectionPool, KeptConnections } from './kept.ts'
import type { MysqlLogin } from './login.ts'
import { textOf } from './role.ts'

/** Time limit for closing the connection. */
const LEAVE_MS = 1_000

/** Time limit for a pooled connection's first response, in milliseconds and as a fraction of the call's time. */
const SHOW_MS = 2_000
const SHOW_PART = 1 / 4

/** A read-only session with a server, used by a single call. */
export class MysqlSession {
  /** Its login, as in the list of servers. */
  readonly login: MysqlLogin
  readonly #library: typeof Library
  readonly #opened: OpenedConnection
  readonly #target: Target
  readonly #limits: QueryContext
  readonly #io: Io
  readonly #held: PooledConnection | undefined
  readonly #connection: MysqlConnection
  readonly #budget: ByteBudget
  /** True if one of our own queries can be sent in the same round trip as the settings. */
  #hasBarrier = false
  readonly #isPatient: boolean
  /** Resolves once the session is known to be read-only. False if that took a second try. */
  #begun: Promise<boolean> | undefined
  /** True once the session has received a caller's statement, which can leave state behind. */
  #isUsed = false
  #reading = 0
  #leaving: Promise<void> | undefined
  #hasFailed = false

  /**
   * @param isPatient true if statements must not run in the same round trip as the settings
   * @param held its pooled connection, if there is a pool
   */
  constructor(
    library: typeof Library,
    opened: OpenedConnection,
    target: Target,
    limits: QueryContext,
    io: Io,
    isPatient: boolean,
    held?: PooledConnection,
  ) {
    this.login = opened.login
    this.#library = library
    this.#opened = opened
    this.#connection = opened.connection
    this.#target = target
    this.#limits = limits
    this.#io = io
    this.#held = held
    this.#isPatient = isPatient
    this.#budget = held?.kept.budget ?? new ByteBudget({ maxBytes: 0 })
    if (!held) this.#budget.watch(this.#connection.client.stream)
  }

  get isOpen(): boolean {
    return this.#connection.isOpen && !this.#isUsed && !this.#leaving && !this.#budget.isSpent
  }

  /** True once the session is closed to new statements and all of the call's statements have ended. */
  get isOver(): boolean {
    return !this.isOpen && this.#reading === 0
  }

  /** True if the session could not begin on a connection that was used before. */
  get isStale(): boolean {
    return this.#hasFailed && this.#held?.kept.isReused === true
  }

  async read(statement: Statement, limits: QueryContext): Promise<ReadAnswer> {
    // Its connection has gone to another query that was waiting for one.
    if (this.#leaving) throw unread
    this.#held?.connections.unrest(this.#held.call, this)
    this.#isUsed ||= !statement.internal
    this.#reading++
    const room = this.#budget.expect(limits)
    try {
      this.#begun ??= this.#begin()
      return await this.#ask(statement, limits, room, this.#begun)
    } finally {
      this.#reading--
      this.#budget.came(room)
      if (this.isOpen && this.#reading === 0) {
        this.#held?.connections.rest(this.#held.call, this)
      }
    }
  }

  /** Makes the server parse a statement immediately, and run it when that is safe. */
  async #ask(
    statement: Statement,
    limits: QueryContext,
    room: ByteRoom,
    begun: Promise<boolean>,
  ): Promise<ReadAnswer> {
    const connection = this.#connection
    const few = limited(statement, limits.maxRows + 1)
    const values = boundValues(this.#library, statement)
    const collected = (start: () => Answer | undefined) =>
      collect(connection, start, this.#budget, room, limits)

    // After the barrier, our own queries only run if the session is read-only. For any other statement,
    // it must be known in advance that the session is read-only and that the statement is a query.
    const isAtOnce = statement.internal && this.#hasBarrier
    const direct = isAtOnce ? connection.prepareAndRun(few, values) : undefined
    const answer = direct && collected(() => direct.answer)
    const early = direct?.prepared ?? connection.prepare(few)
    for (const it of [early, answer]) it?.catch(() => {})

    const atOnce = await begun
    const prepared = await this.#unlessSpent(
      (atOnce ? early : connection.prepare(few))
        // Errors are reported for the statement as the caller wrote it, without the LIMIT.
        .catch(() => connection.prepare(statement.sql)),
    )
    if (prepared.columns.length === 0 && !standsAlone(statement)) throw noQuery()
    const { length } = prepared.parameters
    const { params = [] } = statement
    if (length !== params.length) {
      throw new DatabaseError(
        'sql',
        `Send a value for each placeholder (?): there are ${length}, and ${params.length} values were sent.`,
        { hint: PARAMETER_HINT },
      )
    }
    if (limits.gate) await this.#pass(limits.gate, statement, room, limits)
    const ran = atOnce && answer && (await early.catch(() => undefined)) === prepared
    return ran ? answer : collected(() => prepared.execute(values))
  }

  /**
   * Checks the gate before a statement that the server has parsed as a query. A user-defined function can run
   * during planning and change the session, so the session is made read-only again.
   */
  async #pass(
    gate: Gate,
    statement: Statement,
    room: ByteRoom,
    { maxRows }: Limits,
  ): Promise<void> {
    const connection = this.#connection
    const text = inlineParams(statement)
    const asked = connection
      .run(gate.of(limited(statement, maxRows + 1, text)))
      // Same fallback as for preparing: without the LIMIT.
      .catch(() => connection.run(gate.of(text)))
    const again = connection.run(READ_ONLY)
    again.catch(() => {})
    const spent = this.#budget.spent.then(() => {
      throw this.#budget.spentBy === room ? rowTooLarge() : unread
    })
    const rows = await Promise.race([asked, spent])
    await again
    gate.pass({ columns: [], rows: rows.map((row) => row.map(textOf)), truncated: false })
  }

  /** Waits for work that is queued behind a result. Throws {@link unread} if the result is too long. */
  #unlessSpent<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#budget.spent.then(() => Promise.reject(unread))])
  }

  /** Makes the session read-only and checks it. On MariaDB, a barrier protects statements sent after it. */
  async #begin(): Promise<boolean> {
    const look = !this.#connection.runsLast ? 'none' : this.#isPatient ? 'last' : 'ahead'
    this.#hasBarrier = look === 'ahead'
    const { connection, server, taken } = this.#opened
    try {
      const begun = begin(connection, server, this.#limits, taken.database, look)
      const { variables, atOnce } = await this.#shown(begun)
      if (!isWanted(this.#target, variables)) throw unwanted
      this.#hasBarrier &&= atOnce
      return atOnce
    } catch (error) {
      this.#isUsed = true
      this.#hasFailed = true
      throw error
    }
  }

  /** Waits for the first response, with a shorter limit if the connection was used before. */
  #shown<T>(begun: Promise<T>): Promise<T> {
    if (!this.#held?.kept.isReused) return begun
    const ms = Math.min(SHOW_MS, this.#limits.timeoutMs * SHOW_PART)
    const time = AbortSignal.timeout(Math.ceil(ms))
    return until(time, begun).catch((error) => {
      throw time.aborted ? unreachable() : error
    })
  }

  /**
   * Ends the session. In a hurry, or in the middle of a result, the statement is killed instead. If the platform
   * allows background work, the caller does not wait for this.
   */
  leave(hurry = false): Promise<void> {
    if (!this.#leaving) {
      this.#leaving = this.#goodbye(hurry || this.#budget.isSpent)
      this.#io.waitUntil?.(this.#leaving)
    }
    return this.#io.waitUntil ? Promise.resolve() : this.#leaving
  }

  async #goodbye(hurry: boolean): Promise<void> {
    const { connections, kept, call } = this.#held ?? {}
    const isDone = !hurry && !this.#hasFailed && this.#reading === 0 && this.#connection.isOpen
    if (connections && kept && call) {
      connections.unrest(call, this)
      if (isDone) await kept.renew()
      else await this.#close(hurry)
      connections.giveBack(kept)
    } else await this.#close(hurry)
  }

  async #close(hurry: boolean): Promise<void> {
    const deadline = startDeadline({ ...this.#limits, signal: undefined, timeoutMs: LEAVE_MS })
    if (!this.isStale) {
      await deadline.race(hurry ? this.#kill(deadline) : this.#connection.end()).catch(() => {})
    }
    this.#connection.destroy()
  }

  /** Kills the query from another connection, because a busy connection cannot do that. */
  async #kill(deadline: Deadline): Promise<void> {
    const { threadId } = this.#connection.client
    if (threadId === null) return
    const other = await connectBeside(this.#library, this.#opened, LEAVE_MS, deadline, this.#io)
    try {
      await deadline.race(other.run(`kill query ${Number(threadId)}`))
    } finally {
      other.destroy()
    }
  }
}

/** A pooled connection, its pool, and the call that uses it. */
export interface PooledConnection {
  readonly connections: KeptConnections
  readonly kept: ConnectionPool
  readonly call: Sessions
}
