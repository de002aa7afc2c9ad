/** The value of a cookie of a request. */
export function readCookie(request: Request, name: string): string | undefined {
  return cookiesOf(request)
    .find((it) => it.startsWith(`${name}=`))
    ?.slice(name.length + 1)
}

/**
 * The cookies of a request: those that are nothing but visible ASCII, as ours are. Another host of the domain may set
 * one whose name is one of ours with a space of Unicode around it, in which browsers see no `__Host-`: whoever trims
 * it takes it for ours.
 */
const cookiesOf = ({ headers }: Request): readonly string[] =>
  (headers.get('cookie') ?? '')
    .split(';')
    .map((it) => (it.startsWith(' ') ? it.slice(1) : it))
    .filter((it) => /^[!-~]+$/.test(it))

/** A request with these cookies alone, since the OAuth library trims names. */
export const withPlainCookies = (request: Request): Request =>
  withCookies(request, cookiesOf(request))

function withCookies(request: Request, cookies: readonly string[]): Request {
  const headers = new Headers(request.headers)
  headers.set('cookie', cookies.join('; '))
  return new Request(request, { headers })
}

/** A cookie that goes to this origin alone, and that no script reads. It lasts so many seconds. */
export const cookie = (name: string, value: string, seconds: number): string =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${seconds}`

/**
 * On the machine of a person, where there is no https, some browsers refuse a cookie that is `Secure` or begins with
 * this. There it is written without both: see {@link asHostCookies} and {@link asPlainCookies}.
 */
const HOST = '__Host-'

/** The cookies whose names we and the OAuth library begin with `__Host-`. */
const OURS = /^(?:tidegate|oauth)-/

/** A request from a browser on this machine, with its cookies named as everywhere else. */
export const asHostCookies = (request: Request): Request =>
  withCookies(
    request,
    cookiesOf(request).map((it) => (OURS.test(it) ? `${HOST}${it}` : it)),
  )

/** An answer to a browser on this machine, whose cookies it takes over http. */
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
