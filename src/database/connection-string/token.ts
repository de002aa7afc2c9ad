import { isTokenAuth } from '../iam/token-login.ts'
import { take } from './draft.ts'
import { NotRecognised } from './fault.ts'
import type { Notes, StringDraft } from './pasted.ts'

/**
 * Takes the parameters for a token login out of a draft: our drivers' own parameters, or those from Amazon's wrapper
 * for Java. Undefined for a login with a password. An Amazon token pasted as the password turns the draft into a
 * token login. Throws {@link NotRecognised} for an unsupported IAM login.
 */
export function takeToken(draft: StringDraft, notes: Notes) {
  const { params, password } = draft
  const written = params.get('auth')?.toLowerCase() ?? ''
  const isPasted = password !== undefined && /[?&]X-Amz-Signature=/i.test(password)
  const isWrapped = /(?:^|,)\s?iam(?:,|$)/i.test(params.get('wrapperplugins') ?? '')
  if (/iam/.test(written) && !isTokenAuth(written)) {
    throw new NotRecognised(
      'Its auth has an unknown value. Write auth=rds-iam, auth=cloudsql-iam or auth=alloydb-iam, or leave it out to log in with a password.',
      'parameter',
    )
  }
  const auth = isTokenAuth(written) ? written : isPasted || isWrapped ? 'rds-iam' : undefined
  if (auth === undefined) return undefined
  if (isTokenAuth(written)) params.delete('auth')
  else notes.changes.push('Wrote the IAM login as auth=rds-iam.')
  take(draft, 'wrapperplugins')
  if (password !== undefined) {
    draft.password = undefined
    notes.changes.push('Removed the password: each login uses a token made for it.')
  }
  notes.hints.push('It logs in with a token made from secrets of this deployment.')
  return {
    auth,
    region: take(draft, 'region', 'iamregion'),
    credentials: take(draft, 'credentials'),
  }
}
