import type { Caller } from '../features/context.ts'

/** The caller, and the pages that are allowed to call without a credential. */
export interface OriginPolicy {
  /** A caller with a credential is allowed from any page. */
  readonly caller?: Caller | undefined
  /** Origins of pages allowed to call, in addition to pages on this machine. */
  readonly origins?: readonly string[] | undefined
}

/** Error for a page that is not allowed to call. */
export const FOREIGN_ORIGIN = 'Pages from this origin are not allowed to call this server.'

const LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/**
 * True if the page that sends a request is allowed to call (specification, "Security"). Over plain http, with
 * DNS rebinding, the page's own address proves nothing: the attacker chooses the Host header.
 */
export function allowsOrigin(request: Request, { caller, origins = [] }: OriginPolicy): boolean {
  const origin = request.headers.get('origin')
  if (!origin || caller) return true
  const here = new URL(request.url)
  return (
    LOCAL.test(origin) ||
    origins.includes(origin) ||
    (here.protocol === 'https:' && origin === here.origin)
  )
}

/**
 * True if this address is safe from DNS rebinding. Needed for a GET, which has no Origin header. Over
 * plain http, the safe addresses are IP addresses, listed origins, and names without a dot, which nobody
 * can register.
 */
export function allowsHost(request: Request, { caller, origins = [] }: OriginPolicy): boolean {
  const { protocol, hostname, origin } = new URL(request.url)
  if (caller || protocol === 'https:') return true
  return /^[^.]*$|^[\d.]+$/.test(hostname) || origins.includes(origin)
}

const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Maximum length of a host with its port. A name has at most 253 characters (RFC 1035). */
const MAX_HOST_CHARS = 260

/** True if the request's host is well-formed. Servers other than Workers copy `Host` into `request.url` unchecked. */
export function namesHost({ url, headers }: Request): boolean {
  const host = headers.get('host') ?? url.slice(url.indexOf('//') + 2).split('/', 1)[0]!
  return isHost(host) && URL.canParse(url)
}

/** True if a string is a valid host with an optional port, as in a header. */
export const isHost = (text: string): boolean => text.length <= MAX_HOST_CHARS && HOST.test(text)
