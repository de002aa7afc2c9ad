import * as z from 'zod/mini'
import { sha256 } from '../../ground/index.ts'
import { toBase64Url } from '../../mcp/index.ts'
import { SignInFault } from './person.ts'

/** A string that nobody can guess, for a state, a nonce or a PKCE verifier. */
export const unguessable = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))

/** The parameters for a verifier (RFC 7636, section 4.3). */
export const challengeFor = async (verifier: string) => ({
  code_challenge: toBase64Url(await sha256(verifier)),
  code_challenge_method: 'S256',
})

/** A sign-in code, and the values needed to exchange it. */
export interface CodeExchange {
  readonly code: string
  readonly redirectUri: string
  readonly verifier: string
}

/** Maximum length of a code. Entra's codes have more than a thousand characters. */
const MAX_CODE_CHARS = 8_192

/** The code in the provider's redirect. Throws {@link SignInFault} if there is none. */
export function codeOf({ searchParams }: URL): string {
  const [code, ...others] = searchParams.getAll('code')
  const error = searchParams.get('error')
  if (error === 'access_denied') {
    throw new SignInFault('The identity provider denied you access, or you did not agree there.')
  }
  if (error !== null) {
    throw new SignInFault(
      'The identity provider did not let you sign in. The operator must check the client id, the scopes and the redirect URI there.',
    )
  }
  if (!code || others.length > 0 || code.length > MAX_CODE_CHARS) {
    throw new SignInFault('The identity provider sent you back without a code. Sign in again.')
  }
  return code
}

/** Explains to people that a code was refused. The message contains no text from the provider. */
export const refusedCode = (answer: unknown): SignInFault =>
  new SignInFault(reasonOf(Refusal.safeParse(answer).data?.error))

const Refusal = z.object({ error: z.string() })

function reasonOf(error: string | undefined): string {
  if (error === 'invalid_grant' || error === 'bad_verification_code') {
    return 'This sign-in took too long, or was used before. Sign in again.'
  }
  if (error === undefined || FAILURES.includes(error)) {
    return 'The identity provider did not give what was asked for. Try again in a minute.'
  }
  return 'The identity provider does not accept this server. The operator has to check SIGN_IN_CLIENT_ID, SIGN_IN_CLIENT_SECRET and the redirect URI.'
}

/** Errors that mean that the provider itself failed (RFC 6749, section 4.1.2.1). */
const FAILURES = ['server_error', 'temporarily_unavailable']
