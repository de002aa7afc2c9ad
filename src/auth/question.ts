/**
 * Whether the parameters of an authorization request can be read in one way only: each comes once (RFC 6749, section
 * 3.1), except `resource` (RFC 8707), and a redirect URI on this machine is written as it is read. The library
 * compares the parts of such a URI, since its port may differ (RFC 8252, section 7.3).
 */
export function isUnambiguous(parameters: URLSearchParams): boolean {
  const names = [...parameters.keys()].filter((it) => it !== 'resource')
  return new Set(names).size === names.length && isPlain(parameters.get('redirect_uri') ?? '')
}

function isPlain(uri: string): boolean {
  const url = URL.parse(uri)
  if (url?.protocol !== 'http:') return true
  const { pathname, search } = url
  const rest = LOOPBACK.exec(uri)?.[1]
  return rest === pathname + search || (rest === '' && pathname + search === '/')
}

const LOOPBACK = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?(?=[/?]|$)(.*)$/
