import type { Limits } from '../rows.ts'
import { startDeadline, until } from '../transport/deadline.ts'
import { Connection, type Run } from './tcp-connection.ts'
import { refusesTls } from './tcp-error.ts'
import type { Login } from './tcp-login.ts'

/**
 * Connects, works and disconnects, whatever happens: a Worker cannot keep a socket from one request
 * to the next. When the time is over or the caller leaves, the server is told to stop. Throws
 * {@link DatabaseError}.
 */
export async function inSession<T>(
  login: Login,
  limits: Limits,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(limits, 2_000)
  const { signal } = deadline
  let connection: Connection | undefined
  try {
    signal.throwIfAborted()
    connection = await connect(login, limits, signal)
    return await until(signal, work(connection.run))
  } catch (error) {
    throw deadline.over() ?? error
  } finally {
    await connection?.leave(signal.aborted)
  }
}

async function connect(login: Login, limits: Limits, signal: AbortSignal): Promise<Connection> {
  // Loaded by the first query that needs it: other deployments never do.
  const { default: Client } = await import('./pg.mjs')
  const connection = new Connection(Client, login, limits)
  try {
    await connection.open(signal)
    return connection
  } catch (error) {
    if (login.tls !== 'offered' || !refusesTls(error)) throw error
    return connect({ ...login, tls: 'never' }, limits, signal)
  }
}
