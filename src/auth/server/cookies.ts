/** The value of a cookie in a request. */
export function readCookie(request: Request, name: string): string | undefined {
  return cookiesOf(request)
    .find((it) => it.startsWith(`${name}=`))
    ?.slice(name.length + 1)
}

/** Cookies in a request whose names start with this prefix, as `name=value`. */
export const cookiesNamed = (request: Request, prefix: string): readonly string[] =>
  cookiesOf(request).filter((it) => it.startsWith(prefix))

/**
 * The cookies in a request that are plain visible ASCII, as ours are. Another host in the domain can set a cookie that
 * is named like one of ours, but with Unicode spaces around the name. Browsers do not recognize its `__Host-` prefix,
 * but code that trims names would accept it as ours.
 */
const cookiesOf = ({ headers }: Request): readonly string[] =>
  (headers.get('cookie') ?? '')
    .split(';')
    .map((it) => (it.startsWith(' ') ? it.slice(1) : it))
    .filter((it) => /^[!-~]+$/.test(it))

/** The request with only these cookies, since the OAuth library trims names. */
export const withPlainCookies = (request: Request): Request =>
  withCookies(request, cookiesOf(request))

function withCookies(request: Request, cookies: readonly string[]): Request {
  const headers = new Headers(request.headers)
  headers.set('cookie', cookies.join('; '))
  return new Request(request, { headers })
}

/** A cookie for this origin only, hidden from scripts. It lasts this many seconds. */
export const cookie = (name: string, value: string, seconds: number): string =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${seconds}`

/**
 * On a person's own machine, without https, some browsers refuse a cookie that is `Secure` or has this prefix. There,
 * it is written without either: see {@link asHostCookies} and {@link asPlainCookies}.
 */
const HOST = '__Host-'

/** Cookies that we and the OAuth library prefix with `__Host-`. */
const OURS = /^(?:tidegate|oauth)-/

/** A request from a browser on this machine, with the cookie names that are used everywhere else. */
export const asHostCookies = (request: Request): Request =>
  withCookies(
    request,
    cookiesOf(request).map((it) => (OURS.test(it) ? `${HOST}${it}` : it)),
  )

/** A response to a browser on this machine, with cookies that it accepts over http. */
export function asPlainCookies(answer: Response): Response {
  const { status, headers: given, body } = answer
  const headers = new Headers(given)
  headers.delete('set-cookie')
  for (const it of given.getSetCookie()) {
    const plain = it.startsWith(HOST) ? it.slice(HOST.length).replace('; Secure', '') : it
    headers.append('set-cookie', plain)
  }
  return new Response(body, { status, headers })
}
