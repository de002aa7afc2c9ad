import { isLoopback } from '../../ground/index.ts'
import type { Io } from '../database.ts'
import { badConfig, DatabaseError } from '../error.ts'
import { type DatabaseHost, isSocket } from '../transport/hosts.ts'
import { alloydb, cloudSql } from './google.ts'
import { rds } from './rds.ts'
import type { IamLogin, LoginPlace } from './way.ts'

/** Login methods, by value of the parameter `auth`. */
const ways: Readonly<Record<string, IamLogin>> = {
  'rds-iam': rds,
  'cloudsql-iam': cloudSql,
  'alloydb-iam': alloydb,
}

const NAMES = Object.keys(ways).join(', ')

/** True if a URL with this value of `auth` logs in with a token. */
export const isTokenAuth = (auth: string): boolean => Object.hasOwn(ways, auth)

/** A login with a token. */
export interface TokenLogin extends LoginPlace {
  /** A value of the parameter `auth`. */
  readonly auth: string
}

/**
 * Reads a token login from a URL's parameters. Undefined for a login with a password. Throws {@link
 * DatabaseError} for a URL that lacks a required part.
 */
export function tokenLogin(
  params: { get(name: string): string | null | undefined },
  { password, host, port, user }: Pick<ServerLogin, 'host' | 'port' | 'user' | 'password'>,
): TokenLogin | undefined {
  const auth = params.get('auth') ?? undefined
  if (auth === undefined) return undefined
  const way = isTokenAuth(auth) ? ways[auth]! : undefined
  if (!way) throw badConfig(`The auth in the database URL must be one of ${NAMES}.`)
  if (password) {
    throw badConfig(`Leave the password out in the database URL: with auth=${auth}, it is a token.`)
  }
  const credentials = params.get('credentials') ?? undefined
  // With a suffix, it is always the name of a secret for database logins, and never the name of another secret.
  if (credentials !== undefined && !/^[A-Z][A-Z0-9_]{0,30}$/.test(credentials)) {
    throw badConfig(
      'The credentials in the database URL must be a name in capitals, such as SALES: the names of its secrets begin with it.',
    )
  }
  const place = { host, port, user, region: params.get('region') ?? undefined, credentials }
  way.check?.(place)
  return { auth, ...place }
}

/** Throws {@link DatabaseError} unless the connection for a token login is always encrypted. */
export function assertEncrypted(token: TokenLogin | undefined, isEncrypted: boolean): void {
  if (!token || isEncrypted) return
  throw badConfig(
    `With auth=${token.auth} the connection must be encrypted: the sslmode in the database URL can be left out.`,
  )
}

/** One of a database's servers, and the user to connect as. */
export interface ServerLogin {
  readonly host: string
  readonly port: number
  readonly user: string
  /** Empty if a token replaces it. */
  readonly password: string
  readonly token: TokenLogin | undefined
  readonly database: string
}

/** Adds the token login to a login, if the URL's parameters request one. Throws {@link DatabaseError}. */
export const serverLogin = (
  given: Omit<ServerLogin, 'token'>,
  params: Parameters<typeof tokenLogin>[0],
): ServerLogin => ({
  ...given,
  token: tokenLogin(params, given),
  // A connection needs an IPv6 address without brackets.
  host: given.host.replace(/^\[(.*)\]$/, '$1'),
})

/** True if all of these servers are on this machine, so that there is no network to protect. */
export const isHere = (hosts: readonly DatabaseHost[]): boolean =>
  hosts.every(({ name }) => isSocket(name) || isLoopback(name))

/**
 * Makes a login for one connection, with the URL's password or with a token made for it. Throws {@link
 * DatabaseError}.
 */
export async function withPassword<It extends Pick<ServerLogin, 'password' | 'token'>>(
  login: It,
  io: Io,
  signal: AbortSignal,
): Promise<It> {
  const { token } = login
  return token ? { ...login, password: await ways[token.auth]!.token(token, io, signal) } : login
}

/**
 * Adapts a connection error to token logins. For a refused token, the error lists the settings to check. For an
 * untrusted certificate, Hyperdrive does not help. For a server without encryption, encryption is required.
 */
export function ofToken(
  error: unknown,
  { token }: Pick<ServerLogin, 'token'>,
  isOwnMachine: boolean,
): unknown {
  if (!token || !(error instanceof DatabaseError)) return error
  const { kind, code, reason } = error
  const { service, hint } = ways[token.auth]!
  if (reason === 'certificate_untrusted') {
    // A machine can read the service's CAs from a file, as the hint says.
    const trust = isOwnMachine ? error.hint : NO_HYPERDRIVE
    return new DatabaseError(kind, error.message, { code, reason, subject: service, hint: trust })
  }
  if (reason === 'not_encrypted') {
    return new DatabaseError(kind, error.message, { reason, subject: service, hint: NEEDS_TLS })
  }
  if (kind !== 'auth') return error
  const message = `The database refused the ${service} IAM token for the user of this endpoint.`
  return new DatabaseError(kind, message, {
    code,
    reason: 'token_refused',
    subject: service,
    hint,
  })
}

const NO_HYPERDRIVE =
  'Hyperdrive, which trusts other CAs, does not support IAM logins. The operator can use a user with a password there.'

const NEEDS_TLS =
  'A token is sent only over TLS, so none was sent. The operator must turn on TLS in the database.'
