import { SignInFault } from './person.ts'

/** The longest code that is taken. Entra's have more than a thousand characters. */
const MAX_CODE_CHARS = 8_192

/** The code that a provider sent somebody back with. Throws {@link SignInFault} for everything else. */
export function codeOf({ searchParams }: URL): string {
  const [code, ...others] = searchParams.getAll('code')
  const error = searchParams.get('error')
  if (error === 'access_denied') {
    throw new SignInFault(
      'You were not let in by the identity provider, or you did not agree there.',
    )
  }
  if (error !== null) {
    throw new SignInFault(
      'The identity provider did not let you sign in. The operator has to check the client id, the scopes and the redirect URI there.',
    )
  }
  if (!code || others.length > 0 || code.length > MAX_CODE_CHARS) {
    throw new SignInFault('The identity provider sent you back without a code. Sign in again.')
  }
  return code
}

/** Why a code is not worth a token, in the words of people. The words of the provider stay out of them. */
export const refusedCode = (error: unknown): SignInFault => new SignInFault(reasonOf(error))

function reasonOf(error: unknown): string {
  if (error === 'invalid_grant' || error === 'bad_verification_code') {
    return 'This sign-in took too long, or was used before. Sign in again.'
  }
  if (typeof error !== 'string' || FAILURES.includes(error)) {
    return 'The identity provider did not give what was asked for. Try again in a minute.'
  }
  return 'The identity provider does not accept this server. The operator has to check SIGN_IN_CLIENT_ID, SIGN_IN_CLIENT_SECRET and the redirect URI.'
}

/** What a provider says that fails itself (RFC 6749, section 4.1.2.1). */
const FAILURES = ['server_error', 'temporarily_unavailable']
