import type { Io } from '../database.ts'
import type { Limits, Statement } from '../rows.ts'
import { bySessions, type Sessions } from '../sessions.ts'
import { unread } from '../transport/byte-budget.ts'
import { startDeadline } from '../transport/deadline.ts'
import { logInPatiently } from '../transport/patient-login.ts'
import type { Servers } from '../transport/servers.ts'
import type { Reading } from './tcp-answer.ts'
import { shut } from './tcp-begin.ts'
import { connect } from './tcp-connect.ts'
import { FULL } from './tcp-error.ts'
import type { KeptConnections } from './tcp-kept.ts'
import type { Access, Login } from './tcp-login.ts'
import { Session } from './tcp-session.ts'
import { noneIs, unwanted } from './tcp-target.ts'

/** A database that is reached by TCP. */
export interface Place {
  readonly access: Access
  readonly servers: Servers<Login>
  /** The connections that are kept, where this is no Worker. */
  readonly connections: KeptConnections | undefined
}

/**
 * Runs one statement in the session of a call, or in one of its own. It ends with the call, whatever
 * happens: a Worker cannot keep a socket from one request to the next, and elsewhere a connection is kept,
 * but no session. When the time is over or the caller leaves, the server is told to stop. Throws
 * {@link DatabaseError}.
 */
export async function runReadOnly(
  { access, servers, connections }: Place,
  statement: Statement,
  limits: Limits,
  io: Io,
): Promise<Reading> {
  const deadline = startDeadline(limits, 2_000)
  // A session has one role, and one time limit.
  const name = JSON.stringify([access, limits.identity?.role, limits.timeoutMs])
  const end = Date.now() + limits.timeoutMs
  let isPatient = false
  let refused = 0
  let hasBroken = false
  const open = async (call: Sessions) => {
    // Loaded by the first query that needs it: other deployments never do.
    const { default: library } = await deadline.race(import('./mysql2.mjs'))
    const logIn = () => connect(library, servers, access.connectMs, limits, deadline, end, io)
    const enter = () => logInPatiently(logIn, FULL, limits.timeoutMs, deadline.signal)
    const { role } = limits.identity ?? {}
    const kept = await connections?.take(role, enter, !hasBroken, call, limits)
    const opened = kept?.opened ?? (await enter())
    // Where no server is a standby, the first will do.
    const isLast =
      access.target === 'prefer-standby' && servers.avoided(opened.login) === 'unwanted'
    const target = isLast ? 'any' : access.target
    const held = connections && kept && { connections, kept, call }
    return new Session(library, opened, target, limits, io, isPatient, held)
  }
  return bySessions(limits.sessions, async (sessions) => {
    for (;;) {
      let session: Session | undefined
      try {
        const own = isPatient ? `${name} patient` : name
        session = await deadline.race(sessions.take(own, () => open(sessions)))
        return await deadline.race(session.read(statement, limits))
      } catch (error) {
        const over = deadline.over()
        if (over) throw over
        // A connection that was kept may have broken, or its server changed its part. A new one tells.
        if (session?.isStale && !hasBroken) hasBroken = true
        else if (error === shut) isPatient = true
        else if (error === unwanted && session) {
          servers.avoid(session.login, 'unwanted')
          const last = access.target === 'prefer-standby' ? 1 : 0
          if (++refused >= servers.all.length + last) throw noneIs(access.target)
        } else if (error !== unread) throw error
      } finally {
        const { aborted } = deadline.signal
        if (session && (aborted || session.isOver)) await session.leave(aborted)
      }
    }
  })
}
