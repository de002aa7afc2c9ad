import { DatabaseError } from '../error.ts'
import { refuse } from '../guard/guard.ts'
import { read } from '../guard/reading.ts'
import type { Limits, Statement } from '../rows.ts'
import { literal } from './quote.ts'
import { rules } from './rules.ts'

/** Time to wait for a lock. If it takes longer, something long such as a migration holds the lock. */
const LOCK_S = 3

/**
 * Runs before all other statements. START TRANSACTION READ ONLY is not enough: a statement that commits
 * implicitly, such as DROP TABLE, would end the transaction and run.
 */
export const READ_ONLY = 'set session transaction read only'

/** Turns off the modes that change how SQL is parsed, such as ANSI_QUOTES and NO_BACKSLASH_ESCAPES. */
const MODE = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'

/** SQL that sets the session's settings. The guard relies on the first two. */
export function settings({ timeoutMs }: Limits, server: ServerKind): string {
  const seconds = timeoutMs / 1_000
  const lock = Math.max(1, Math.min(LOCK_S, Math.ceil(seconds)))
  return `set ${[
    'names utf8mb4',
    `session sql_mode = '${server === 'mysql' ? 'ONLY_FULL_GROUP_BY,' : ''}${MODE}'`,
    `session lock_wait_timeout = ${lock}`,
    `session innodb_lock_wait_timeout = ${lock}`,
    // By default, the result is cut off at 1 KiB, with only a warning.
    'session group_concat_max_len = 1048576',
    // An abandoned session ends by itself.
    `session wait_timeout = ${Math.ceil(seconds) + 10}`,
    server === 'mysql'
      ? `session max_execution_time = ${Math.ceil(timeoutMs)}`
      : `session max_statement_time = ${seconds}`,
  ].join(', ')}`
}

/** The two kinds of server, whose settings differ. */
export type ServerKind = 'mysql' | 'mariadb'

/** Derives the kind of server from its version. A proxy in front of it can report the wrong version. */
export const serverOf = (version: string): ServerKind =>
  /mariadb/i.test(version) ? 'mariadb' : 'mysql'

/**
 * True if a server can run the most recently prepared statement without its number:
 * https://mariadb.com/kb/en/com_stmt_execute/
 */
export function runsLastPrepared(version: string): boolean {
  const [, major = 0, minor = 0] = /(\d{1,4})\.(\d{1,4})\.\d{1,4}-mariadb/i.exec(version) ?? []
  return Number(major) > 10 || (Number(major) === 10 && Number(minor) >= 2)
}

/**
 * Makes MariaDB end the session itself unless it is read-only, is not in another client's transaction, and
 * has the role. Then no statement sent after it in the same round trip runs.
 */
export const barrier = (role: string | undefined) => `begin not atomic
  if @@session.in_transaction or not coalesce((
      select min(variable_value = 'ON') from information_schema.session_variables
      where variable_name in ('tx_read_only', 'transaction_read_only')), false)
    ${role === undefined ? '' : `or not (binary current_role() <=> binary ${literal(role)})`}
  then kill connection connection_id();
  end if;
end`

/**
 * Some servers have one of the first two variables; others have both. Only MariaDB has the third. The last two
 * distinguish a replica from a server that accepts writes.
 */
export const CHECKS = `show session variables where variable_name in
  ('tx_read_only', 'transaction_read_only', 'in_transaction', 'sql_mode',
    'read_only', 'innodb_read_only')`

/** The variables of a session, and their values. */
export type SessionVariables = readonly (readonly [name: string, value: string])[]

/**
 * Throws unless the session has the settings that we set, because a proxy may have switched to another session.
 *
 * @param inTransaction true if our own transaction has begun in the session. Another client's transaction could write.
 */
export function check(variables: SessionVariables, inTransaction = false): void {
  const values = (name: RegExp) => variables.filter(([it]) => name.test(it)).map(([, it]) => it)
  const isOn = (value: string) => /^(?:on|1)$/i.test(value)
  const readOnly = values(/^(?:tx|transaction)_read_only$/)
  const [mode = 'unknown'] = values(/^sql_mode$/)
  const reads = readOnly.length > 0 && readOnly.every(isOn)
  const isOurs = values(/^in_transaction$/).every((value) => isOn(value) === inTransaction)
  if (reads && isOurs && !/unknown|ANSI|NO_BACKSLASH_ESCAPES/.test(mode)) return
  throw notReadOnly()
}

/** The error for a session that can write. */
export const notReadOnly = () =>
  new DatabaseError('network', 'The database did not begin a read-only session.')

/**
 * True if a statement is a SHOW, DESCRIBE or EXPLAIN that the guard allows. These return rows,
 * although the server does not report columns when it prepares them.
 */
export function standsAlone(statement: Statement): boolean {
  const { verb = '' } = read(statement, rules)
  const alone = ['show', 'describe', 'desc', 'explain'].includes(verb)
  return alone && refuse(statement, rules) === undefined
}

/** The error for a statement that does not return rows: INTO OUTFILE, SET, CALL, DO, all writes. */
export const noQuery = () =>
  new DatabaseError(
    'refused',
    'The database does not parse this statement as a query, so it was not run.',
  )
