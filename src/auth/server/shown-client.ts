import { fromBase64Url } from '../../mcp/index.ts'

/** The client ID in a request, whichever way the app authenticates. It is not verified yet. */
export function shownClient(form: URLSearchParams, headers: Headers): string | undefined {
  const [scheme = '', credentials = ''] = (headers.get('authorization') ?? '').trim().split(/\s+/)
  if (scheme.toLowerCase() === 'basic') return orNothing(() => userIn(credentials))
  const assertion = form.get('client_assertion')
  return form.get('client_id') ?? (assertion ? orNothing(() => issuerOf(assertion)) : undefined)
}

/** True if a client ID is the URL of a metadata document, which would have to be fetched. */
export const isDocument = (clientId: string | undefined): boolean =>
  clientId !== undefined && URL.canParse(clientId) && new URL(clientId).protocol === 'https:'

/** Both parts are form-encoded before they are joined (RFC 6749, section 2.3.1). */
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
