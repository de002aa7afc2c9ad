import type { Driver, UnguardedDatabase } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { Answer, Limits, Statement } from '../rows.ts'
import { answer } from './answer.ts'
import { postgres as dialect } from './dialect.ts'
import { identityFault } from './identity.ts'
import { inOwnText, readOnlySteps } from './read-only.ts'
import type { Run } from './tcp-connection.ts'
import { hyperdriveLogin, type Login, loginOf } from './tcp-login.ts'
import type { Reading } from './tcp-query.ts'
import { inSession } from './tcp-session.ts'
import { typesOf } from './types.ts'

/** PostgreSQL over TCP: `postgres://…` or `hyperdrive:BINDING`. */
export const postgres: Driver = {
  name: 'postgres',
  opens: ({ protocol }) => /^(?:postgres|postgresql|hyperdrive):$/.test(protocol),
  open: (url, io) =>
    url.protocol === 'hyperdrive:'
      ? openLogin(hyperdriveLogin(url, io))
      : withTlsState(loginOf(url)),
}

const openLogin = (login: Login): UnguardedDatabase => ({
  dialect,
  rollsBack: true,
  applies: ['role', 'claims'],
  query: (statement, limits) =>
    inSession(login, limits, (run) => read(login, statement, limits, run)),
})

const withTlsState = (login: Login): UnguardedDatabase => ({
  ...openLogin(login),
  tls: login.tls === 'offered' ? undefined : login.tls === 'always',
})

/** Runs a statement, and asks for the names of its types. */
async function read(login: Login, statement: Statement, limits: Limits, run: Run): Promise<Answer> {
  const reading = await runReadOnly(statement, limits, run)
  // At the address of a pooler, many databases may have the same name. The user tells them apart.
  const { host, port, database, user, options } = login
  const { role } = limits.identity ?? {}
  const key = JSON.stringify([host, port, database, user, options, role])
  const types = await typesOf(reading.fields, key, (lookUp, maxRows) =>
    reading.spent
      ? inSession(login, { ...limits, maxRows }, (other) => runReadOnly(lookUp, limits, other))
      : run(lookUp),
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

/** Asks whether the transaction is read-only: a proxy may have begun another. */
const CHECK = "select pg_catalog.current_setting('transaction_read_only')"

/** Runs one statement in a transaction that is known to be read-only before it is sent. */
async function runReadOnly(statement: Statement, limits: Limits, run: Run): Promise<Reading> {
  const [settings, ...rest] = readOnlySteps(statement, limits)
  const begun = ['begin read only', WATCH_CLIENT].map((sql) => ({ sql }))
  const { rows } = await run(...begun, settings!, { sql: CHECK }).catch((error) => {
    throw identityFault(error, limits.identity, true)
  })
  if (rows[0]?.[0] !== 'on') {
    throw new DatabaseError('network', 'The database did not begin a read-only transaction.')
  }
  return run(...rest).catch((error) => {
    throw inOwnText(error, statement)
  })
}
