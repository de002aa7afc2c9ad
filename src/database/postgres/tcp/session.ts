import type { Io } from '../../database.ts'
import type { QueryContext } from '../../rows.ts'
import { bySessions } from '../../sessions.ts'
import { unread } from '../../transport/byte-budget.ts'
import { startDeadline, until } from '../../transport/deadline.ts'
import { doorOf, logInPatiently } from '../../transport/patient-login.ts'
import type { PostgresServers } from '../libpq/login.ts'
import { connect } from './connect.ts'
import type { PostgresConnection, RunStatements } from './connection.ts'
import { FULL } from './error.ts'
import type { LentConnection } from './pool.ts'

/**
 * Runs work in the call's session, or in a separate one. The session always ends with the call, because a Worker
 * cannot keep a socket from one request to the next. A machine can, and lends a connection from its pool. When time
 * runs out or the caller disconnects, the statement is canceled on the server. Throws {@link DatabaseError}.
 */
export async function inSession<T>(
  access: PostgresServers,
  limits: QueryContext,
  io: Io,
  work: (run: RunStatements, on: Pick<PostgresConnection, 'login' | 'rollBack'>) => Promise<T>,
  call = limits.sessions,
): Promise<T> {
  const deadline = startDeadline(limits, 2_000)
  const { signal } = deadline
  const name = JSON.stringify(access.servers.all)
  const open = async () => {
    // Loaded by the first query that needs it. Other deployments never load it.
    const { default: Client } = await import('../pg.mjs')
    const logIn = () => connect(Client, access, limits, signal, io)
    const door = doorOf(access.servers.all, limits.identity?.role)
    return logInPatiently(logIn, FULL, limits.timeoutMs, signal, door)
  }
  const lend = io.machine && (await import('./pool.ts')).lender(access, limits, io.machine, call)
  const take: () => Promise<PostgresConnection | LentConnection> = lend
    ? () => lend(open, signal)
    : open
  return bySessions(limits.sessions, async (sessions) => {
    for (;;) {
      let connection: PostgresConnection | LentConnection | undefined
      try {
        signal.throwIfAborted()
        connection = await until(signal, sessions.take(name, take))
        const on = connection
        return await until(
          signal,
          on.ask(limits, (run) => work(run, on)),
        )
      } catch (error) {
        const over = deadline.over()
        const isAskedAgain = error === unread || (connection && isBroken(connection, error))
        if (over || !isAskedAgain) throw over ?? error
      } finally {
        if (connection && (signal.aborted || !connection.isOpen)) {
          await connection.leave(signal.aborted)
        }
      }
    }
  })
}

/** True if an earlier call's connection was already broken before its first response to this call. */
const isBroken = (connection: PostgresConnection | LentConnection, error: unknown) =>
  'isBrokenBy' in connection && connection.isBrokenBy(error)
