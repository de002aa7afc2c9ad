import type { Caller } from '../features/context.ts'

/** Who calls, and which pages may call without a credential. */
export interface Welcome {
  /** A caller who showed a credential may call from any page. */
  readonly caller?: Caller | undefined
  /** Origins of pages, besides those on this machine. */
  readonly origins?: readonly string[] | undefined
}

/** What a page reads that may not call. */
export const FOREIGN = 'Pages from this origin may not call this server.'

const LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/**
 * Whether the page a request comes from may call (specification, "Security"). Under DNS rebinding a
 * page's own address proves nothing over plain http, where the attacker chooses the Host header.
 */
export function allowsOrigin(request: Request, { caller, origins = [] }: Welcome): boolean {
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
 * Whether an address is one that no page elsewhere can make its own by DNS rebinding, for what is
 * read by a GET, which names no origin. Over plain http that is a name without a dot, which nobody
 * can register, a number, or a listed origin.
 */
export function allowsHost(request: Request, { caller, origins = [] }: Welcome): boolean {
  const { protocol, hostname, origin } = new URL(request.url)
  if (caller || protocol === 'https:') return true
  return /^[^.]*$|^[\d.]+$/.test(hostname) || origins.includes(origin)
}

const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Characters of a host with its port: a name has 253 (RFC 1035). */
const MAX_HOST_CHARS = 260

/**
 * Whether a request says where it was sent in a form that an address can be made of. Plain servers
 * put `Host` into `request.url` as it came.
 */
export function namesHost({ url, headers }: Request): boolean {
  const host = headers.get('host') ?? url.slice(url.indexOf('//') + 2).split('/', 1)[0]!
  return host.length <= MAX_HOST_CHARS && HOST.test(host) && URL.canParse(url)
}
