import type { Io } from '../database.ts'
import { badConfig } from '../error.ts'

/** The user and the server for a login, from the database's URL. */
export interface LoginPlace {
  /** An IPv6 address is in brackets. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly region: string | undefined
  /** The parameter `credentials`, which is the prefix of the secrets' names before an underscore. */
  readonly credentials: string | undefined
}

/** A login method that uses a token instead of a password. */
export interface IamLogin {
  /** Display name of the service. */
  readonly service: string
  /** Instructions for the operator that let a user log in to the service. */
  readonly hint: string
  /** Throws {@link DatabaseError} for a URL that lacks a required part. */
  check?(place: LoginPlace): void
  /** Makes a token. Throws {@link DatabaseError}. */
  token(place: LoginPlace, io: Io, signal: AbortSignal): Promise<string>
}

/** Reads a deployment's secret, whose name begins with the URL's `credentials`. */
export function secretOf({ bindings }: Io, { credentials }: LoginPlace, name: string) {
  const full = credentials === undefined ? name : `${credentials}_${name}`
  const value = bindings[full]
  return { name: full, value: typeof value === 'string' ? value.trim() : '' }
}

/** Reads a required secret. Throws {@link DatabaseError}. */
export function neededSecret(...asked: Parameters<typeof secretOf>) {
  const secret = secretOf(...asked)
  if (secret.value !== '') return secret
  throw badConfig(
    `This deployment has no secret ${secret.name}, which the login to this database needs.`,
    {
      reason: 'login_secret_missing',
      subject: secret.name,
      hint: `The operator can set it: in a Worker with npx wrangler secret put ${secret.name}, elsewhere in the environment.`,
    },
  )
}
