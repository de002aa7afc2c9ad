import type { Io } from '../database.ts'
import type { Limits } from '../rows.ts'
import { bySessions } from '../sessions.ts'
import { unread } from '../transport/byte-budget.ts'
import { startDeadline, until } from '../transport/deadline.ts'
import { logInPatiently } from '../transport/patient-login.ts'
import { connect } from './tcp-connect.ts'
import type { Connection, Run } from './tcp-connection.ts'
import { FULL } from './tcp-error.ts'
import type { Access } from './tcp-login.ts'
import type { Lent } from './tcp-pool.ts'

/**
 * Works in the session of a call, or in one of its own. It ends with the call, whatever happens: a Worker
 * cannot keep a socket from one request to the next. A machine can, and lends one. When the time is over or the caller leaves, the
 * server is told to stop. Throws {@link DatabaseError}.
 */
export async function inSession<T>(
  access: Access,
  limits: Limits,
  io: Io,
  work: (run: Run, on: Pick<Connection, 'login' | 'rollBack'>) => Promise<T>,
  call = limits.sessions,
): Promise<T> {
  const deadline = startDeadline(limits, 2_000)
  const { signal } = deadline
  const name = JSON.stringify(access.servers.all)
  const open = async () => {
    // Loaded by the first query that needs it: other deployments never do.
    const { default: Client } = await import('./pg.mjs')
    const logIn = () => connect(Client, access, limits, signal, io)
    return logInPatiently(logIn, FULL, limits.timeoutMs, signal)
  }
  const lend =
    io.machine && (await import('./tcp-pool.ts')).lender(access, limits, io.machine, call)
  const take: () => Promise<Connection | Lent> = lend ? () => lend(open, signal) : open
  return bySessions(limits.sessions, async (sessions) => {
    for (;;) {
      let connection: Connection | Lent | undefined
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

/** Whether a connection of an earlier call turned out to be broken before it answered anything. */
const isBroken = (connection: Connection | Lent, error: unknown) =>
  'isBrokenBy' in connection && connection.isBrokenBy(error)
