import { cancelledByCaller } from './error.ts'

/** A session with a database, as far as a call has to know of it. */
interface Session {
  /** Whether it can be asked more. */
  readonly isOpen: boolean
  /** Ends it. Done again, it does nothing more. */
  leave(): Promise<void>
}

/**
 * The sessions of one call: what it asks of a database goes by one, statement after statement. Each
 * statement begins as in a new session, and leaves nothing behind for the next.
 */
export class Sessions {
  readonly #open = new Map<string, Promise<Session>>()
  readonly #end = Promise.withResolvers<void>()
  #ended = false

  /** Resolves when the call is over. */
  get ended(): Promise<void> {
    return this.#end.promise
  }

  /** The session of this name, or a new one where there is none that is open. */
  async take<It extends Session>(name: string, connect: () => Promise<It>): Promise<It> {
    for (;;) {
      if (this.#ended) throw cancelledByCaller()
      const known = this.#open.get(name) as Promise<It> | undefined
      const opening = known ?? connect()
      if (!known) {
        this.#open.set(name, opening)
        opening.catch(() => this.#forget(name, opening))
      }
      const session = await opening
      // One that is closed at once is not replaced: whoever opened it hears why.
      if (session.isOpen || !known) return session
      this.#forget(name, opening)
    }
  }

  /** Ends all of them. Nothing more is asked. */
  async end(): Promise<void> {
    this.#ended = true
    this.#end.resolve()
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.allSettled(all.map(async (it) => (await it).leave()))
  }

  #forget(name: string, session: Promise<Session>): void {
    if (this.#open.get(name) === session) this.#open.delete(name)
  }
}

/** Does some work by these sessions; by sessions of its own, which then end, where there are none. */
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
