import { randomText } from '../../ground/index.ts'
import { cookie, readCookie } from './cookies.ts'

/**
 * Reads a form sent by our pages. Undefined if the body is not a form. The entry point has already limited its length.
 */
export async function readForm(request: Request): Promise<URLSearchParams | undefined> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded *(?:;|$)/i.test(type)) return undefined
  return new URLSearchParams(await request.text())
}

/** The CSRF token for a browser's forms, and the header that sets it if the browser does not have one. */
export function formToken(request: Request): {
  readonly token: string
  readonly headers: Readonly<Record<string, string>>
} {
  const known = readCookie(request, COOKIE)
  if (known?.length === CHARS) return { token: known, headers: {} }
  const token = randomText(CHARS)
  return { token, headers: { 'set-cookie': cookie(COOKIE, token, LIFE_SECONDS) } }
}

/**
 * True if a form was sent by one of our pages. Browsers report the page's origin. Old ones do not, so the form must
 * contain the token from the browser's cookie, which other pages cannot read.
 */
export function isFromOurPage(request: Request, form: URLSearchParams): boolean {
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  if (site !== null && site !== 'same-origin') return false
  if (origin !== null && origin !== new URL(request.url).origin) return false
  if (site !== null || origin !== null) return true
  const token = readCookie(request, COOKIE)
  return token?.length === CHARS && form.get('form') === token
}

const COOKIE = '__Host-tidegate-form'

const CHARS = 43

const LIFE_SECONDS = 24 * 3_600
