import type { Caller } from '../features/context.ts'

/** Who calls, and which pages may call without a credential. */
export interface OriginPolicy {
  /** A caller with a credential may call from any page. */
  readonly caller?: Caller | undefined
  /** Origins of pages that may call, besides pages on this machine. */
  readonly origins?: readonly string[] | undefined
}

/** The error for a page that may not call. */
export const FOREIGN_ORIGIN = 'Pages from this origin may not call this server.'

const LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/**
 * Whether the page that sends a request may call (specification, "Security"). Over plain http, with
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
 * Whether this address is safe from DNS rebinding. Needed for a GET, which names no origin. Over plain
 * http, safe addresses are names without a dot, which cannot be registered, IP addresses, and listed
 * origins.
 */
export function allowsHost(request: Request, { caller, origins = [] }: OriginPolicy): boolean {
  const { protocol, hostname, origin } = new URL(request.url)
  if (caller || protocol === 'https:') return true
  return /^[^.]*$|^[\d.]+$/.test(hostname) || origins.includes(origin)
}

const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Characters of a host with its port. A name has at most 253 (RFC 1035). */
const MAX_HOST_CHARS = 260

/**
 * Whether the host of a request is well-formed. Servers other than Workers copy the header `Host`
 * into `request.url` unchecked.
 */
export function namesHost({ url, headers }: Request): boolean {
  const host = headers.get('host') ?? url.slice(url.indexOf('//') + 2).split('/', 1)[0]!
  return host.length <= MAX_HOST_CHARS && HOST.test(host) && URL.canParse(url)
}
