import { ConfigError } from '../gateway/index.ts'
import { isLoopback } from '../ground/index.ts'

/** The addresses at which people reach a server on this machine. */
export interface ReachableAt {
  readonly origins: readonly string[]
  /** True if a proxy in front names the host in its own header. */
  readonly proxied: boolean
  /** The port, if only this machine can reach the server. */
  readonly ownPort?: number | undefined
}

/**
 * True for this machine's own names. No page from another host can have such a name, and a server that listens on one
 * can be reached only from this machine.
 */
export const isOwnName = (host: string): boolean =>
  isLoopback(host) || /^[a-z\d-]+\.localhost$/i.test(host)

/**
 * The origins in a setting: the part of a URL before its path. Throws {@link ConfigError}.
 *
 * @param texts each one can contain several, separated by spaces or commas
 */
export function originsIn(texts: readonly string[]): readonly string[] {
  return texts
    .flatMap((it) => it.split(/[\s,]+/))
    .filter(Boolean)
    .map(originIn)
}

function originIn(text: string): string {
  const url = URL.parse(text)
  const isOrigin =
    url && /^https?:$/.test(url.protocol) && /^https?:\/\/[^/?#@\\]+\/?$/i.test(text) && url.host
  if (isOrigin) return url.origin
  throw new ConfigError('An origin is the beginning of a URL, such as https://mcp.example.com.')
}

/**
 * The origin that a request is for, from the host that it names. Undefined if the deployment does not have that origin.
 * The request can only choose among the origins that the operator set.
 *
 * @param scheme the scheme from the proxy, for a host that is set with both schemes
 */
export function originOf(
  host: string,
  { origins, proxied, ownPort }: ReachableAt,
  scheme?: string,
): string | undefined {
  const isOpen = origins.length === 0 && ownPort === undefined
  if (isOpen) return originAt('http:', host)
  const found = origins.filter((it) => originAt(new URL(it).protocol, host) === it)
  const own = ownPort !== undefined && !proxied ? originAt('http:', host) : undefined
  if (own && isOwn(new URL(own), ownPort!)) return own
  return found.find((it) => it.startsWith(`${scheme}:`)) ?? found[0]
}

const isOwn = ({ hostname, port }: URL, ownPort: number) =>
  isOwnName(hostname) && Number(port || 80) === ownPort

function originAt(protocol: string, host: string): string | undefined {
  const url = URL.parse(`${protocol}//${host}`)
  return url && !url.username && !url.password && url.pathname === '/' && !url.search && !url.hash
    ? url.origin
    : undefined
}
