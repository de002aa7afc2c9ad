import { DatabaseError } from '../error.ts'
import { until } from './deadline.ts'

/** How long to wait for a connection to become free, in milliseconds, and before the first try of another one. */
const PATIENCE_MS = 10_000
const FIRST_MS = 100

/** The longest pause between two tries. */
const LONGEST_MS = 1_600

/**
 * Logs in. Where the server has no connection to spare, it tries again for some seconds, but for half of the time
 * of the query at most, each time after a longer pause of some random length: a crowd comes at once, and its calls
 * end one after the other. Nothing has been asked until then.
 *
 * @param full the codes by which a server says that it lets in nobody more
 */
export async function logInPatiently<T>(
  logIn: () => Promise<T>,
  full: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<T> {
  const end = Date.now() + Math.min(PATIENCE_MS, timeoutMs / 2)
  for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_MS)) {
    try {
      return await logIn()
    } catch (error) {
      const { code = '' } = error instanceof DatabaseError ? error : {}
      if (!full.includes(code)) throw error
      const ms = pauseMs * (0.5 + Math.random())
      if (Date.now() + ms > end) throw noConnection(code)
      await until(signal, new Promise((resolve) => setTimeout(resolve, ms)))
    }
  }
}

const noConnection = (code: string) =>
  new DatabaseError('network', 'The database has no connection to spare. Try again later.', {
    code,
    hint: 'The operator can allow more connections, or connect through Hyperdrive, which shares them.',
  })
