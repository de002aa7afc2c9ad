import { cancelledByCaller } from './error.ts'

/** A session with a database, as seen by a call. */
interface DatabaseSession {
  /** True if it can take more statements. */
  readonly isOpen: boolean
  /** Ends it. A second call does nothing. */
  leave(): Promise<void>
}

/**
 * The sessions of one call. Its statements to a database run one after another in one session. Each
 * statement starts as if in a new session, and leaves nothing behind for the next statement.
 */
export class Sessions {
  readonly #open = new Map<string, Promise<DatabaseSession>>()
  readonly #end = Promise.withResolvers<void>()
  #ended = false

  /** Resolves when the call is over. */
  get ended(): Promise<void> {
    return this.#end.promise
  }

  /** The session with this name, or a new one if none is open. */
  async take<It extends DatabaseSession>(name: string, connect: () => Promise<It>): Promise<It> {
    for (;;) {
      if (this.#ended) throw cancelledByCaller()
      const known = this.#open.get(name) as Promise<It> | undefined
      const opening = known ?? connect()
      if (!known) {
        this.#open.set(name, opening)
        opening.catch(() => this.#forget(name, opening))
      }
      const session = await opening
      // A session that closes at once is not replaced: the caller that opened it gets the error.
      if (session.isOpen || !known) return session
      this.#forget(name, opening)
    }
  }

  /** Ends all of them. No statement can follow. */
  async end(): Promise<void> {
    this.#ended = true
    this.#end.resolve()
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.allSettled(all.map(async (it) => (await it).leave()))
  }

  #forget(name: string, session: Promise<DatabaseSession>): void {
    if (this.#open.get(name) === session) this.#open.delete(name)
  }
}

/** Runs some work with these sessions, or with its own, which end afterwards. */
export async function bySessions<T>(
  given: Sessions | undefined,
  work: (sessions: Sessions) => Promise<T>,
): Promise<T> {
  if (given) return work(given)
  const own = new Sessions()
  try {
    return await work(own)
  } finally {
    await own.end()
  }
}
