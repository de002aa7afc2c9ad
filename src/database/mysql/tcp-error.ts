import { DatabaseError, unreachable } from '../error.ts'
import { notReached } from '../transport/not-reached.ts'
import { loginError, mysqlError } from './error.ts'

/** Too many connections: to the server, of all users or of this one, or a resource of the user is used up. */
export const FULL: readonly string[] = ['1040', '1203', '1226']

/** What `mysql2` rejects with: a report of the server, or an error of the socket or its own. */
interface Failed {
  readonly errno?: number
  readonly code?: string
  readonly message?: string
  /** Of the server's reports only. */
  readonly sqlMessage?: string
}

/** Why a statement has no answer. A message that does not come from the database is dropped. */
export function failure(error: unknown, timeoutMs: number): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { errno, sqlMessage } = error as Failed
  if (errno === undefined || sqlMessage === undefined) return unreachable()
  return mysqlError(errno, sqlMessage, timeoutMs)
}

/** Why there is no connection. A server's own message names host and user, so others stand for it. */
export function connectFailure(error: unknown, isOwnMachine = false): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { errno, code = '', message = '', sqlMessage } = error as Failed
  if (errno !== undefined && sqlMessage !== undefined) return loginError(errno)
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') {
    return new DatabaseError('config', PLAIN, {
      hint: 'The operator can turn on TLS in the database, or add ssl-mode=DISABLED to its URL.',
    })
  }
  if (
    code.startsWith('HANDSHAKE_SSL') ||
    /CERT|TLS|SSL/.test(code) ||
    /certificate/i.test(message)
  ) {
    return new DatabaseError(
      'config',
      'The certificate of the database cannot be trusted for its host.',
      {
        hint: isOwnMachine
          ? 'The operator can name the file with the certificate of its authority in the URL: ssl-ca=/path/ca.pem. If the certificate is for another name, ssl-mode=VERIFY_CA leaves the name out.'
          : 'The operator can connect through Hyperdrive, which accepts a private certificate authority.',
      },
    )
  }
  if (message.includes('a key from the server')) {
    return new DatabaseError(
      'config',
      'The login of this endpoint would need an encrypted connection, or a key from the server, which nobody vouches for.',
      {
        hint: 'The operator can turn on TLS in the database and take ssl-mode off its URL, or, in a network that is trusted, add get-server-public-key=true.',
      },
    )
  }
  const asksPlainly = code === 'MYSQL_CLEAR_PASSWORD_NOT_ENABLED'
  if (asksPlainly || message.includes('unknown plugin')) {
    const instead = asksPlainly
      ? 'A URL for a user of IAM says so: auth=rds-iam, or auth=cloudsql-iam. '
      : ''
    return new DatabaseError(
      'auth',
      'The user of this endpoint logs in by a method that is not supported here.',
      {
        hint: `${instead}The operator can let it log in by mysql_native_password or caching_sha2_password.`,
      },
    )
  }
  if (code.startsWith('AUTH_')) return loginError(1045)
  return (isOwnMachine ? notReached(code) : undefined) ?? unreachable()
}

/** The error for what comes unencrypted where encryption is agreed upon. */
export const notEncrypted = () =>
  new DatabaseError(
    'network',
    'The database answered without encryption, after it had agreed to encrypt. Nothing more was sent.',
    { hint: 'Somebody may be in between: the operator must look at the way to the server.' },
  )

const PLAIN = 'The database does not speak TLS.'

/** Whether an error says that the server does not encrypt. */
export const refusesTls = (error: unknown) =>
  error instanceof DatabaseError && error.message === PLAIN
