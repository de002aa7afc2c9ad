import { DatabaseError, unreachable } from '../error.ts'
import { postgresError } from './error.ts'

/** "Too many connections". */
export const FULL: readonly string[] = ['53300']

/** What `pg` rejects with: a report of the server, or an error of the socket or its own. */
interface Failed {
  readonly severity?: string
  readonly code?: string
  readonly message?: string
  readonly detail?: string
  readonly hint?: string
  readonly position?: string
}

/** Why a statement has no answer. A message that does not come from the database is dropped. */
export function failure(error: unknown, timeoutMs: number): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { severity, code, message = '', detail, hint, position } = error as Failed
  if (!severity || !code) return unreachable()
  const report = { code, message, detail, hint, position: Number(position) || undefined }
  // A pooler may connect only now, and ends the session if it cannot.
  return postgresError(report, timeoutMs, severity === 'FATAL')
}

/**
 * Why there is no connection. A server's own message names host and user, so others stand for it. An
 * error during the TLS handshake comes from the encryption, whatever its message.
 */
export function connectFailure(
  error: unknown,
  shakingHands: boolean,
  direct = false,
): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { severity, code = '', message = '' } = error as Failed
  if (severity) {
    const told = postgresError({ code, message: '' }, 0, true)
    const known = ['auth', 'config', 'network'].includes(told.kind)
    return known ? told : postgresError({ code: '28000', message: '' }, 0, true)
  }
  if (/^SASL/.test(message)) return postgresError({ code: '28000', message: '' }, 0, true)
  if (NO_TLS.test(message)) {
    return new DatabaseError('config', PLAIN, {
      hint: 'The operator can turn on TLS in the database, or add sslmode=disable to its URL.',
    })
  }
  if (direct && shakingHands && code === 'ECONNRESET') {
    return new DatabaseError('config', 'The database does not encrypt without being asked first.', {
      hint: 'That takes PostgreSQL 17, with TLS turned on. The operator can take sslnegotiation=direct off its URL.',
    })
  }
  if (shakingHands || /CERT|TLS|SSL/.test(code) || /certificate|\bTLS\b/i.test(message)) {
    return new DatabaseError(
      'config',
      'The certificate of the database cannot be trusted for its host.',
      {
        hint: 'The operator can connect through Hyperdrive, which accepts a private certificate authority.',
      },
    )
  }
  return unreachable()
}

// As `pg` says it.
const NO_TLS = /server does not support SSL|establishing an SSL connection/

const PLAIN = 'The database does not speak TLS.'

/** Whether an error says that the server does not encrypt. */
export const refusesTls = (error: unknown) =>
  error instanceof DatabaseError && error.message === PLAIN
