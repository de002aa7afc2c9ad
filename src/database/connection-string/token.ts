import { isTokenAuth } from '../iam/token-login.ts'
import { type Draft, type Notes, take } from './draft.ts'
import { NotRecognised } from './fault.ts'

/** The parameters of a login with a token. */
export interface TokenParameters {
  readonly auth: string
  readonly region: string | undefined
  readonly credentials: string | undefined
}

/**
 * Takes what a login with a token needs out of a draft: the parameters of our drivers, or those of Amazon's
 * wrapper for Java. Nothing for a login with a password. A token of Amazon that was pasted as the password
 * stands for all that are made after it. Throws {@link NotRecognised} for a login by IAM that there is none of.
 */
export function takeToken(draft: Draft, engine: string, notes: Notes): TokenParameters | undefined {
  const { params, password } = draft
  const written = params.get('auth')?.toLowerCase() ?? ''
  const isPasted = password !== undefined && /[?&]X-Amz-Signature=/i.test(password)
  const isWrapped = /(?:^|,)\s?iam(?:,|$)/i.test(params.get('wrapperplugins') ?? '')
  if (/iam/.test(written) && !isTokenAuth(written)) {
    throw new NotRecognised(
      'Its auth is none that there is. Write auth=rds-iam, auth=cloudsql-iam or auth=alloydb-iam, or leave it out to log in with a password.',
      'parameter',
      engine,
    )
  }
  const auth = isTokenAuth(written) ? written : isPasted || isWrapped ? 'rds-iam' : undefined
  if (auth === undefined) return undefined
  if (isTokenAuth(written)) params.delete('auth')
  else notes.changes.push('Wrote the login by IAM as auth=rds-iam.')
  take(draft, 'wrapperplugins')
  if (password !== undefined) {
    draft.password = undefined
    notes.changes.push('Took the password off: each login has a token that is made for it.')
  }
  notes.hints.push('It logs in with a token, which is made from secrets of this deployment.')
  return {
    auth,
    region: take(draft, 'region', 'iamregion'),
    credentials: take(draft, 'credentials'),
  }
}
