import type { Driver, Io, UnguardedDatabase } from '../../database.ts'
import { DatabaseError } from '../../error.ts'
import type { Answer, QueryContext, Statement } from '../../rows.ts'
import { bySessions } from '../../sessions.ts'
import { answer, type PostgresResult } from '../answer.ts'
import { postgres as joining } from '../dialect.ts'
import { identityFault } from '../identity.ts'
import {
  accessOf,
  hyperdriveAccess,
  type PostgresLogin,
  type PostgresServers,
} from '../libpq/login.ts'
import { inOwnText, notReadOnly, plansCursor, readOnlySteps } from '../read-only.ts'
import { typesOf } from '../types.ts'
import type { PostgresConnection, RunStatements } from './connection.ts'
import { inSession } from './session.ts'

/** Queries made at the same time share one round trip anyway. If they were joined, the server would take longer. */
const dialect = { ...joining, joining: undefined }

/** PostgreSQL over TCP: `postgres://…` or `hyperdrive:BINDING`. */
export const postgres: Driver = {
  name: 'postgres',
  opens: ({ protocol }) => /^(?:postgres|postgresql|hyperdrive):$/.test(protocol),
  open: (url, io) =>
    url.protocol === 'hyperdrive:'
      ? openAccess(hyperdriveAccess(url, io), io)
      : withTlsState(accessOf(url), io),
  async openOn(machine, url, io) {
    if (url.protocol === 'hyperdrive:') return this.open(url, io)
    const { accessOn } = await import('../libpq/own-settings.ts')
    return withTlsState(await accessOn(machine, url), io)
  },
}

const openAccess = (access: PostgresServers, io: Io): UnguardedDatabase => ({
  dialect,
  rollsBack: true,
  refusesBy: 'as a cursor, in a read-only transaction that is rolled back',
  applies: ['role', 'claims'],
  query: (statement, limits) =>
    bySessions(limits.sessions, (sessions) => read(access, statement, { ...limits, sessions }, io)),
})

function withTlsState(access: PostgresServers, io: Io): UnguardedDatabase {
  const { tls } = access.servers.all[0]!
  return {
    ...openAccess(access, io),
    tls: tls === 'always' ? true : tls === 'never' ? false : undefined,
  }
}

/** Runs a statement, and looks up the names of its types. */
async function read(
  access: PostgresServers,
  statement: Statement,
  limits: QueryContext,
  io: Io,
): Promise<Answer> {
  const reading = await runReadOnly(access, statement, limits, io)
  // At a pooler's address, many databases can have the same name. Their users distinguish them.
  const { host, port, database, user, options } = reading.login
  const { role } = limits.identity ?? {}
  const key = JSON.stringify([host, port, database, user, options, role])
  const types = await typesOf(reading.fields, key, (lookUp, maxRows) =>
    runReadOnly(access, lookUp, { ...limits, maxRows }, io),
  )
  return answer(reading, types, limits)
}

/**
 * Makes the server check for a disconnected client, if it can (version 14 and later, not on Windows).
 * A Worker whose own client disconnects is stopped before it can cancel anything. This runs before switching to
 * a role, which may not have the right to change the setting.
 */
const WATCH_CLIENT = `select pg_catalog.set_config(name, '1000', true) from pg_catalog.pg_settings
  where name operator(pg_catalog.=) 'client_connection_check_interval'
    and pg_catalog.version() operator(pg_catalog.!~*) 'msvc|visual|mingw'`

/**
 * Fails unless the transaction is read-only, because a proxy may have begun a different transaction. The server then
 * gets a value that it refuses, and does nothing more in this transaction.
 */
const CHECK = `select pg_catalog.set_config('transaction_read_only',
  case when pg_catalog.current_setting('transaction_read_only') operator(pg_catalog.=) 'on'
    then 'on' else 'missing' end, true)`

/** Runs before an EXPLAIN, which a server would also accept outside a transaction. */
const WITHIN_TRANSACTION = 'savepoint tidegate'

/**
 * Runs one statement in a read-only transaction. Everything is sent at once: if the check fails, or there is
 * no transaction at all, the server does not accept a cursor or a savepoint. A SHOW does not need either, so it is
 * sent in a separate session, after the transaction is known to be read-only.
 */
function runReadOnly(
  access: PostgresServers,
  statement: Statement,
  limits: QueryContext,
  io: Io,
): Promise<PostgresResult & { readonly login: PostgresLogin }> {
  const [settings, ...rest] = readOnlySteps(statement, limits)
  const atOnce = plansCursor(statement)
    ? rest.map((it) => ({ ...it, behind: WITHIN_TRANSACTION }))
    : rest.length > 1 && rest
  const sessions = atOnce ? limits.sessions : undefined
  const work = async (run: RunStatements, on: Pick<PostgresConnection, 'login' | 'rollBack'>) => {
    const rollBack = () => on.rollBack(run)
    const begun = run({ sql: 'begin read only' }, { sql: CHECK }).catch((error) => {
      throw error instanceof DatabaseError && error.code === REFUSED_VALUE ? notReadOnly() : error
    })
    const set = run({ sql: WATCH_CLIENT }, settings!).catch((error) => {
      throw identityFault(error, limits.identity, true)
    })
    const read = atOnce ? run(...atOnce) : undefined
    if (read) rollBack()
    // If several steps fail, the first error is the cause of the others.
    for (const it of [set, read]) it?.catch(() => {})
    const { rows } = await begun
    if (rows[0]?.[0] !== 'on') throw notReadOnly()
    await set
    const reading = await (read ?? run(...rest).finally(rollBack)).catch((error) => {
      throw inOwnText(error, statement)
    })
    return { ...reading, login: on.login }
  }
  return inSession(access, { ...limits, sessions }, io, work, limits.sessions)
}

/** "Invalid parameter value". */
const REFUSED_VALUE = '22023'
