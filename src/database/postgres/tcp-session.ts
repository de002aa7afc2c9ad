import type { Io } from '../database.ts'
import type { Limits } from '../rows.ts'
import { bySessions } from '../sessions.ts'
import { unread } from '../transport/byte-budget.ts'
import { startDeadline, until } from '../transport/deadline.ts'
import { Connection, type Run } from './tcp-connection.ts'
import { refusesTls } from './tcp-error.ts'
import type { Login } from './tcp-login.ts'

/**
 * Works in the session of a call, or in one of its own. It ends with the call, whatever happens: a Worker
 * cannot keep a socket from one request to the next. When the time is over or the caller leaves, the
 * server is told to stop. Throws {@link DatabaseError}.
 */
export async function inSession<T>(
  login: Login,
  limits: Limits,
  { waitUntil }: Pick<Io, 'waitUntil'>,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(limits, 2_000)
  const { signal } = deadline
  const name = JSON.stringify(login)
  const open = () => connect(login, limits, signal, waitUntil)
  return bySessions(limits.sessions, async (sessions) => {
    for (;;) {
      let connection: Connection | undefined
      try {
        signal.throwIfAborted()
        connection = await until(signal, sessions.take(name, open))
        return await until(signal, connection.ask(limits, work))
      } catch (error) {
        const over = deadline.over()
        if (over || error !== unread) throw over ?? error
      } finally {
        if (connection && (signal.aborted || !connection.isOpen)) {
          await connection.leave(signal.aborted)
        }
      }
    }
  })
}

async function connect(
  login: Login,
  limits: Limits,
  signal: AbortSignal,
  waitUntil: Io['waitUntil'],
): Promise<Connection> {
  // Loaded by the first query that needs it: other deployments never do.
  const { default: Client } = await import('./pg.mjs')
  const connection = new Connection(Client, login, waitUntil)
  try {
    await connection.open(signal, limits.timeoutMs)
    return connection
  } catch (error) {
    if (login.tls !== 'offered' || !refusesTls(error)) throw error
    return connect({ ...login, tls: 'never' }, limits, signal, waitUntil)
  }
}
