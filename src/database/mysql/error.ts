import { DatabaseError, type Failure } from '../database.ts'
import { tooSlow } from '../failure.ts'

/** Numbers of errors that are not simply a statement gone wrong. */
const kinds: Readonly<Partial<Record<Failure, readonly number[]>>> = {
  // Written in a session that only reads; no right; a server that is set to only read.
  refused: [1792, 1044, 1142, 1143, 1227, 1290, 1370, 1836],
  timeout: [1205, 1317, 1969, 3024],
  too_large: [1153, 1301, 1114],
  auth: [1045, 1130, 1251, 1396, 1524, 1698, 1820, 1862, 3118],
  config: [1049, 3159],
  // Too many connections or queries, or a server that is going down or cannot be reached by a proxy.
  network: [1040, 1053, 1077, 1129, 1158, 1159, 1160, 1161, 1203, 1226, 1927, 2002, 2003, 2013],
}

/** What an error of MySQL or MariaDB means to whoever sent the statement, by its number. */
export function mysqlError(errno: number, message: string, timeoutMs: number): DatabaseError {
  const code = String(errno)
  const kind = (Object.keys(kinds) as Failure[]).find((it) => kinds[it]?.includes(errno)) ?? 'sql'
  if (kind === 'timeout' && errno !== 1205) return tooSlow(timeoutMs, code)
  // What the server says about logging in, or about itself, is for the operator.
  return new DatabaseError(kind, DULL[kind] ?? withoutNames(message), { code })
}

/**
 * The error for a login that failed. Whatever the server says then names its user and its host, and
 * whatever it means is for the operator.
 */
export function loginError(errno: number): DatabaseError {
  const { kind, message, code } = mysqlError(errno, '', 0)
  return kind in DULL
    ? new DatabaseError(kind, message, { code })
    : new DatabaseError('auth', DULL.auth!, { code })
}

/** `SELECT command denied to user 'a'@'b' for table …` tells the model nothing by the user. */
const withoutNames = (message: string) =>
  message
    .split(/(?= (?:to|for) user ')/)
    .map((it) => it.replace(USER, ''))
    .join('')

const USER = /^ (?:to|for) user '(?:[^']|'')*'@'(?:[^']|'')*'(?: \(using password: \w+\))?/

const DULL: Partial<Record<Failure, string>> = {
  auth: 'The database refused the login of this endpoint: its operator has to mend that.',
  config:
    'The database of this endpoint is not set up as it should be: its operator has to mend that.',
  network: 'The database cannot answer at the moment. Try again later.',
}
