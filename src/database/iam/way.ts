import type { Io } from '../database.ts'
import { DatabaseError } from '../error.ts'

/** Who logs in and where, as the URL of the database has it. */
export interface Place {
  /** An IPv6 address stands in brackets. */
  readonly host: string
  readonly port: number
  readonly user: string
  /** The parameter `region`. */
  readonly region: string | undefined
  /** The parameter `credentials`: what the names of the secrets begin with, before an underscore. */
  readonly credentials: string | undefined
}

/** A way to log in with a token in place of a password. */
export interface Way {
  /** The service whose token it is, as people write it. */
  readonly service: string
  /** What lets a user of it log in, for the operator. */
  readonly hint: string
  /** Throws {@link DatabaseError} for a URL that lacks something. */
  check?(place: Place): void
  /** Makes a token. Throws {@link DatabaseError}. */
  token(place: Place, io: Io, signal: AbortSignal): Promise<string>
}

/** Reads a secret of the deployment, under the name that a URL's `credentials` make of it. */
export function secretOf({ bindings }: Io, { credentials }: Place, name: string) {
  const full = credentials === undefined ? name : `${credentials}_${name}`
  const value = bindings[full]
  return { name: full, value: typeof value === 'string' ? value.trim() : '' }
}

/** The same, of a secret that has to be there. Throws {@link DatabaseError}. */
export function neededSecret(...asked: Parameters<typeof secretOf>) {
  const secret = secretOf(...asked)
  if (secret.value !== '') return secret
  throw new DatabaseError(
    'config',
    `This deployment has no secret ${secret.name}, which logs in to this database.`,
    {
      hint: `The operator can set it: in a Worker with npx wrangler secret put ${secret.name}, elsewhere in the environment.`,
    },
  )
}
