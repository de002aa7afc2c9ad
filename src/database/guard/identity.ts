import type { UnguardedDatabase } from '../database.ts'
import { badConfig, DatabaseError } from '../error.ts'
import type { Identity } from '../rows.ts'

const MAX_CLAIMS_BYTES = 8 * 1024

/** Maximum length of a role name in bytes, as in PostgreSQL. Other engines allow fewer. */
const MAX_ROLE_BYTES = 63

/**
 * Makes sure that a database applies all of an identity, and refuses any part that it would ignore. Throws
 * {@link DatabaseError}.
 */
export function assertIdentity(
  identity: Identity | undefined,
  { dialect, applies = [] }: Pick<UnguardedDatabase, 'dialect' | 'applies'>,
): void {
  const { role, claims } = identity ?? {}
  for (const [part, what] of PARTS) {
    if (identity?.[part] !== undefined && !applies.includes(part)) {
      throw badConfig(`${dialect.title} does not accept ${what} here, so no query was sent.`)
    }
  }
  if (role !== undefined && !isRole(role)) {
    throw badConfig('The role configured for this database is not a valid role name.')
  }
  if (claims !== undefined && !isClaims(claims)) {
    throw new DatabaseError(
      'refused',
      `The claims of this caller are longer than ${MAX_CLAIMS_BYTES} bytes, or are not a JSON object.`,
    )
  }
}

const PARTS = [
  ['role', 'a role'],
  ['claims', 'claims about its callers'],
] as const

const bytesOf = (text: string) => new TextEncoder().encode(text).length

/** True if a string can be sent. Databases read any other string as a different one, or refuse it. */
export const isText = (text: string) => text.isWellFormed() && !text.includes('\0')

/** True for a role name, but not for `none`: in PostgreSQL and MariaDB it would reset the role, even in quotes. */
const isRole = (role: string) =>
  role !== '' && isText(role) && !/^none$/i.test(role) && bytesOf(role) <= MAX_ROLE_BYTES

/** True for a JSON object. JSON cannot contain a NUL, and a string without a leading `{` is not an object. */
const isClaims = (claims: string) =>
  isText(claims) && claims.startsWith('{') && bytesOf(claims) <= MAX_CLAIMS_BYTES
