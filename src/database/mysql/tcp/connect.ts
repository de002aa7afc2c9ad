import type { Io } from '../../database.ts'
import { DatabaseError } from '../../error.ts'
import { ofToken, withPassword } from '../../iam/token-login.ts'
import type { QueryContext } from '../../rows.ts'
import { notDialed, refusesTls } from '../../transport/connection-errors.ts'
import type { Deadline } from '../../transport/deadline.ts'
import { type DatabaseServers, shareOf, weightier } from '../../transport/servers.ts'
import type { default as Library } from '../mysql2.mjs'
import type { ServerKind } from '../read-only.ts'
import { MysqlConnection, type OwnWay } from './connection.ts'
import { FULL } from './error.ts'
import type { MysqlLogin } from './login.ts'
import { trustOf } from './tls.ts'

/** A logged-in connection, with the parameters it was opened with. */
export interface OpenedConnection {
  readonly connection: MysqlConnection
  readonly server: ServerKind
  /** The login, as in the list of servers. */
  readonly login: MysqlLogin
  /** The login that was used, with or without encryption. */
  readonly taken: MysqlLogin & { readonly tls: boolean }
}

/**
 * Logs in to the first server that responds. Each server gets a share of the time, so that a server that hangs
 * leaves enough for the others. Throws {@link DatabaseError}.
 *
 * @param end deadline for the query, in milliseconds since 1970
 */
export async function connect(
  library: typeof Library,
  servers: DatabaseServers<MysqlLogin>,
  connectMs: number | undefined,
  limits: QueryContext,
  deadline: Deadline,
  end: number,
  io: Io,
): Promise<OpenedConnection> {
  const order = servers.inOrder()
  let failure: DatabaseError | undefined
  for (const [i, login] of order.entries()) {
    const share = shareOf(Math.max(1, end - Date.now()), order.length - 1 - i)
    try {
      const ms = Math.min(connectMs ?? share, share)
      return await logIn(library, login, limits, ms, deadline, io)
    } catch (error) {
      const isOver = !!deadline.over() || !(error instanceof DatabaseError)
      if (isOver || error.kind !== 'network') throw error
      servers.avoid(login, 'silent')
      failure = weightier(failure, error, FULL)
    }
  }
  throw failure
}

async function logIn(
  library: typeof Library,
  login: MysqlLogin,
  limits: QueryContext,
  connectMs: number,
  deadline: Deadline,
  io: Io,
): Promise<OpenedConnection> {
  const time = AbortSignal.any([deadline.signal, AbortSignal.timeout(Math.ceil(connectMs))])
  const ready = await deadline.race(withPassword(login, io, time))
  const open = async (tls: boolean): Promise<OpenedConnection> => {
    // A user's only privileges in the database may come from the role, so the database is selected afterwards.
    const hasRole = limits.identity?.role !== undefined
    const taken = { ...ready, tls }
    const first = hasRole ? { ...taken, database: '' } : taken
    const own = await deadline.race(ownWay(library, taken, time, io))
    const connection = new MysqlConnection(library, first, limits.timeoutMs, connectMs, own)
    try {
      const server = await deadline.race(connection.opened())
      return { connection, server, login, taken }
    } catch (error) {
      connection.destroy()
      throw ofToken(error, login, own !== undefined)
    }
  }
  if (login.tls !== 'offered') return open(login.tls)
  return open(true).catch((error) => {
    if (!refusesTls(error)) throw error
    return open(false)
  })
}

/** Opens a second connection, which can cancel work on the first. Throws {@link DatabaseError}. */
export async function connectBeside(
  library: typeof Library,
  { taken }: OpenedConnection,
  ms: number,
  deadline: Deadline,
  io: Io,
): Promise<MysqlConnection> {
  // The token may have expired since then.
  const ready = io.machine ? await withPassword(taken, io, deadline.signal) : taken
  const own = await ownWay(library, ready, deadline.signal, io)
  // A user's only privileges in the database may come from the role.
  const connection = new MysqlConnection(library, { ...ready, database: '' }, ms, ms, own)
  try {
    await deadline.race(connection.opened())
    return connection
  } catch (error) {
    connection.destroy()
    throw error
  }
}

/** Additions to a connection outside Workers: TLS files, and a stream through a tunnel. */
async function ownWay(
  library: typeof Library,
  { host, port, tls, files }: MysqlLogin,
  signal: AbortSignal,
  { machine }: Io,
): Promise<OwnWay | undefined> {
  if (!machine) return undefined
  const trust = tls && files ? await trustOf(library, files, machine) : undefined
  const stream = await machine.dial?.(host, port, signal).catch((error) => {
    throw notDialed(error)
  })
  return { trust, stream }
}
