import { badConfig } from '../error.ts'
import { decoded } from '../transport/url.ts'

/** The project, and the token that gives access to it. */
export interface SupabaseAddress {
  /** The reference in a project's URL: 20 lower-case letters. */
  readonly ref: string
  readonly endpoint: string
  /** Contains the token, which is sent in a header and nowhere else. */
  readonly authorization: string
}

/** Reads the address from a URL. Throws {@link DatabaseError}. */
export function addressOf(url: URL): SupabaseAddress {
  const ref = url.hostname
  const more = url.username || url.port || url.search || url.hash || url.pathname.length > 1
  if (!/^[a-z]{20}$/.test(ref) || more) {
    throw badConfig(
      'A Supabase URL has a token and a project, and nothing else: supabase://:TOKEN@REF, where REF is the 20 letters in https://REF.supabase.co',
    )
  }
  const token = decoded(url.password)
  if (!/^[\w.~+/=-]+$/.test(token)) {
    throw badConfig('The token in the Supabase URL is missing or not valid: supabase://:TOKEN@REF')
  }
  return {
    ref,
    // Runs everything as supabase_read_only_user, and accepts a token that can only read.
    endpoint: `https://api.supabase.com/v1/projects/${ref}/database/query/read-only`,
    authorization: `Bearer ${token}`,
  }
}
