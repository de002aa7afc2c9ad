import { badConfig, DatabaseError, unreachable } from '../../error.ts'
import { notEncrypted, notReached, notTrusted } from '../../transport/connection-errors.ts'
import { loginError, mysqlError } from '../error.ts'

/** Too many connections to the server, in total or from this user, or a resource limit of this user was reached. */
export const FULL: readonly string[] = ['1040', '1203', '1226']

/** An error that `mysql2` rejects with: from the server, from the socket, or its own. */
interface MysqlFailure {
  readonly errno?: number
  readonly code?: string
  readonly message?: string
  /** Only in errors from the server. */
  readonly sqlMessage?: string
}

/** The error for a failed statement. A message that does not come from the database is dropped. */
export function failure(error: unknown, timeoutMs: number): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { errno, sqlMessage } = error as MysqlFailure
  if (errno === undefined || sqlMessage === undefined) return unreachable()
  return mysqlError(errno, sqlMessage, timeoutMs)
}

/** The error for a failed connection. The server's message contains the host and the user, so it is replaced. */
export function connectFailure(error: unknown, isOwnMachine = false): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { errno, code = '', message = '', sqlMessage } = error as MysqlFailure
  if (errno !== undefined && sqlMessage !== undefined) return loginError(errno)
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return notEncrypted('ssl-mode=DISABLED')
  if (
    code.startsWith('HANDSHAKE_SSL') ||
    /CERT|TLS|SSL/.test(code) ||
    /certificate/i.test(message)
  ) {
    return notTrusted(
      isOwnMachine,
      'The operator can specify the CA certificate file in the URL: ssl-ca=/path/ca.pem. If the certificate is for another name, ssl-mode=VERIFY_CA does not check the name.',
    )
  }
  if (message.includes('a key from the server')) {
    return badConfig(
      'The login for this endpoint requires an encrypted connection, or a key from the server that cannot be verified.',
      {
        hint: 'The operator can turn on TLS in the database and remove ssl-mode from its URL, or, on a trusted network, add get-server-public-key=true.',
      },
    )
  }
  const asksPlainly = code === 'MYSQL_CLEAR_PASSWORD_NOT_ENABLED'
  if (asksPlainly || message.includes('unknown plugin')) {
    const instead = asksPlainly
      ? 'For an IAM user, the URL needs auth=rds-iam or auth=cloudsql-iam. '
      : ''
    return new DatabaseError(
      'auth',
      'The user for this endpoint logs in with a method that is not supported here.',
      {
        reason: 'login_refused',
        hint: `${instead}The operator can let it log in with mysql_native_password or caching_sha2_password.`,
      },
    )
  }
  if (code.startsWith('AUTH_')) return loginError(1045)
  return (isOwnMachine ? notReached(code) : undefined) ?? unreachable()
}

/** The error for unencrypted data after both sides agreed on encryption. */
export const sentInClear = () =>
  new DatabaseError(
    'network',
    'The database answered without encryption, after it had agreed to encrypt. Nothing more was sent.',
    {
      hint: 'Someone may be intercepting the connection: the operator must check the network path to the server.',
    },
  )
