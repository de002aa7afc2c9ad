import type { Driver, Io, UnguardedDatabase } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { Answer, Limits, Statement } from '../rows.ts'
import { bySessions } from '../sessions.ts'
import { answer } from './answer.ts'
import { postgres as joining } from './dialect.ts'
import { identityFault } from './identity.ts'
import { inOwnText, plansCursor, readOnlySteps } from './read-only.ts'
import type { Connection, Run } from './tcp-connection.ts'
import { type Access, accessOf, hyperdriveAccess, type Login } from './tcp-login.ts'
import type { Reading } from './tcp-query.ts'
import { inSession } from './tcp-session.ts'
import { typesOf } from './types.ts'

/** Questions that are asked at once go out in one turn here anyway. Joined, they take the server longer. */
const dialect = { ...joining, joining: undefined }

/** PostgreSQL over TCP: `postgres://…` or `hyperdrive:BINDING`. */
export const postgres: Driver = {
  name: 'postgres',
  opens: ({ protocol }) => /^(?:postgres|postgresql|hyperdrive):$/.test(protocol),
  open: (url, io) =>
    url.protocol === 'hyperdrive:'
      ? openAccess(hyperdriveAccess(url, io), io)
      : withTlsState(accessOf(url), io),
  openOn: async (machine, url, io) =>
    url.protocol === 'hyperdrive:'
      ? openAccess(hyperdriveAccess(url, io), io)
      : withTlsState(await (await import('./own-settings.ts')).accessOn(machine, url), io),
}

const openAccess = (access: Access, io: Io): UnguardedDatabase => ({
  dialect,
  rollsBack: true,
  refusesBy: 'as a cursor, in a transaction that only reads and is rolled back',
  applies: ['role', 'claims'],
  query: (statement, limits) =>
    bySessions(limits.sessions, (sessions) => read(access, statement, { ...limits, sessions }, io)),
})

function withTlsState(access: Access, io: Io): UnguardedDatabase {
  const { tls } = access.servers.all[0]!
  return {
    ...openAccess(access, io),
    tls: tls === 'always' ? true : tls === 'never' ? false : undefined,
  }
}

/** Runs a statement, and asks for the names of its types. */
async function read(access: Access, statement: Statement, limits: Limits, io: Io): Promise<Answer> {
  const reading = await runReadOnly(access, statement, limits, io)
  // At the address of a pooler, many databases may have the same name. The user tells them apart.
  const { host, port, database, user, options } = reading.login
  const { role } = limits.identity ?? {}
  const key = JSON.stringify([host, port, database, user, options, role])
  const types = await typesOf(reading.fields, key, (lookUp, maxRows) =>
    runReadOnly(access, lookUp, { ...limits, maxRows }, io),
  )
  const rows = answer(reading, types, limits)
  return reading.cut && !rows.truncated ? { ...rows, truncated: 'bytes' } : rows
}

/**
 * Makes the server look for a client that is gone, where it can (from version 14 on, and not on Windows):
 * a Worker whose own client disconnects is stopped before it can cancel anything. It comes before a role
 * that may not set anything.
 */
const WATCH_CLIENT = `select pg_catalog.set_config(name, '1000', true) from pg_catalog.pg_settings
  where name operator(pg_catalog.=) 'client_connection_check_interval'
    and pg_catalog.version() operator(pg_catalog.!~*) 'msvc|visual|mingw'`

/**
 * Fails unless the transaction is read-only: a proxy may have begun another. The server refuses the value
 * that it gets then, and does nothing more in this transaction.
 */
const CHECK = `select pg_catalog.set_config('transaction_read_only',
  case when pg_catalog.current_setting('transaction_read_only') operator(pg_catalog.=) 'on'
    then 'on' else 'missing' end, true)`

/** Comes before an EXPLAIN, which a server would also take outside a transaction. */
const WITHIN_TRANSACTION = 'savepoint tidegate'

/**
 * Runs one statement in a transaction that only reads. All of it is sent at once: where the check fails,
 * or there is no transaction at all, the server takes no cursor and no savepoint. A SHOW, which needs
 * neither, is sent once the transaction is known to only read, and has a session of its own.
 */
function runReadOnly(
  access: Access,
  statement: Statement,
  limits: Limits,
  io: Io,
): Promise<Reading & { readonly login: Login }> {
  const [settings, ...rest] = readOnlySteps(statement, limits)
  const atOnce = plansCursor(statement)
    ? rest.map((it) => ({ ...it, behind: WITHIN_TRANSACTION }))
    : rest.length > 1 && rest
  const sessions = atOnce ? limits.sessions : undefined
  const work = async (run: Run, on: Pick<Connection, 'login' | 'rollBack'>) => {
    const rollBack = () => on.rollBack(run)
    const begun = run({ sql: 'begin read only' }, { sql: CHECK }).catch((error) => {
      throw error instanceof DatabaseError && error.code === REFUSED_VALUE ? notReadOnly() : error
    })
    const set = run({ sql: WATCH_CLIENT }, settings!).catch((error) => {
      throw identityFault(error, limits.identity, true)
    })
    const read = atOnce ? run(...atOnce) : undefined
    if (read) rollBack()
    // Of several failures, the first one is the reason for the others.
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

const notReadOnly = () =>
  new DatabaseError('network', 'The database did not begin a read-only transaction.')
