import type { Io } from '../database.ts'
import { DatabaseError, PARAMETER_HINT, rowTooLarge, unreachable } from '../error.ts'
import type { Gate, Limits, Statement } from '../rows.ts'
import type { Sessions } from '../sessions.ts'
import { ByteBudget, type Room, unread } from '../transport/byte-budget.ts'
import { type Deadline, startDeadline, until } from '../transport/deadline.ts'
import { limited } from './limit.ts'
import type { Answer, default as Library } from './mysql2.mjs'
import { inlineParams } from './quote.ts'
import { noQuery, READ_ONLY, standsAlone } from './read-only.ts'
import { boundValues, collect, type Reading } from './tcp-answer.ts'
import { begin } from './tcp-begin.ts'
import { connectBeside, type Opened } from './tcp-connect.ts'
import type { Connection } from './tcp-connection.ts'
import type { Kept, KeptConnections } from './tcp-kept.ts'
import type { Login } from './tcp-login.ts'
import type { Target } from './tcp-parameters.ts'
import { textOf } from './tcp-role.ts'
import { isWanted, unwanted } from './tcp-target.ts'

/** How long closing the connection may take. */
const LEAVE_MS = 1_000

/** How long a connection that was kept may take to show that it lives, and which part of the call's time. */
const SHOW_MS = 2_000
const SHOW_PART = 1 / 4

/** A session with a server: it only reads, and is asked by one call. */
export class Session {
  /** Where it is, among the servers. */
  readonly login: Login
  readonly #library: typeof Library
  readonly #opened: Opened
  readonly #target: Target
  readonly #limits: Limits
  readonly #io: Io
  readonly #held: Held | undefined
  readonly #connection: Connection
  readonly #budget: ByteBudget
  /** Whether it takes a question of ours and the settings in one turn. */
  #hasBarrier = false
  readonly #isPatient: boolean
  /** Resolves once it is known to only read: with whether that needed no second try. */
  #begun: Promise<boolean> | undefined
  /** Whether a statement was asked that is not ours alone: it may leave something behind. */
  #isUsed = false
  /** How many statements are being read. */
  #reading = 0
  #leaving: Promise<void> | undefined
  /** Whether the server has not let it begin. */
  #hasFailed = false

  /**
   * @param isPatient whether nothing runs in the turn of the settings
   * @param held its connection, where that is kept
   */
  constructor(
    library: typeof Library,
    opened: Opened,
    target: Target,
    limits: Limits,
    io: Io,
    isPatient: boolean,
    held?: Held,
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

  /** Whether it can be asked more. */
  get isOpen(): boolean {
    return this.#connection.isOpen && !this.#isUsed && !this.#leaving && !this.#budget.isSpent
  }

  /** Whether nothing more comes of it: what others of the call have asked is answered, too. */
  get isOver(): boolean {
    return !this.isOpen && this.#reading === 0
  }

  /** Whether it could not begin on a connection that somebody had before. */
  get isStale(): boolean {
    return this.#hasFailed && this.#held?.kept.isReused === true
  }

  async read(statement: Statement, limits: Limits): Promise<Reading> {
    // Its connection was given to somebody who waited for one.
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

  /** Has the server read a statement at once, and run it once that is safe. */
  async #ask(
    statement: Statement,
    limits: Limits,
    room: Room,
    begun: Promise<boolean>,
  ): Promise<Reading> {
    const connection = this.#connection
    const few = limited(statement, limits.maxRows + 1)
    const values = boundValues(this.#library, statement)
    const collected = (start: () => Answer | undefined) =>
      collect(connection, start, this.#budget, room, limits)

    // Behind the barrier, a question of ours runs only where the session only reads. Of any other statement
    // that has to be known before, and also that it is a query.
    const isAtOnce = statement.internal && this.#hasBarrier
    const direct = isAtOnce ? connection.prepareAndRun(few, values) : undefined
    const answer = direct && collected(() => direct.answer)
    const early = direct?.prepared ?? connection.prepare(few)
    for (const it of [early, answer]) it?.catch(() => {})

    const atOnce = await begun
    const prepared = await this.#unlessSpent(
      (atOnce ? early : connection.prepare(few))
        // An error is about the statement as its author wrote it, without the LIMIT.
        .catch(() => connection.prepare(statement.sql)),
    )
    if (prepared.columns.length === 0 && !standsAlone(statement)) throw noQuery()
    const { length } = prepared.parameters
    const { params = [] } = statement
    if (length !== params.length) {
      throw new DatabaseError(
        'sql',
        `Send a value for each placeholder ?: there are ${length}, and ${params.length} values came.`,
        { hint: PARAMETER_HINT },
      )
    }
    if (limits.gate) await this.#pass(limits.gate, statement, room, limits)
    const ran = atOnce && answer && (await early.catch(() => undefined)) === prepared
    return ran ? answer : collected(() => prepared.execute(values))
  }

  /**
   * Asks a gate before its statement, which the server has read and knows for a query. A function of a user may
   * run while it is planned, and change the session: so the session is made to only read once more.
   */
  async #pass(gate: Gate, statement: Statement, room: Room, { maxRows }: Limits): Promise<void> {
    const connection = this.#connection
    const text = inlineParams(statement)
    const asked = connection
      .run(gate.of(limited(statement, maxRows + 1, text)))
      // As where it was prepared.
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

  /** Waits for some work that comes behind an answer, which may be too long. */
  #unlessSpent<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#budget.spent.then(() => Promise.reject(unread))])
  }

  /** Makes sure that it only reads, on MariaDB by a barrier for what is sent behind it. */
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

  /** Waits for the first answer: for long only where the connection is new. */
  #shown<T>(begun: Promise<T>): Promise<T> {
    if (!this.#held?.kept.isReused) return begun
    const ms = Math.min(SHOW_MS, this.#limits.timeoutMs * SHOW_PART)
    const time = AbortSignal.timeout(Math.ceil(ms))
    return until(time, begun).catch((error) => {
      throw time.aborted ? unreachable() : error
    })
  }

  /**
   * Ends the session. In a hurry, or amid an answer, the server is told to stop instead. Where work may go
   * on after the answer, the answer does not wait for it.
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

  /** Ends the query from another connection, the only place from which a server hears of it. */
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

/** A connection that is kept: where, and which call has it. */
export interface Held {
  readonly connections: KeptConnections
  readonly kept: Kept
  readonly call: Sessions
}
