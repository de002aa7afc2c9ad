import type { Io } from '../database.ts'
import { DatabaseError, unreachable } from '../error.ts'
import { ofToken, withPassword } from '../iam/token-login.ts'
import type { Limits } from '../rows.ts'
import { until } from '../transport/deadline.ts'
import { weightier } from '../transport/servers.ts'
import type { default as Client } from './pg.mjs'
import { Connection } from './tcp-connection.ts'
import { connectFailure, FULL, refusesTls } from './tcp-error.ts'
import type { Access, Login, Tls } from './tcp-login.ts'
import type { Target } from './tcp-parameters.ts'

/** How long to wait for a connection: a server that takes longer does not let us in at all. */
const CONNECT_MS = 10_000

/**
 * Connects to the first server that answers and is what the URL wants. Each gets its share of the time, so
 * that one that hangs leaves enough for the others. Throws {@link DatabaseError}.
 */
export async function connect(
  PgClient: typeof Client,
  { servers, target, random, connectMs = CONNECT_MS }: Access,
  limits: Limits,
  signal: AbortSignal,
  io: Io,
): Promise<Connection> {
  const order = servers.inOrder(random)
  const end = Date.now() + limits.timeoutMs
  /** A server that is not preferred, but will do. */
  let spare: Connection | undefined
  let failure: DatabaseError | undefined
  let isUnwanted = false
  for (const [i, login] of order.entries()) {
    const others = order.length - 1 - i
    const left = end - Date.now()
    const share = others === 0 ? left : left / (others + 2)
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

/** How to encrypt, and how else if the server does not let us in that way. */
const ATTEMPTS: Readonly<Record<Tls, readonly ['always' | 'never', ('always' | 'never')?]>> = {
  always: ['always'],
  prefer: ['always', 'never'],
  allow: ['never', 'always'],
  never: ['never'],
}

async function logIn(
  PgClient: typeof Client,
  login: Login,
  signal: AbortSignal,
  io: Io,
): Promise<Connection> {
  const { machine } = io
  const own = machine && login.own ? (await import('./own-login.ts')).ownLogin(machine) : undefined
  const open = async (tls: Tls) => {
    const known = { ...(await withPassword(login, io, signal)), tls }
    const ready = own ? await own.withPassword(known) : known
    const extras = await own?.extrasOf(ready)
    const stream = await extras?.dial?.(signal)
    const connection = new Connection(PgClient, ready, io.waitUntil, extras, stream)
    await connection.open(signal).catch((error) => {
      throw ofToken(error, login)
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

/** Whether a server may let us in if we encrypt, or if we do not. A password is wrong either way. */
const mayDoElse = (error: unknown) =>
  refusesTls(error) ||
  (error instanceof DatabaseError && error.code !== undefined && error.code !== '28P01')

/** What the server says when it lets somebody in, since PostgreSQL 14. */
const IN_RECOVERY = 'in_hot_standby'
const READ_ONLY = 'default_transaction_read_only'

/** For an older server, or a pooler that does not pass this on. */
const STATE =
  "select pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('transaction_read_only')"

async function isWanted(
  connection: Connection,
  target: Target,
  limits: Limits,
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

const stateOf = ({ reported }: Connection) => [reported.get(IN_RECOVERY), reported.get(READ_ONLY)]

/**
 * Whether a connection of an earlier call leads to a server that is wanted, as far as the server says it by
 * itself: a standby may have become the primary. What is only preferred is not looked for again.
 */
export function isStillWanted(connection: Connection, target: Target): boolean {
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

const noneIs = (target: Target) =>
  new DatabaseError('network', `None of the servers of the database is ${target} at the moment.`, {
    hint: 'The operator can change target_session_attrs in its URL.',
  })

const unknown = () =>
  new DatabaseError(
    'config',
    'The server does not say whether it is a standby, which target_session_attrs asks for.',
  )
