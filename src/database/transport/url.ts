import { DatabaseError } from '../error.ts'

/** Whether a host is this machine. */
export const isLoopback = (hostname: string) =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(hostname)

/** Whether the connection to an address is encrypted. */
export const isHttps = ({ endpoint }: { readonly endpoint: string }) =>
  endpoint.startsWith('https:')

/** Decodes a part of a URL. Throws {@link DatabaseError}. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new DatabaseError(
      'config',
      'The database URL has a % that begins no percent-encoding. Write it as %25.',
    )
  }
}
