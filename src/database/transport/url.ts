import { DatabaseError } from '../error.ts'

/** Whether a host is the machine itself. */
export const isLoopback = (hostname: string) =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(hostname)

/** Whether what is sent there is encrypted. */
export const isHttps = ({ endpoint }: { readonly endpoint: string }) =>
  endpoint.startsWith('https:')

/** A part of a URL as it was before it became one. Throws {@link DatabaseError}. */
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
