/** The value of a cookie of a request. */
export function readCookie({ headers }: Request, name: string): string | undefined {
  for (const part of (headers.get('cookie') ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at >= 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
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
export function asHostCookies(request: Request): Request {
  const cookies = (request.headers.get('cookie') ?? '').split(';').map((it) => it.trim())
  const named = cookies.map((it) => (OURS.test(it) ? `${HOST}${it}` : it))
  const headers = new Headers(request.headers)
  headers.set('cookie', named.join('; '))
  return new Request(request, { headers })
}

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
