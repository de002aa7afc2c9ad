import { DatabaseError, type Failure, type Reason, tooSlow } from '../error.ts'

/** The fields in an error report that are passed on, named as in the wire protocol. */
export interface ErrorReport {
  readonly code: string
  readonly message: string
  readonly detail?: string | undefined
  readonly hint?: string | undefined
  /** Character position in the statement that was sent, counted from 1. */
  readonly position?: number | undefined
}

/**
 * SQLSTATEs and SQLSTATE classes that mean more than an invalid statement. Some do so only while
 * connecting, because a statement can refer to another database, or read a table on another server.
 */
const kinds: readonly (readonly [prefix: string, kind: Failure, connecting?: true])[] = [
  ['08P01', 'sql'],
  ['08', 'network', true],
  ['0A000', 'refused'],
  ['25006', 'refused'],
  ['25P03', 'network'],
  ['28', 'auth'],
  ['3D000', 'config', true],
  ['42501', 'refused'],
  ['53400', 'sql'],
  ['53', 'network'],
  ['55P03', 'timeout'],
  ['57014', 'timeout'],
  ['57', 'network'],
  ['58P01', 'network', true],
  // Hyperdrive's own, for example when its pool has no connection left.
  ['58000', 'network'],
  ['58030', 'network'],
]

/** Classifies a PostgreSQL error for the caller by its SQLSTATE. */
export function postgresError(
  { code, message, detail, hint, position }: ErrorReport,
  timeoutMs: number,
  connecting: boolean,
): DatabaseError {
  const applies = (it: (typeof kinds)[number]) => code.startsWith(it[0]) && (connecting || !it[2])
  const kind = kinds.find(applies)?.[1] ?? 'sql'
  if (code === '57014') return tooSlow(timeoutMs, code)
  // The caller does not see the server's own message about a login or about the server.
  const sentence = INSTEAD[kind]
  return sentence
    ? new DatabaseError(kind, sentence, { code, reason: reasonOf(kind, code) })
    : new DatabaseError(kind, withDetail(message, code, detail), { code, hint, position })
}

function reasonOf(kind: Failure, code: string): Reason | undefined {
  if (kind === 'auth') return code === '28P01' ? 'password_wrong' : 'login_refused'
  return kind === 'config' ? 'database_not_found' : undefined
}

/** For an invalid value or statement, the detail gives the position. For a violated constraint, it contains a row. */
function withDetail(message: string, code: string, detail: string | undefined): string {
  if (!detail || !/^(?:22|42)/.test(code)) return message
  return `${message}: ${detail.slice(0, MAX_DETAIL_CHARACTERS).toWellFormed().replace(/\s/g, ' ')}`
}

/** Maximum length of a detail, which can contain a value from the statement. */
const MAX_DETAIL_CHARACTERS = 300

/** Messages that the caller sees instead of the server's. */
const INSTEAD: Partial<Record<Failure, string>> = {
  auth: 'The database refused the login for this endpoint. The operator must check the user and the password in its URL.',
  config:
    'The database for this endpoint does not exist. The operator must check the name in its URL.',
  network: 'The database cannot answer at the moment. Try again later.',
}
