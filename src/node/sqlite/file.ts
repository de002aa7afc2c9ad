import { access, constants } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  type Answer,
  DatabaseError,
  type Deadline,
  type Limits,
  type SqliteFile,
  type Statement,
  startDeadline,
} from '../../database/index.ts'
import { SqliteProcess } from '../sqlite-process.ts'

/** Processes that read one file at the same time. */
const MAX_PROCESSES = 2

/** How long a process is kept after its last question. */
const IDLE_MS = 300_000

/** A SQLite file of this machine. Its processes start when first asked, and are kept for the next question. */
export const sqliteFile = (path: string): SqliteFile => new File(resolve(path))

class File implements SqliteFile {
  readonly #path: string
  /** Those that wait for a question, each with the timer that ends it. */
  readonly #idle = new Map<SqliteProcess, NodeJS.Timeout>()
  readonly #busy = new Set<SqliteProcess>()
  /** Questions that wait for a process. */
  readonly #waiting = new Set<() => void>()
  #isClosed = false

  constructor(path: string) {
    this.#path = path
  }

  async read({ sql, params = [] }: Statement, limits: Limits): Promise<Answer> {
    if (!hasWhatItTakes) throw oldNode()
    const deadline = startDeadline(limits)
    const { maxRows, maxBytes, timeoutMs } = limits
    const question = { path: this.#path, sql, params, maxRows, maxBytes, timeoutMs }
    for (;;) {
      const process = await this.#take(deadline)
      try {
        const answer = await process.ask(question, deadline.signal)
        if (answer) return answer
      } catch (thrown) {
        if (this.#isClosed) throw closed()
        throw (thrown instanceof DatabaseError ? undefined : deadline.over()) ?? thrown
      } finally {
        this.#leave(process)
      }
    }
  }

  async isWritable(): Promise<boolean> {
    return access(this.#path, constants.W_OK).then(
      () => true,
      () => false,
    )
  }

  close(): void {
    this.#isClosed = true
    for (const [it, timer] of this.#idle) {
      clearTimeout(timer)
      it.kill()
    }
    this.#idle.clear()
    for (const it of this.#busy) it.kill()
  }

  /** A process that nobody else asks meanwhile. */
  async #take(deadline: Deadline): Promise<SqliteProcess> {
    for (;;) {
      if (this.#isClosed) throw closed()
      const over = deadline.over()
      if (over) throw over
      const taken = this.#taken()
      if (taken) return taken
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      try {
        await deadline.race(promise)
      } finally {
        this.#waiting.delete(resolve)
      }
    }
  }

  #taken(): SqliteProcess | undefined {
    for (const [it, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(it)
      if (it.isOver) continue
      this.#busy.add(it)
      return it
    }
    if (this.#busy.size >= MAX_PROCESSES) return undefined
    const it = new SqliteProcess()
    this.#busy.add(it)
    return it
  }

  #leave(it: SqliteProcess): void {
    this.#busy.delete(it)
    if (this.#isClosed) it.kill()
    else if (!it.isOver) {
      const end = () => {
        this.#idle.delete(it)
        it.kill()
      }
      this.#idle.set(it, setTimeout(end, IDLE_MS).unref())
    }
    const [next] = this.#waiting
    next?.()
  }
}

const closed = () => new DatabaseError('network', 'This database is closed.')

/** Node opens a file by its URL, and tells the columns of a statement, since 22.16. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const hasWhatItTakes = major > 22 || (major === 22 && minor >= 16)

const oldNode = () =>
  new DatabaseError('config', 'A SQLite file needs Node 22.16 or newer: this is an older one.')
