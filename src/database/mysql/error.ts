import { DatabaseError, type Failure, PARAMETER_HINT, type Reason, tooSlow } from '../error.ts'

/** Error numbers that mean more than an invalid statement. */
const kinds: Readonly<Partial<Record<Failure, readonly number[]>>> = {
  // A write in a read-only session, a missing privilege, or a read-only server.
  refused: [1792, 1044, 1045, 1142, 1143, 1227, 1290, 1370, 1836],
  timeout: [1205, 1317, 1969, 3024],
  // The last one is from Vitess.
  too_large: [1153, 1301, 1114, 10001],
  // "You must reset your password", for any statement.
  auth: [1820],
  // Too many connections or queries, or a server that is shutting down or that a proxy cannot reach.
  network: [1040, 1053, 1077, 1129, 1158, 1159, 1160, 1161, 1203, 1226, 1927, 2002, 2003, 2013],
}

/** Error numbers for a failed login, because of privileges and passwords, or of the endpoint's configuration. */
const LOGIN = [1044, 1045, 1130, 1251, 1396, 1524, 1698, 1862, 3118]
const SET_UP = [1049, 3159]

const REASONS: Readonly<Record<number, Reason>> = {
  1044: 'database_denied',
  1049: 'database_not_found',
  1130: 'address_refused',
}

/** True if an error that occurs during login is about the login. */
export const ofLogin = (errno: number) => LOGIN.includes(errno) || SET_UP.includes(errno)

/** Classifies an error from MySQL or MariaDB for the caller by its number. */
export function mysqlError(errno: number, message: string, timeoutMs: number): DatabaseError {
  const code = String(errno)
  const kind = (Object.keys(kinds) as Failure[]).find((it) => kinds[it]?.includes(errno)) ?? 'sql'
  if (kind === 'timeout' && errno !== 1205) return tooSlow(timeoutMs, code)
  if (errno === NO_PLAN) return new DatabaseError('refused', UNEXPLAINED, { code })
  // The caller does not see the server's own message about a login or about the server.
  const said = INSTEAD[kind] ?? withoutNames(message)
  const hint = /near '(?:\?|[:@]\w|\{|%[s(])/.test(said) ? PARAMETER_HINT : HINTS[kind]
  return new DatabaseError(kind, said, { code, hint })
}

/** "EXPLAIN can not be issued; lacking privileges for underlying table". */
const NO_PLAN = 1345
const UNEXPLAINED =
  'The database does not provide a plan for a view if the login cannot read its definition or its tables, so this statement was not run. The operator can grant SHOW VIEW on the view, and SELECT on its tables.'

const HINTS: Partial<Record<Failure, string>> = {
  too_large: 'Add a LIMIT, filter more, or select fewer columns.',
}

/**
 * The error for a failed login. The server's own message contains the user and the host, and the caller
 * could not act on it.
 */
export function loginError(errno: number): DatabaseError {
  const code = String(errno)
  const { kind } = mysqlError(errno, '', 0)
  const why = SET_UP.includes(errno) ? 'config' : kind === 'network' ? kind : 'auth'
  const reason = REASONS[errno] ?? (why === 'auth' ? 'login_refused' : undefined)
  return new DatabaseError(why, INSTEAD[why]!, { code, reason })
}

/** Removes the user from a message such as `SELECT command denied to user 'a'@'b' for table …`. */
const withoutNames = (message: string) =>
  message
    .split(/(?= (?:to|for) user ')/)
    .map((it) => it.replace(USER, ''))
    .join('')

const USER = /^ (?:to|for) user '(?:[^']|'')*'@'(?:[^']|'')*'(?: \(using password: \w+\))?/

/** Messages that the caller sees instead of the server's. */
const INSTEAD: Partial<Record<Failure, string>> = {
  auth: 'The database refused the login for this endpoint. The operator must check the user and the password in its URL, and the rights of the user.',
  config:
    'The database for this endpoint does not exist, or it accepts only encrypted connections. The operator must check its URL.',
  network: 'The database cannot answer at the moment. Try again later.',
}
