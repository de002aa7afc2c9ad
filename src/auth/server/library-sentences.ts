import type { QuestionReason } from './question.ts'

/**
 * OAuth library messages that this code relies on, because the library has no codes for them. They are from one
 * version. A test triggers each of them, and fails if another version is installed. No other code should read the
 * library's messages. test/sign-in/upstream.md asks the library's authors for codes.
 */
export const READ_FROM = '1.2.3'

/** Descriptions of an `AuthorizationError`. */
const DESCRIPTIONS: Readonly<Record<string, QuestionReason>> = {
  'Invalid client_id': 'client_unknown',
  'Invalid redirect URI': 'redirect_uri_foreign',
  'Missing transaction handle': 'page_over',
  'This authorization was not started in this browser; start again': 'page_over',
  'This authorization belongs to a different browser session; start again': 'page_over',
  'This authorization expired or was already used; start again': 'page_over',
}

/** The library's reason for refusing a request. */
export const reasonOf = (description: string): QuestionReason =>
  Object.hasOwn(DESCRIPTIONS, description) ? DESCRIPTIONS[description]! : 'malformed'

/** The detail of a `CimdFetchError` if the site has no document, or the document is another app's. */
const WITHDRAWN = /HTTP 4(?:04|10)$|does not match metadata URL/

/** True if an app has withdrawn its metadata document, which is then not just temporarily unreachable. */
export const isWithdrawn = (detail: unknown): boolean => WITHDRAWN.test(String(detail))
