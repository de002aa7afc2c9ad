import { DatabaseError } from '../error.ts'
import { until } from './deadline.ts'

/** Fraction of a query's time that it can spend waiting to log in. The rest is for the query. */
const SHARE = 0.8

/** Pauses between checks, in milliseconds: the first, the addition for each waiter ahead, and the longest. */
const FIRST_MS = 25
const BEHIND_MS = 4
const LONGEST_MS = 400

/** Time that a place in line is kept after its last check, because a request can end at any time. */
const LOST_MS = 5_000

const MOST_TRYING = 16

/** A waiter's place in line. Each waiter has its own timer, because in a Worker a request cannot wake another. */
interface ServerPlace {
  seenAt: number
}

/** Waiters for a server without spare connections, in order of arrival. */
class ConnectingLine {
  readonly #places = new Set<ServerPlace>()
  /** Number of waiters at the front that are allowed to try. */
  #trying = 1

  get isEmpty(): boolean {
    return this.#places.size === 0
  }

  /** Number of waiters ahead of this place, or all of them for a new one. */
  before(place: ServerPlace | undefined): number {
    const now = Date.now()
    if (place) {
      place.seenAt = now
      // The waiter keeps its place, unless it was considered lost.
      this.#places.add(place)
    }
    let count = 0
    for (const it of this.#places) {
      if (it === place) break
      if (now - it.seenAt > LOST_MS) this.#places.delete(it)
      else count++
    }
    return count
  }

  isTurnOf(place: ServerPlace | undefined, before: number): boolean {
    return place ? before < this.#trying : before === 0
  }

  enter(): ServerPlace {
    const place = { seenAt: Date.now() }
    this.#places.add(place)
    return place
  }

  leave(place: ServerPlace | undefined): void {
    if (place) this.#places.delete(place)
  }

  /** Records a login's success or failure, which sets how many waiters are allowed to try next. */
  note(isIn: boolean): void {
    this.#trying = isIn ? Math.min(this.#trying + 1, MOST_TRYING) : 1
  }
}

/** Lines by the key from {@link doorOf}. Empty lines are removed. */
const lines = new Map<string, ConnectingLine>()

function lineOf(door: string): ConnectingLine {
  const line = lines.get(door) ?? new ConnectingLine()
  lines.set(door, line)
  return line
}

/** The parts of a login that identify a database on its server. */
interface NamedServer {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}

/** Key for everything that has its own connection limit: the servers, the database, the user and the role. */
export const doorOf = (logins: readonly NamedServer[], role: string | undefined) =>
  JSON.stringify([
    logins.map(({ host, port, user, database }) => [host, port, user, database]),
    role,
  ])

/**
 * Logs in. If the server has no spare connection, the call waits in line for most of the query's time, because a
 * burst of calls arrives at once and ends one call after another. Only the first waiters in line try to log in. No
 * query is sent before that.
 *
 * @param full error codes from a server that does not accept more connections
 * @param door see {@link doorOf}
 */
export async function logInPatiently<T>(
  logIn: () => Promise<T>,
  full: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
  door: string,
): Promise<T> {
  const end = Date.now() + timeoutMs * SHARE
  let place: ServerPlace | undefined
  let [told] = full
  let failures = 0
  try {
    for (;;) {
      const before = lineOf(door).before(place)
      if (lineOf(door).isTurnOf(place, before)) {
        try {
          const it = await logIn()
          lineOf(door).note(true)
          return it
        } catch (error) {
          const { code = '' } = error instanceof DatabaseError ? error : {}
          if (!full.includes(code)) throw error
          lineOf(door).note(false)
          told = code
          failures++
        }
      }
      place ??= lineOf(door).enter()
      const pauseMs = Math.min(
        FIRST_MS * 2 ** Math.min(failures, 4) + BEHIND_MS * before,
        LONGEST_MS,
      )
      const ms = pauseMs * (0.5 + Math.random())
      if (Date.now() + ms > end) throw noConnection(told)
      await until(signal, new Promise((resolve) => setTimeout(resolve, ms)))
    }
  } finally {
    const line = lines.get(door)
    line?.leave(place)
    if (line?.isEmpty) lines.delete(door)
  }
}

const noConnection = (code: string | undefined) =>
  new DatabaseError('network', 'The database has no connection to spare. Try again later.', {
    code,
    hint: 'The operator can allow more connections, or connect through Hyperdrive, which shares them.',
  })
