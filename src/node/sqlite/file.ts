import { access, constants } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  type Answer,
  DatabaseError,
  type QueryContext,
  type SqliteFile,
  type Statement,
  startDeadline,
} from '../../database/index.ts'
import { Pool } from '../../database/on-node.ts'
import { SqliteProcess } from '../sqlite-process.ts'
import type { Question } from './read.ts'

/** Limits on the processes that read one file. They start on first use, and stay for the next question. */
const BOUNDS = { size: 2, kept: 2, idleMs: 300_000, lifeMs: Number.POSITIVE_INFINITY }

/** A SQLite file on this machine. */
export const sqliteFile = (path: string): SqliteFile => new File(resolve(path))

class File implements SqliteFile {
  readonly #path: string
  readonly #pool = new Pool<SqliteProcess>(BOUNDS)
  #isClosed = false

  constructor(path: string) {
    this.#path = path
  }

  async read({ sql, params = [] }: Statement, limits: QueryContext): Promise<Answer> {
    if (!hasWhatItTakes) throw oldNode()
    const { signal, over } = startDeadline(limits)
    const { maxRows, maxBytes, timeoutMs } = limits
    const question = { path: this.#path, sql, params, maxRows, maxBytes, timeoutMs }
    try {
      for (;;) {
        const answer = await this.#ask(question, signal)
        if (answer) return answer
      }
    } catch (thrown) {
      if (this.#isClosed) throw closed()
      throw (thrown instanceof DatabaseError ? undefined : over()) ?? thrown
    }
  }

  async #ask(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    signal.throwIfAborted()
    const { it } = await this.#pool.take(
      async () => new SqliteProcess(),
      () => true,
      signal,
    )
    try {
      return await it.ask(question, signal)
    } finally {
      this.#pool.giveBack(it)
    }
  }

  async isWritable(): Promise<boolean> {
    return access(this.#path, constants.W_OK).then(
      () => true,
      () => false,
    )
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.#pool.close()
  }
}

const closed = () => new DatabaseError('network', 'This database is closed.')

/** Since 22.16, Node opens a file by its URL and returns a statement's columns. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const hasWhatItTakes = major > 22 || (major === 22 && minor >= 16)

const oldNode = () =>
  new DatabaseError('config', 'A SQLite file needs Node 22.16 or newer: this is an older version.')
