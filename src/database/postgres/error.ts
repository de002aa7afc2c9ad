import { DatabaseError, type Failure } from '../database.ts'
import { tooSlow } from '../failure.ts'

/** The fields of an error report that are passed on, as the wire protocol names them. */
export interface ErrorReport {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  /** Characters from the start of what was sent, counted from 1. */
  readonly position?: number | undefined
}

/** SQLSTATEs, and classes of them, that are not simply a statement gone wrong. */
const kinds: readonly (readonly [prefix: string, kind: Failure])[] = [
  ['08P01', 'sql'],
  ['08', 'network'],
  ['0A000', 'refused'],
  ['25006', 'refused'],
  ['25P03', 'network'],
  ['28', 'auth'],
  ['3D000', 'config'],
  ['42501', 'refused'],
  ['53', 'network'],
  ['55P03', 'timeout'],
  ['57014', 'timeout'],
  ['57', 'network'],
  ['58', 'network'],
]

/** What an error of PostgreSQL means to whoever sent the statement, by its SQLSTATE. */
export function postgresError(
  { code, message, hint, position }: ErrorReport,
  timeoutMs: number,
): DatabaseError {
  const kind = kinds.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'sql'
  if (code === '57014') return tooSlow(timeoutMs, code)
  // What the server says about logging in, or about itself, is for the operator.
  const dull = DULL[kind]
  return dull
    ? new DatabaseError(kind, dull, { code })
    : new DatabaseError(kind, message, { code, hint, position })
}

const DULL: Partial<Record<Failure, string>> = {
  auth: 'The database refused the login of this endpoint: its operator has to mend that.',
  config: 'The database of this endpoint does not exist: its operator has to mend that.',
  network: 'The database cannot answer at the moment. Try again later.',
}
