import type { Io } from '../database.ts'
import { DatabaseError } from '../error.ts'
import { alloydb, cloudSql } from './google.ts'
import { rds } from './rds.ts'
import type { Place, Way } from './way.ts'

/** The values of the parameter `auth`. */
const ways: Readonly<Record<string, Way>> = {
  'rds-iam': rds,
  'cloudsql-iam': cloudSql,
  'alloydb-iam': alloydb,
}

const NAMES = Object.keys(ways).join(', ')

/** Whether a URL with this parameter `auth` logs in with a token. */
export const isTokenAuth = (auth: string): boolean => Object.hasOwn(ways, auth)

/** A login with a token. */
export interface TokenLogin extends Place {
  /** One of the values of the parameter. */
  readonly auth: string
}

/**
 * The login with a token that the parameters of a URL ask for; nothing for a login with a password. Throws
 * {@link DatabaseError} for a URL that lacks something for it.
 */
export function tokenLogin(
  params: { get(name: string): string | null | undefined },
  { password, ...at }: Pick<Place, 'host' | 'port' | 'user'> & { readonly password: string },
): TokenLogin | undefined {
  const auth = params.get('auth') ?? undefined
  if (auth === undefined) return undefined
  const way = isTokenAuth(auth) ? ways[auth]! : undefined
  if (!way) throw fault(`The auth of the database URL must be one of ${NAMES}.`)
  if (password) {
    throw fault(`Leave the password out of the database URL: with auth=${auth}, it is a token.`)
  }
  const credentials = params.get('credentials') ?? undefined
  // With what comes behind it, it is the name of a secret that logs in to databases, and of no other.
  if (credentials !== undefined && !/^[A-Z][A-Z0-9_]{0,30}$/.test(credentials)) {
    throw fault(
      'The credentials of the database URL must be a name in capitals, such as SALES, which the names of its secrets begin with.',
    )
  }
  const place = { ...at, region: params.get('region') ?? undefined, credentials }
  way.check?.(place)
  return { auth, ...place }
}

/** Throws {@link DatabaseError} unless the connection of a login with a token is encrypted in any case. */
export function assertEncrypted(token: TokenLogin | undefined, isEncrypted: boolean): void {
  if (!token || isEncrypted) return
  throw fault(
    `With auth=${token.auth} the connection must be encrypted: the sslmode of the database URL can be left out.`,
  )
}

interface Login {
  readonly password: string
  readonly token: TokenLogin | undefined
}

/**
 * A login for one connection: its password is that of the URL, or a token that is made for it. Throws
 * {@link DatabaseError}.
 */
export async function withPassword<It extends Login>(
  login: It,
  io: Io,
  signal: AbortSignal,
): Promise<It> {
  const { token } = login
  return token ? { ...login, password: await ways[token.auth]!.token(token, io, signal) } : login
}

/**
 * The error of a connection: where a token is refused it says what to check; of a certificate that is not
 * trusted, that Hyperdrive does not help; of a server that does not encrypt, that it has to.
 */
export function ofToken(error: unknown, { token }: Login): unknown {
  if (!token || !(error instanceof DatabaseError)) return error
  const { kind, message: said } = error
  // A machine can be given the authorities of its service in a file, and the hint says so.
  if (kind === 'config' && /certificate/i.test(said) && !error.hint?.includes('sslrootcert')) {
    return new DatabaseError(kind, said, { code: error.code, hint: NO_HYPERDRIVE })
  }
  if (kind === 'config' && /does not speak TLS/.test(said)) {
    return new DatabaseError(kind, said, { hint: NEEDS_TLS })
  }
  if (kind !== 'auth') return error
  const { service, hint } = ways[token.auth]!
  const message = `The database refused the IAM token of ${service} for the user of this endpoint.`
  return new DatabaseError('auth', message, { code: error.code, hint })
}

const NO_HYPERDRIVE =
  'Hyperdrive, which trusts other authorities, takes no login by IAM. The operator can use a user with a password there.'

const NEEDS_TLS =
  'A token goes over TLS only, and none was sent. The operator has to turn on TLS in the database.'

const fault = (sentence: string) => new DatabaseError('config', sentence)
