import type { Io } from '../database.ts'
import { DatabaseError, unreachable } from '../error.ts'
import { ofToken, withPassword } from '../iam/token-login.ts'
import type { Limits } from '../rows.ts'
import type { Deadline } from '../transport/deadline.ts'
import { type Servers, weightier } from '../transport/servers.ts'
import type { default as Library } from './mysql2.mjs'
import type { Server } from './read-only.ts'
import { Connection, type OwnWay } from './tcp-connection.ts'
import { FULL, refusesTls } from './tcp-error.ts'
import type { Login } from './tcp-login.ts'
import { trustOf } from './tcp-tls.ts'

/** A connection that is logged in, and what it was opened with. */
export interface Opened {
  readonly connection: Connection
  readonly server: Server
  /** As it is among the servers. */
  readonly login: Login
  /** As it was taken: encrypted or not. */
  readonly taken: Login & { readonly tls: boolean }
}

/**
 * Logs in to the first server that answers. Each gets its share of the time, so that one that hangs leaves
 * enough for the others. Throws {@link DatabaseError}.
 *
 * @param end when the time of the query is over, in milliseconds since 1970
 */
export async function connect(
  library: typeof Library,
  servers: Servers<Login>,
  connectMs: number | undefined,
  limits: Limits,
  deadline: Deadline,
  end: number,
  io: Io,
): Promise<Opened> {
  const order = servers.inOrder()
  let failure: DatabaseError | undefined
  for (const [i, login] of order.entries()) {
    const others = order.length - 1 - i
    const left = Math.max(1, end - Date.now())
    const share = others === 0 ? left : left / (others + 2)
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
  login: Login,
  limits: Limits,
  connectMs: number,
  deadline: Deadline,
  io: Io,
): Promise<Opened> {
  const time = AbortSignal.any([deadline.signal, AbortSignal.timeout(Math.ceil(connectMs))])
  const ready = await deadline.race(withPassword(login, io, time))
  const open = async (tls: boolean): Promise<Opened> => {
    // A user may have no right in the database but by the role, and so enters it afterwards.
    const hasRole = limits.identity?.role !== undefined
    const taken = { ...ready, tls }
    const first = hasRole ? { ...taken, database: '' } : taken
    const own = await deadline.race(ownWay(library, taken, time, io))
    const connection = new Connection(library, first, limits.timeoutMs, connectMs, own)
    try {
      const server = await deadline.race(connection.opened())
      return { connection, server, login, taken }
    } catch (error) {
      connection.destroy()
      throw ofToken(error, login)
    }
  }
  if (login.tls !== 'offered') return open(login.tls)
  return open(true).catch((error) => {
    if (!refusesTls(error)) throw error
    return open(false)
  })
}

/** Opens a connection beside another, from which the server can be told to stop. Throws {@link DatabaseError}. */
export async function connectBeside(
  library: typeof Library,
  { taken }: Opened,
  ms: number,
  deadline: Deadline,
  io: Io,
): Promise<Connection> {
  // A token may have ended since then.
  const ready = io.machine ? await withPassword(taken, io, deadline.signal) : taken
  const own = await ownWay(library, ready, deadline.signal, io)
  // A user may have no right in the database but by the role.
  const connection = new Connection(library, { ...ready, database: '' }, ms, ms, own)
  try {
    await deadline.race(connection.opened())
    return connection
  } catch (error) {
    connection.destroy()
    throw error
  }
}

/** What a machine of one's own adds to a connection: its files, and a way through a tunnel. */
async function ownWay(
  library: typeof Library,
  { host, port, tls, files }: Login,
  signal: AbortSignal,
  { machine }: Io,
): Promise<OwnWay | undefined> {
  if (!machine) return undefined
  const trust = tls && files ? await trustOf(library, files, machine) : undefined
  const stream = await machine.dial?.(host, port, signal).catch((error) => {
    throw error instanceof DatabaseError ? error : unreachable()
  })
  return { trust, stream }
}
