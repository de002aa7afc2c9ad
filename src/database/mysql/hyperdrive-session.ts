import type { Io } from '../database.ts'
import { DatabaseError, unreachable } from '../error.ts'
import { read } from '../guard/reading.ts'
import type { Limits, Statement } from '../rows.ts'
import { ByteBudget, unread } from '../transport/byte-budget.ts'
import { type Deadline, startDeadline } from '../transport/deadline.ts'
import { logInPatiently } from '../transport/patient-login.ts'
import { limited } from './limit.ts'
import { inlineParams } from './quote.ts'
import {
  CHECKS,
  check,
  noQuery,
  READ_ONLY,
  type Server,
  settings,
  standsAlone,
} from './read-only.ts'
import { rules } from './rules.ts'
import { collect, type Reading } from './tcp-answer.ts'
import { Connection } from './tcp-connection.ts'
import { FULL } from './tcp-error.ts'
import type { Login } from './tcp-login.ts'
import { textOf } from './tcp-role.ts'

/**
 * Runs one statement through Hyperdrive, in a read-only transaction that is rolled back. Hyperdrive gives a
 * session of the server for the length of a transaction, resets it afterwards, and takes no prepared
 * statements: https://developers.cloudflare.com/hyperdrive/reference/supported-databases-and-features/.
 * Throws {@link DatabaseError}.
 */
export async function readInTransaction(
  login: Login & { readonly tls: boolean },
  statement: Statement,
  limits: Limits,
  { waitUntil }: Pick<Io, 'waitUntil'>,
): Promise<Reading> {
  const sql = inlineParams(statement)
  const deadline = startDeadline(limits, 2_000)
  // Loaded by the first query that needs it: other deployments never do.
  const { default: library } = await deadline.race(import('./mysql2.mjs'))
  const logIn = async () => {
    const connection = new Connection(library, login, limits.timeoutMs)
    try {
      // Whether Hyperdrive takes a command before it has answered the one before, is not documented.
      return { connection, server: await deadline.race(connection.opened(false)) }
    } catch (error) {
      connection.destroy()
      throw error
    }
  }
  let connection: Connection | undefined
  try {
    const opened = await logInPatiently(logIn, FULL, limits.timeoutMs, deadline.signal)
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
  connection: Connection,
  server: Server,
  statement: Statement,
  sql: string,
  limits: Limits,
): Promise<Reading> {
  const budget = new ByteBudget(limits)
  budget.watch(connection.client.stream)
  await begin(connection, server, limits)
  await assertQuery(connection, statement, sql)
  const room = budget.expect(limits)
  const run = (text: string) =>
    collect(connection, () => connection.client.query(text), budget, room, limits)
  const few = limited(statement, limits.maxRows + 1, sql)
  const reading = await run(few).catch((error) => {
    if (few === sql || !(error instanceof DatabaseError) || error.kind !== 'sql') throw error
    // An error is about the statement as its author wrote it, without the LIMIT.
    return run(sql)
  })
  // What is left unread cannot be ended by a command.
  if (!reading.cut) await connection.run('rollback').catch(() => {})
  return reading
}

/**
 * Begins a transaction, and makes sure that it is one and only reads. Of a session that is not kept, the
 * settings are gone before they are checked. They also hold for a statement that would end the
 * transaction by itself, such as DROP TABLE.
 */
async function begin(connection: Connection, server: Server, limits: Limits): Promise<void> {
  try {
    await connection.run('start transaction read only')
    await connection.run(READ_ONLY)
    await connection.run(settings(limits, server)).catch(() => {
      // Hyperdrive may report another version than that of the server behind it.
      return connection.run(settings(limits, server === 'mysql' ? 'mariadb' : 'mysql'))
    })
    const variables = await connection.run(CHECKS)
    const told = variables.map(([name, value]) => [textOf(name), textOf(value)] as const)
    check(told, true)
  } catch (error) {
    // No statement of the caller's is in it: Hyperdrive has no connection left, or cannot make one.
    throw error instanceof DatabaseError && error.kind === 'sql' ? unreachable() : error
  }
}

/**
 * Codes of a column that is not there, and of a UNION whose parts have not as many columns. The server reads
 * all of a statement before it looks for a column, so what has them was read as a subquery. MariaDB gives them
 * to queries, too: it takes the `*` of a subquery in EXISTS for one column.
 */
const READ_AS_QUERY = ['1054', '1222']

/**
 * Makes sure that the server sees a query in a statement, without running it: nothing else can be a
 * subquery. Elsewhere a prepared statement tells.
 */
async function assertQuery(
  connection: Connection,
  statement: Statement,
  sql: string,
): Promise<void> {
  if (standsAlone(statement)) return
  if (!isBalanced(statement)) throw noQuery()
  // On a line of its own, because the statement may end with a comment.
  await connection
    .run(`select 1 from dual where false and exists (${sql}\n)`)
    .catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error
      if (READ_AS_QUERY.includes(error.code ?? '')) return
      throw error.told(error.message.replace(/\n\)' at line/, "' at line"), error.position)
    })
}

/** Whether no parenthesis of a statement closes one before it. */
function isBalanced(statement: Statement): boolean {
  let depth = 0
  for (const { kind, value } of read(statement, rules).tokens) {
    if (kind === 'symbol' && value === '(') depth++
    if (kind === 'symbol' && value === ')' && --depth < 0) return false
  }
  return depth === 0
}

/**
 * Ends the connection to Hyperdrive, which ends the transaction. The number of its session is not that of a
 * session of the server: nobody can be told to stop there, and the server's own limit ends the statement.
 */
async function leave(connection: Connection, { signal }: Deadline): Promise<void> {
  const wait = startDeadline({ timeoutMs: LEAVE_MS })
  if (!signal.aborted) await wait.race(connection.end()).catch(() => {})
  connection.destroy()
}

/** How long closing the connection may take, in milliseconds. */
const LEAVE_MS = 1_000
