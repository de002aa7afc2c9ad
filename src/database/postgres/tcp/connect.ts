import type { Io } from '../../database.ts'
import { badConfig, DatabaseError, unreachable } from '../../error.ts'
import { ofToken, withPassword } from '../../iam/token-login.ts'
import type { QueryContext } from '../../rows.ts'
import { refusesTls } from '../../transport/connection-errors.ts'
import { until } from '../../transport/deadline.ts'
import { noneIs, shareOf, type Target, weightier } from '../../transport/servers.ts'
import type { PostgresLogin, PostgresServers, Tls } from '../libpq/login.ts'
import type { default as Client } from '../pg.mjs'
import { PostgresConnection } from './connection.ts'
import { connectFailure, FULL } from './error.ts'

/** Time to wait for a connection. A server that takes longer is not going to accept it. */
const CONNECT_MS = 10_000

/**
 * Connects to the first server that responds and is the kind that the URL requires. Each server gets a share of the
 * time, so that a server that hangs leaves enough for the others. Throws {@link DatabaseError}.
 */
export async function connect(
  PgClient: typeof Client,
  { servers, target, random, connectMs = CONNECT_MS }: PostgresServers,
  limits: QueryContext,
  signal: AbortSignal,
  io: Io,
): Promise<PostgresConnection> {
  const order = servers.inOrder(random)
  const end = Date.now() + limits.timeoutMs
  /** An acceptable server that is not the preferred kind. */
  let spare: PostgresConnection | undefined
  let failure: DatabaseError | undefined
  let isUnwanted = false
  for (const [i, login] of order.entries()) {
    const share = shareOf(end - Date.now(), order.length - 1 - i)
    const ms = Math.floor(Math.max(1, Math.min(CONNECT_MS, connectMs, share)))
    const time = AbortSignal.any([signal, AbortSignal.timeout(ms)])
    try {
      const connection = await logIn(PgClient, login, time, io)
      if (await isWanted(connection, target, limits, time)) {
        await spare?.leave()
        return connection
      }
      isUnwanted = true
      servers.avoid(login, 'unwanted')
      if (target === 'prefer-standby' && !spare) spare = connection
      else await connection.leave()
    } catch (error) {
      const isOver = signal.aborted || !(error instanceof DatabaseError) || error.kind !== 'network'
      if (isOver) {
        await spare?.leave()
        throw error
      }
      servers.avoid(login, 'silent')
      failure = weightier(failure, error, FULL)
    }
  }
  if (spare?.isOpen) return spare
  if (isUnwanted && !spare) throw noneIs(target)
  throw failure ?? unreachable()
}

/** The encryption to try first, then the fallback if the server refuses the first. */
const ATTEMPTS: Readonly<Record<Tls, readonly ['always' | 'never', ('always' | 'never')?]>> = {
  always: ['always'],
  prefer: ['always', 'never'],
  allow: ['never', 'always'],
  never: ['never'],
}

async function logIn(
  PgClient: typeof Client,
  login: PostgresLogin,
  signal: AbortSignal,
  io: Io,
): Promise<PostgresConnection> {
  const { machine } = io
  const own =
    machine && login.own ? (await import('../libpq/own-login.ts')).ownLogin(machine) : undefined
  const open = async (tls: Tls) => {
    const known = { ...(await withPassword(login, io, signal)), tls }
    const ready = own ? await own.withPassword(known) : known
    const extras = await own?.extrasOf(ready)
    const stream = await extras?.dial?.(signal)
    const connection = new PostgresConnection(PgClient, ready, io.waitUntil, extras, stream)
    await connection.open(signal).catch((error) => {
      throw ofToken(error, login, own !== undefined)
    })
    return connection
  }
  const [first, second] = ATTEMPTS[login.tls]
  try {
    return await open(first)
  } catch (error) {
    if (!second || signal.aborted || !mayDoElse(error)) throw error
    return open(second)
  }
}

/** True if the other encryption mode could work. A wrong password is wrong in either mode. */
const mayDoElse = (error: unknown) =>
  refusesTls(error) ||
  (error instanceof DatabaseError && error.code !== undefined && error.code !== '28P01')

/** Parameters that the server reports at login, since PostgreSQL 14. */
const IN_RECOVERY = 'in_hot_standby'
const READ_ONLY = 'default_transaction_read_only'

/** For an older server, or a pooler that does not pass these parameters on. */
const STATE =
  "select pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('transaction_read_only')"

async function isWanted(
  connection: PostgresConnection,
  target: Target,
  limits: QueryContext,
  signal: AbortSignal,
): Promise<boolean> {
  if (target === 'any') return true
  let [recovery, readOnly] = stateOf(connection)
  if (recovery === undefined || readOnly === undefined) {
    const asked = connection.ask(limits, (run) => run({ sql: STATE }))
    try {
      const { rows } = await until(signal, asked)
      ;[recovery, readOnly] = rows[0]!.map((it) => (it === 't' || it === 'on' ? 'on' : 'off'))
    } catch (error) {
      await connection.leave(true)
      if (error instanceof DatabaseError && error.kind === 'sql') throw unknown()
      throw error instanceof DatabaseError ? error : connectFailure(error, false)
    }
  }
  return fits(target, recovery === 'on', readOnly === 'on')
}

const stateOf = ({ reported }: PostgresConnection) => [
  reported.get(IN_RECOVERY),
  reported.get(READ_ONLY),
]

/**
 * True if an earlier call's connection still goes to the required kind of server, based on the parameters that
 * the server reports. For example, a standby can become the primary. A mere preference does not cause a new search.
 */
export function isStillWanted(connection: PostgresConnection, target: Target): boolean {
  const [recovery, readOnly] = stateOf(connection)
  if (target === 'any' || target === 'prefer-standby' || recovery === undefined) return true
  return fits(target, recovery === 'on', readOnly === 'on')
}

function fits(target: Target, isStandby: boolean, readsOnly: boolean): boolean {
  const isReadOnly = isStandby || readsOnly
  switch (target) {
    case 'read-write':
      return !isReadOnly
    case 'read-only':
      return isReadOnly
    case 'primary':
      return !isStandby
    default:
      return isStandby
  }
}

const unknown = () =>
  badConfig(
    'The server does not report whether it is a standby, which target_session_attrs requires.',
  )
