import { DatabaseError } from '../error.ts'
import { decoded } from '../transport/url.ts'

/** The project to ask, and the token that allows it. */
export interface Address {
  /** As it is in the URL of a project: 20 small letters. */
  readonly ref: string
  readonly endpoint: string
  /** Holds the token: it travels in a header, and nowhere else. */
  readonly authorization: string
}

/** The address that a URL stands for. Throws {@link DatabaseError}. */
export function addressOf(url: URL): Address {
  const ref = url.hostname
  const more = url.username || url.port || url.search || url.hash || url.pathname.length > 1
  if (!/^[a-z]{20}$/.test(ref) || more) {
    throw new DatabaseError(
      'config',
      'A Supabase URL names a token and a project, and nothing else: supabase://:TOKEN@REF, where REF is the 20 letters of https://REF.supabase.co',
    )
  }
  const token = decoded(url.password)
  if (!/^[\w.~+/=-]+$/.test(token)) {
    throw new DatabaseError(
      'config',
      'The token of a Supabase URL is missing, or is not one: supabase://:TOKEN@REF',
    )
  }
  return {
    ref,
    // Runs everything as supabase_read_only_user, and takes a token that may only read.
    endpoint: `https://api.supabase.com/v1/projects/${ref}/database/query/read-only`,
    authorization: `Bearer ${token}`,
  }
}
