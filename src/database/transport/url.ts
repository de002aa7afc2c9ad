import { badConfig } from '../error.ts'

/** True if the connection to an address is encrypted. */
export const isHttps = ({ endpoint }: { readonly endpoint: string }) =>
  endpoint.startsWith('https:')

/** Decodes a part of a URL. Throws {@link DatabaseError}. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw badConfig(
      'The database URL has a % that does not begin a percent-encoding. Write it as %25.',
    )
  }
}
