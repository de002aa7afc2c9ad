import type { UnguardedDatabase } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { Identity } from '../rows.ts'

/** The most bytes of claims. */
const MAX_CLAIMS_BYTES = 8 * 1024

/** The most bytes of the name of a role, as PostgreSQL has it. Other engines have fewer. */
const MAX_ROLE_BYTES = 63

/**
 * Makes sure that a database applies all of an identity: what it would ignore, it refuses. Throws
 * {@link DatabaseError}.
 */
export function assertIdentity(
  identity: Identity | undefined,
  { dialect, applies = [] }: Pick<UnguardedDatabase, 'dialect' | 'applies'>,
): void {
  const { role, claims } = identity ?? {}
  const given = { role, claims }
  for (const part of ['role', 'claims'] as const) {
    if (given[part] !== undefined && !applies.includes(part)) {
      const what = part === 'role' ? 'a role' : 'the claims of its callers'
      throw new DatabaseError(
        'config',
        `${dialect.title} does not take ${what} here, so nothing was asked.`,
      )
    }
  }
  if (role !== undefined && !isRole(role)) {
    throw new DatabaseError('config', 'The role of this database is not the name of a role.')
  }
  if (claims !== undefined && !isClaims(claims)) {
    throw new DatabaseError(
      'refused',
      `What the access of this caller says about it has more than ${MAX_CLAIMS_BYTES} bytes, or is not an object.`,
    )
  }
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length

const isText = (text: string) => text.isWellFormed() && !text.includes('\0')

/** `none` would end every role: PostgreSQL and MariaDB read it so, even in quotes. */
const isRole = (role: string) =>
  role !== '' && isText(role) && !/^none$/i.test(role) && bytesOf(role) <= MAX_ROLE_BYTES

/** JSON has no NUL in it, and a text without `{` is no object. */
const isClaims = (claims: string) =>
  isText(claims) && claims.startsWith('{') && bytesOf(claims) <= MAX_CLAIMS_BYTES
