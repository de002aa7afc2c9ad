import type { Io } from '../../database.ts'
import { DatabaseError, unreachable } from '../../error.ts'
import { read } from '../../guard/reading.ts'
import type { QueryContext, Statement } from '../../rows.ts'
import { ByteBudget, unread } from '../../transport/byte-budget.ts'
import { type Deadline, startDeadline } from '../../transport/deadline.ts'
import { doorOf, logInPatiently } from '../../transport/patient-login.ts'
import { runLimited } from '../limit.ts'
import { inlineParams } from '../quote.ts'
import {
  CHECKS,
  check,
  noQuery,
  READ_ONLY,
  type ServerKind,
  settings,
  standsAlone,
} from '../read-only.ts'
import { rules } from '../rules.ts'
import { collect, type ReadAnswer } from '../tcp/answer.ts'
import { MysqlConnection } from '../tcp/connection.ts'
import { FULL } from '../tcp/error.ts'
import type { MysqlLogin } from '../tcp/login.ts'
import { variablesOf } from '../tcp/role.ts'

/**
 * Runs one statement through Hyperdrive, in a read-only transaction that is rolled back. Hyperdrive assigns a
 * server session for the duration of a transaction, resets it afterward, and does not support prepared
 * statements: https://developers.cloudflare.com/hyperdrive/reference/supported-databases-and-features/.
 * Throws {@link DatabaseError}.
 */
export async function readInTransaction(
  login: MysqlLogin & { readonly tls: boolean },
  statement: Statement,
  limits: QueryContext,
  { waitUntil }: Pick<Io, 'waitUntil'>,
): Promise<ReadAnswer> {
  const sql = inlineParams(statement)
  const deadline = startDeadline(limits, 2_000)
  // Loaded by the first query that needs it. Other deployments never load it.
  const { default: library } = await deadline.race(import('../mysql2.mjs'))
  const logIn = async () => {
    const connection = new MysqlConnection(library, login, limits.timeoutMs)
    try {
      // The documentation does not say that Hyperdrive accepts a command before it has answered the previous one.
      return { connection, server: await deadline.race(connection.opened(false)) }
    } catch (error) {
      connection.destroy()
      throw error
    }
  }
  const door = doorOf([login], limits.identity?.role)
  let connection: MysqlConnection | undefined
  try {
    const opened = await logInPatiently(logIn, FULL, limits.timeoutMs, deadline.signal, door)
    connection = opened.connection
    return await deadline.race(readBy(connection, opened.server, statement, sql, limits))
  } catch (error) {
    throw deadline.over() ?? (error === unread ? unreachable() : error)
  } finally {
    if (connection) {
      const leaving = leave(connection, deadline)
      waitUntil?.(leaving)
      if (!waitUntil) await leaving
    }
  }
}

async function readBy(
  connection: MysqlConnection,
  server: ServerKind,
  statement: Statement,
  sql: string,
  limits: QueryContext,
): Promise<ReadAnswer> {
  const budget = new ByteBudget(limits)
  budget.watch(connection.client.stream)
  await begin(connection, server, limits)
  await assertQuery(connection, statement, sql)
  const room = budget.expect(limits)
  const run = (text: string) =>
    collect(connection, () => connection.client.query(text), budget, room, limits)
  const reading = await runLimited(statement, limits.maxRows + 1, sql, run)
  // No command can be sent until the result has been read to the end.
  if (!reading.cut) await connection.run('rollback').catch(() => {})
  return reading
}

/**
 * Begins a transaction, and checks that it began and is read-only. If Hyperdrive does not keep the session, the check
 * fails, because the settings are gone. The settings also protect against a statement that would end the transaction
 * by itself, such as DROP TABLE.
 */
async function begin(
  connection: MysqlConnection,
  server: ServerKind,
  limits: QueryContext,
): Promise<void> {
  try {
    await connection.run('start transaction read only')
    await connection.run(READ_ONLY)
    await connection.run(settings(limits, server)).catch(() => {
      // Hyperdrive can report a different version than the server behind it.
      return connection.run(settings(limits, server === 'mysql' ? 'mariadb' : 'mysql'))
    })
    check(variablesOf(await connection.run(CHECKS)), true)
  } catch (error) {
    // The caller's statement has not run yet: Hyperdrive has no connection left, or cannot open one.
    throw error instanceof DatabaseError && error.kind === 'sql' ? unreachable() : error
  }
}

/**
 * Codes for a missing column, and for a UNION whose parts have different numbers of columns. The server parses
 * a whole statement before it resolves columns, so a statement with one of these errors was parsed as a subquery.
 * MariaDB also reports them for valid queries: it counts the `*` in an EXISTS subquery as one column.
 */
const READ_AS_QUERY = ['1054', '1222']

/**
 * Checks, without running a statement, that the server parses it as a query, because nothing else can be a
 * subquery. Other drivers use a prepared statement for this.
 */
async function assertQuery(
  connection: MysqlConnection,
  statement: Statement,
  sql: string,
): Promise<void> {
  if (standsAlone(statement)) return
  if (!isBalanced(statement)) throw noQuery()
  // The parenthesis is on its own line, because the statement may end with a comment.
  await connection
    .run(`select 1 from dual where false and exists (${sql}\n)`)
    .catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error
      if (READ_AS_QUERY.includes(error.code ?? '')) return
      throw error.told(error.message.replace(/\n\)' at line/, "' at line"), error.position)
    })
}

/** True if the parentheses in a statement are balanced, so that none of them closes one outside it. */
function isBalanced(statement: Statement): boolean {
  let depth = 0
  for (const { kind, value } of read(statement, rules).tokens) {
    if (kind === 'symbol' && value === '(') depth++
    if (kind === 'symbol' && value === ')' && --depth < 0) return false
  }
  return depth === 0
}

/**
 * Ends the connection to Hyperdrive, which ends the transaction. Its session number is not the server's session
 * number, so the statement cannot be killed. The server's own limit ends it.
 */
async function leave(connection: MysqlConnection, { signal }: Deadline): Promise<void> {
  const wait = startDeadline({ timeoutMs: LEAVE_MS })
  if (!signal.aborted) await wait.race(connection.end()).catch(() => {})
  connection.destroy()
}

/** Time limit for closing the connection, in milliseconds. */
const LEAVE_MS = 1_000
