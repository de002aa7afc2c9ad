import { badConfig, DatabaseError, unreachable } from '../../error.ts'
import { notEncrypted, notTrusted } from '../../transport/connection-errors.ts'
import { postgresError } from '../error.ts'

/** "Too many connections". */
export const FULL: readonly string[] = ['53300']

/** An error that `pg` rejects with: from the server, from the socket, or its own. */
interface PostgresFailure {
  readonly severity?: string
  readonly code?: string
  readonly message?: string
  readonly detail?: string
  readonly hint?: string
  readonly position?: string
}

/** The error for a failed statement. A message that does not come from the database is dropped. */
export function failure(error: unknown, timeoutMs: number): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { severity, code, message = '', detail, hint, position } = error as PostgresFailure
  if (!severity || !code) return unreachable()
  const report = { code, message, detail, hint, position: Number(position) || undefined }
  // A pooler may not have connected until now. If it cannot connect, it ends the session.
  return postgresError(report, timeoutMs, severity === 'FATAL')
}

/**
 * The error for a failed connection. The server's message contains the host and the user, so it is replaced. An
 * error during the TLS handshake is a TLS error, regardless of its message.
 */
export function connectFailure(
  error: unknown,
  shakingHands: boolean,
  { direct = false, isOwnMachine = false } = {},
): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { severity, code = '', message = '' } = error as PostgresFailure
  if (severity) {
    const told = postgresError({ code, message: '' }, 0, true)
    const known = ['auth', 'config', 'network'].includes(told.kind)
    return known ? told : postgresError({ code: '28000', message: '' }, 0, true)
  }
  if (/^SASL/.test(message)) return postgresError({ code: '28000', message: '' }, 0, true)
  if (NO_TLS.test(message)) return notEncrypted('sslmode=disable')
  if (direct && shakingHands && code === 'ECONNRESET') {
    return badConfig('The database does not encrypt without being asked first.', {
      reason: 'tls_failed',
      hint: 'That requires PostgreSQL 17, with TLS turned on. The operator can remove sslnegotiation=direct from its URL.',
    })
  }
  if (shakingHands || /CERT|TLS|SSL/.test(code) || /certificate|\bTLS\b/i.test(message)) {
    return notTrusted(isOwnMachine)
  }
  return unreachable()
}

// Messages from `pg`.
const NO_TLS = /server does not support SSL|establishing an SSL connection/
