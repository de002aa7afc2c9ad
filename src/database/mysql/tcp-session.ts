import type { Io } from '../database.ts'
import { DatabaseError, PARAMETER_HINT, rowTooLarge } from '../error.ts'
import type { Gate, Limits, Statement } from '../rows.ts'
import { bySessions } from '../sessions.ts'
import { ByteBudget, type Room, unread } from '../transport/byte-budget.ts'
import { type Deadline, startDeadline } from '../transport/deadline.ts'
import { logInPatiently } from '../transport/patient-login.ts'
import type { Servers } from '../transport/servers.ts'
import { limited } from './limit.ts'
import type { Answer, default as Library } from './mysql2.mjs'
import { inlineParams } from './quote.ts'
import { noQuery, READ_ONLY, standsAlone } from './read-only.ts'
import { boundValues, collect, type Reading } from './tcp-answer.ts'
import { begin, shut } from './tcp-begin.ts'
import { connect, type Opened } from './tcp-connect.ts'
import { Connection } from './tcp-connection.ts'
import { FULL } from './tcp-error.ts'
import type { Access, Login } from './tcp-login.ts'
import type { Target } from './tcp-parameters.ts'
import { textOf } from './tcp-role.ts'
import { isWanted, noneIs, unwanted } from './tcp-target.ts'

/**
 * Runs one statement in the session of a call, or in one of its own. It ends with the call, whatever
 * happens: a Worker cannot keep a socket from one request to the next. When the time is over or the caller
 * leaves, the server is told to stop. Throws {@link DatabaseError}.
 */
export async function runReadOnly(
  access: Access,
  servers: Servers<Login>,
  statement: Statement,
  limits: Limits,
  io: Io,
): Promise<Reading> {
  const deadline = startDeadline(limits, 2_000)
  // A session has one role, and one time limit.
  const name = JSON.stringify([access, limits.identity?.role, limits.timeoutMs])
  const end = Date.now() + limits.timeoutMs
  let isPatient = false
  let refused = 0
  const open = async () => {
    // Loaded by the first query that needs it: other deployments never do.
    const { default: library } = await deadline.race(import('./mysql2.mjs'))
    const logIn = () => connect(library, servers, access.connectMs, limits, deadline, end, io)
    const opened = await logInPatiently(logIn, FULL, limits.timeoutMs, deadline.signal)
    // Where no server is a standby, the first will do.
    const isLast =
      access.target === 'prefer-standby' && servers.avoided(opened.login) === 'unwanted'
    const target = isLast ? 'any' : access.target
    return new Session(library, opened, target, limits, io.waitUntil, isPatient)
  }
  return bySessions(limits.sessions, async (sessions) => {
    for (;;) {
      let session: Session | undefined
      try {
        session = await deadline.race(sessions.take(isPatient ? `${name} patient` : name, open))
        return await deadline.race(session.read(statement, limits))
      } catch (error) {
        const over = deadline.over()
        if (over) throw over
        if (error === shut) isPatient = true
        else if (error === unwanted && session) {
          servers.avoid(session.login, 'unwanted')
          const last = access.target === 'prefer-standby' ? 1 : 0
          if (++refused >= servers.all.length + last) throw noneIs(access.target)
        } else if (error !== unread) throw error
      } finally {
        const { aborted } = deadline.signal
        if (session && (aborted || session.isOver)) await session.leave(aborted)
      }
    }
  })
}

/** How long closing the connection may take. */
const LEAVE_MS = 1_000

class Session {
  /** Where it is, among the servers. */
  readonly login: Login
  readonly #library: typeof Library
  readonly #opened: Opened
  readonly #target: Target
  readonly #limits: Limits
  readonly #waitUntil: Io['waitUntil']
  readonly #connection: Connection
  readonly #budget = new ByteBudget({ maxBytes: 0 })
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

  /** @param isPatient whether nothing runs in the turn of the settings */
  constructor(
    library: typeof Library,
    opened: Opened,
    target: Target,
    limits: Limits,
    waitUntil: Io['waitUntil'],
    isPatient: boolean,
  ) {
    this.login = opened.login
    this.#library = library
    this.#opened = opened
    this.#connection = opened.connection
    this.#target = target
    this.#limits = limits
    this.#waitUntil = waitUntil
    this.#isPatient = isPatient
    this.#budget.watch(this.#connection.client.stream)
  }

  /** Whether it can be asked more. */
  get isOpen(): boolean {
    return this.#connection.isOpen && !this.#isUsed && !this.#leaving && !this.#budget.isSpent
  }

  /** Whether nothing more comes of it: what others of the call have asked is answered, too. */
  get isOver(): boolean {
    return !this.isOpen && this.#reading === 0
  }

  async read(statement: Statement, limits: Limits): Promise<Reading> {
    this.#isUsed ||= !statement.internal
    this.#reading++
    const room = this.#budget.expect(limits)
    try {
      this.#begun ??= this.#begin()
      return await this.#ask(statement, limits, room, this.#begun)
    } finally {
      this.#reading--
      this.#budget.came(room)
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
      const { variables, atOnce } = await begin(
        connection,
        server,
        this.#limits,
        taken.database,
        look,
      )
      if (!isWanted(this.#target, variables)) throw unwanted
      this.#hasBarrier &&= atOnce
      return atOnce
    } catch (error) {
      this.#isUsed = true
      throw error
    }
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
    // A user may have no right in the database but by the role.
    const login = { ...this.#opened.taken, database: '' }
    const other = new Connection(this.#library, login, LEAVE_MS)
    try {
      await deadline.race(other.opened())
      await deadline.race(other.run(`kill query ${Number(threadId)}`))
    } finally {
      other.destroy()
    }
  }
}
