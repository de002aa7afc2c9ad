import type { Io } from '../../database.ts'
import type { QueryContext, Statement } from '../../rows.ts'
import { bySessions, type Sessions } from '../../sessions.ts'
import { unread } from '../../transport/byte-budget.ts'
import { startDeadline } from '../../transport/deadline.ts'
import { doorOf, logInPatiently } from '../../transport/patient-login.ts'
import { type DatabaseServers, noneIs } from '../../transport/servers.ts'
import type { ReadAnswer } from './answer.ts'
import { shut, unwanted } from './begin.ts'
import { connect } from './connect.ts'
import { FULL } from './error.ts'
import type { KeptConnections } from './kept.ts'
import type { MysqlLogin, MysqlServers } from './login.ts'
import { MysqlSession } from './session.ts'

/** A database that is reached over TCP. */
export interface RunPlace {
  readonly access: MysqlServers
  readonly servers: DatabaseServers<MysqlLogin>
  /** The pooled connections. Undefined in a Worker. */
  readonly connections: KeptConnections | undefined
}

/**
 * Runs one statement in the call's session, or in a separate one. The session always ends with the call. A Worker
 * cannot keep a socket from one request to the next, and other platforms keep the connection but not the session.
 * When time runs out or the caller disconnects, the statement is canceled on the server. Throws
 * {@link DatabaseError}.
 */
export async function runReadOnly(
  { access, servers, connections }: RunPlace,
  statement: Statement,
  limits: QueryContext,
  io: Io,
): Promise<ReadAnswer> {
  const deadline = startDeadline(limits, 2_000)
  // A session has a single role and a single time limit.
  const name = JSON.stringify([access, limits.identity?.role, limits.timeoutMs])
  const end = Date.now() + limits.timeoutMs
  let isPatient = false
  let refused = 0
  let hasBroken = false
  const open = async (call: Sessions) => {
    // Loaded by the first query that needs it. Other deployments never load it.
    const { default: library } = await deadline.race(import('../mysql2.mjs'))
    const logIn = () => connect(library, servers, access.connectMs, limits, deadline, end, io)
    const { role } = limits.identity ?? {}
    const door = doorOf(servers.all, role)
    const enter = () => logInPatiently(logIn, FULL, limits.timeoutMs, deadline.signal, door)
    const kept = await connections?.take(role, enter, !hasBroken, call, limits)
    const opened = kept?.opened ?? (await enter())
    // If no server is a standby, the first one is used.
    const isLast =
      access.target === 'prefer-standby' && servers.avoided(opened.login) === 'unwanted'
    const target = isLast ? 'any' : access.target
    const held = connections && kept && { connections, kept, call }
    return new MysqlSession(library, opened, target, limits, io, isPatient, held)
  }
  return bySessions(limits.sessions, async (sessions) => {
    for (;;) {
      let session: MysqlSession | undefined
      try {
        const own = isPatient ? `${name} patient` : name
        session = await deadline.race(sessions.take(own, () => open(sessions)))
        return await deadline.race(session.read(statement, limits))
      } catch (error) {
        const over = deadline.over()
        if (over) throw over
        // A pooled connection may have broken, or its server may have changed its role. Try a new connection.
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
