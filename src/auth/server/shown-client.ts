import { fromBase64Url } from '../../mcp/index.ts'

/**
 * The id of the app that a request says it comes from, by any of the ways that apps authenticate. Nothing of it
 * is checked yet.
 */
export function shownClient(form: URLSearchParams, headers: Headers): string | undefined {
  const [scheme = '', credentials = ''] = (headers.get('authorization') ?? '').trim().split(/\s+/)
  if (scheme.toLowerCase() === 'basic') return orNothing(() => userIn(credentials))
  const assertion = form.get('client_assertion')
  return form.get('client_id') ?? (assertion ? orNothing(() => issuerOf(assertion)) : undefined)
}

/** Whether a client id is the URL of a metadata document, which would have to be fetched. */
export const isDocument = (clientId: string | undefined): boolean =>
  clientId !== undefined && URL.canParse(clientId) && new URL(clientId).protocol === 'https:'

/** Both parts are encoded as in a form before they are joined (RFC 6749, section 2.3.1). */
function userIn(credentials: string): string {
  const [user = ''] = atob(credentials).split(':')
  return decodeURIComponent(user.replaceAll('+', ' '))
}

function issuerOf(assertion: string): string | undefined {
  const [, payload = ''] = assertion.split('.')
  const { iss } = JSON.parse(new TextDecoder().decode(fromBase64Url(payload)))
  return typeof iss === 'string' ? iss : undefined
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
