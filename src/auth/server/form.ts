import { randomText } from '../../registry/index.ts'
import { cookie, readCookie } from './cookies.ts'

/** Reads a form, as our pages send them. Undefined if it is none. The door has seen to its length. */
export async function readForm(request: Request): Promise<URLSearchParams | undefined> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded *(?:;|$)/i.test(type)) return undefined
  return new URLSearchParams(await request.text())
}

/** The token of the forms of a browser, and the header that gives it to a browser that has none. */
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
 * Whether a form was sent by a page of ours. Browsers say which page sends it. Old ones do not: then the form has to
 * hold the token in its cookie, which another page does not know.
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
