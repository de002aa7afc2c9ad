import { DatabaseError, unreachable } from '../error.ts'
import { loginError, mysqlError } from './error.ts'

/** What `mysql2` rejects with: a report of the server, or an error of the socket or its own. */
interface Failed {
  readonly errno?: number
  readonly code?: string
  readonly message?: string
  /** Of the server's reports only. */
  readonly sqlMessage?: string
}

/** Why a statement has no answer. The message of anything but the database is dropped. */
export function failure(error: unknown, timeoutMs: number): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { errno, sqlMessage } = error as Failed
  if (errno === undefined || sqlMessage === undefined) return unreachable()
  return mysqlError(errno, sqlMessage, timeoutMs)
}

/** Why there is no connection, in sentences that name neither host nor user: a server's own words do. */
export function connectFailure(error: unknown): DatabaseError {
  const { errno, code = '', message = '', sqlMessage } = error as Failed
  if (errno !== undefined && sqlMessage !== undefined) return loginError(errno)
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') {
    return new DatabaseError('config', 'The database does not speak TLS.', {
      hint: 'Its operator can turn TLS on there, or put ssl-mode=DISABLED into the database URL.',
    })
  }
  if (
    code.startsWith('HANDSHAKE_SSL') ||
    /CERT|TLS|SSL/.test(code) ||
    /certificate/i.test(message)
  ) {
    return new DatabaseError(
      'config',
      'The certificate of the database is not one that can be trusted for its host.',
      { hint: 'Its operator can give it one of a public certificate authority.' },
    )
  }
  return code.startsWith('AUTH_') ? loginError(1045) : unreachable()
}
