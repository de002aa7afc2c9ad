import { DatabaseError, type Failure, tooSlow } from '../error.ts'

/** The fields of an error report that are passed on, as the wire protocol names them. */
export interface ErrorReport {
  readonly code: string
  readonly message: string
  readonly detail?: string | undefined
  readonly hint?: string | undefined
  /** Characters from the start of what was sent, counted from 1. */
  readonly position?: number | undefined
}

/**
 * SQLSTATEs, and classes of them, that mean more than a wrong statement. Some do so only while
 * connecting: a statement can ask about another database, or read a table of another server.
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
  // Hyperdrive's own, as when its pool has no connection left.
  ['58000', 'network'],
  ['58030', 'network'],
]

/** What an error of PostgreSQL means for the caller, by its SQLSTATE. */
export function postgresError(
  { code, message, detail, hint, position }: ErrorReport,
  timeoutMs: number,
  connecting: boolean,
): DatabaseError {
  const applies = (it: (typeof kinds)[number]) => code.startsWith(it[0]) && (connecting || !it[2])
  const kind = kinds.find(applies)?.[1] ?? 'sql'
  if (code === '57014') return tooSlow(timeoutMs, code)
  // The server's own message about a login, or about itself, is not for the caller.
  const sentence = INSTEAD[kind]
  return sentence
    ? new DatabaseError(kind, sentence, { code })
    : new DatabaseError(kind, withDetail(message, code, detail), { code, hint, position })
}

/** The detail of a wrong value or statement says where. The detail of a broken constraint holds a row. */
function withDetail(message: string, code: string, detail: string | undefined): string {
  if (!detail || !/^(?:22|42)/.test(code)) return message
  return `${message}: ${detail.slice(0, MAX_DETAIL_CHARACTERS).toWellFormed().replace(/\s/g, ' ')}`
}

/** The most characters of a detail, which may hold a value of the statement. */
const MAX_DETAIL_CHARACTERS = 300

/** What the caller reads instead of the server's message. */
const INSTEAD: Partial<Record<Failure, string>> = {
  auth: 'The database refused the login of this endpoint. The operator must check the user and the password in its URL.',
  config:
    'The database of this endpoint does not exist. The operator must check the name in its URL.',
  network: 'The database cannot answer at the moment. Try again later.',
}
