import { DatabaseError, type Failure, PARAMETER_HINT, tooSlow } from '../error.ts'

/** Numbers of errors that mean more than a wrong statement. */
const kinds: Readonly<Partial<Record<Failure, readonly number[]>>> = {
  // Written in a session that only reads; no right; a server that is set to only read.
  refused: [1792, 1044, 1045, 1142, 1143, 1227, 1290, 1370, 1836],
  timeout: [1205, 1317, 1969, 3024],
  // The last is of Vitess.
  too_large: [1153, 1301, 1114, 10001],
  // "You must reset your password", whatever the statement.
  auth: [1820],
  // Too many connections or queries, or a server that is going down or cannot be reached by a proxy.
  network: [1040, 1053, 1077, 1129, 1158, 1159, 1160, 1161, 1203, 1226, 1927, 2002, 2003, 2013],
}

/** Why a login fails: rights and passwords, or how the endpoint is set up. */
const LOGIN = [1044, 1045, 1130, 1251, 1396, 1524, 1698, 1862, 3118]
const SET_UP = [1049, 3159]

/** Whether an error is one of a login, if it comes during one. */
export const ofLogin = (errno: number) => LOGIN.includes(errno) || SET_UP.includes(errno)

/** What an error of MySQL or MariaDB means for the caller, by its number. */
export function mysqlError(errno: number, message: string, timeoutMs: number): DatabaseError {
  const code = String(errno)
  const kind = (Object.keys(kinds) as Failure[]).find((it) => kinds[it]?.includes(errno)) ?? 'sql'
  if (kind === 'timeout' && errno !== 1205) return tooSlow(timeoutMs, code)
  if (errno === NO_PLAN) return new DatabaseError('refused', UNEXPLAINED, { code })
  // The server's own message about a login, or about itself, is not for the caller.
  const said = INSTEAD[kind] ?? withoutNames(message)
  const hint = /near '(?:\?|[:@]\w|\{|%[s(])/.test(said) ? PARAMETER_HINT : HINTS[kind]
  return new DatabaseError(kind, said, { code, hint })
}

/** "EXPLAIN can not be issued; lacking privileges for underlying table". */
const NO_PLAN = 1345
const UNEXPLAINED =
  'The database gives no plan for a view whose definition or tables its login may not read, so this was not run. The operator can grant SHOW VIEW on the view, and SELECT on its tables.'

const HINTS: Partial<Record<Failure, string>> = {
  too_large: 'Add a LIMIT, filter more, or select fewer columns.',
}

/**
 * The error for a login that failed. The server's own message names user and host, and the caller
 * could not act on it.
 */
export function loginError(errno: number): DatabaseError {
  const code = String(errno)
  const { kind } = mysqlError(errno, '', 0)
  const why = SET_UP.includes(errno) ? 'config' : kind === 'network' ? kind : 'auth'
  return new DatabaseError(why, INSTEAD[why]!, { code })
}

/** A message without the user: `SELECT command denied to user 'a'@'b' for table …`. */
const withoutNames = (message: string) =>
  message
    .split(/(?= (?:to|for) user ')/)
    .map((it) => it.replace(USER, ''))
    .join('')

const USER = /^ (?:to|for) user '(?:[^']|'')*'@'(?:[^']|'')*'(?: \(using password: \w+\))?/

/** What the caller reads instead of the server's message. */
const INSTEAD: Partial<Record<Failure, string>> = {
  auth: 'The database refused the login of this endpoint. The operator must check the user and the password in its URL, and the rights of the user.',
  config:
    'The database of this endpoint does not exist, or it takes only encrypted connections. The operator must check its URL.',
  network: 'The database cannot answer at the moment. Try again later.',
}
