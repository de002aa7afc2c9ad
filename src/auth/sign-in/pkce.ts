import { toBase64Url } from '../../mcp/index.ts'

/** A text that nobody guesses, for a state, a nonce or the verifier of PKCE. */
export const unguessable = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))

/** What is shown of a verifier before it is used (RFC 7636, section 4.2, S256). */
export async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return toBase64Url(new Uint8Array(digest))
}
