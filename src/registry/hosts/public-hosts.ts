import { DatabaseError, hosts, knownScheme, until } from '../../database/index.ts'
import { type IpAddress, isPublic, isWithin, readAddress, readBlock } from './ip-address.ts'
import type { Resolve } from './resolve.ts'

/** The database hosts that are allowed in addition to public hosts, and the resolver for names. */
export interface HostRules {
  /** Hosts that the operator allows: `db.internal`, `*.corp.example`, `10.1.0.0/16`, `fd12::/16`, `*`. */
  readonly allowed?: readonly string[] | undefined
  readonly resolve: Resolve
  /** Time limit for the resolver. */
  readonly timeoutMs?: number | undefined
}

/** Refusal of a database URL because of its host. Repeats nothing else from the URL. */
export class PrivateHostError extends Error {
  override readonly name = 'PrivateHostError'
  /** `private`: only a private network can reach it. `unresolved`: the name does not resolve. Otherwise: not a host. */
  readonly why: 'private' | 'unresolved' | undefined

  constructor(message: string, why?: 'private' | 'unresolved') {
    super(message)
    this.why = why
  }
}

/**
 * Keeps a database URL from reaching into the network that this runs in. Throws
 * {@link PrivateHostError} if one of its hosts is not public, either as written or after the name is
 * resolved.
 *
 * The driver resolves the name again when it connects, and the result can be different by then. A check
 * just before makes the gap short, but does not close it. The platform closes it: Cloudflare refuses
 * sockets to private addresses. After it has resolved the name, workerd refuses every connection to one
 * by default. `wrangler dev` permits them.
 * https://developers.cloudflare.com/workers/runtime-apis/tcp-sockets/#troubleshooting
 *
 * @param url the URL that the driver gets
 */
export async function assertPublicHosts(url: string, rules: HostRules): Promise<void> {
  if (rules.allowed?.includes('*')) return
  const names = await namesOf(url)
  await Promise.all(names.map((host) => assertPublic(host, rules)))
}

async function assertPublic(
  host: string,
  { allowed = [], resolve, timeoutMs = 5_000 }: HostRules,
): Promise<void> {
  const address = readAddress(host.replace(/^\[(.*)\]$/, '$1'))
  const blocks = allowed.flatMap((entry) => readBlock(entry) ?? [])
  const isFree = (it: IpAddress | undefined) =>
    it !== undefined && (isPublic(it) || blocks.some((block) => isWithin(it, block)))
  if (address) {
    if (isFree(address)) return
    throw refused(host, 'is not a public address', 'private')
  }
  if (!isName(host)) throw refused(host, 'is neither a name nor a plainly written address')
  if (allowed.some((entry) => matches(host, plain(entry)))) return
  if (isLocal(host)) throw refused(host, 'is a name within a private network', 'private')

  const signal = AbortSignal.timeout(timeoutMs)
  const lookUp = async () => resolve(host, signal)
  const addresses = await until(signal, lookUp()).catch(() => [])
  if (addresses.length === 0) throw refused(host, 'cannot be resolved', 'unresolved')
  if (!addresses.every((it) => isFree(readAddress(it)))) {
    throw refused(host, 'resolves to an address that is not public', 'private')
  }
}

/** True if a host is allowed at an address: the address is public, or the operator allows the host or the address. */
export function mayReach(host: string, text: string, allowed: readonly string[]): boolean {
  if (allowed.includes('*') || isPublicAddress(text)) return true
  const address = readAddress(text)
  return (
    address !== undefined &&
    allowed.some((entry) => {
      const block = readBlock(entry)
      return block ? isWithin(address, block) : matches(plain(host), plain(entry))
    })
  )
}

/** Reason an entry in the operator's list allows nothing. */
export function allowedProblem(entry: string): string | undefined {
  if (entry === '*' || readBlock(entry) || isName(plain(entry).replace(/^\*\./, '')))
    return undefined
  return 'An allowed host is a name, *.NAME for all names within it, an address, a block such as 10.1.0.0/16, or * for all.'
}

/** Parameters from which programs other than our drivers read a host. Some services get the whole URL. */
const HOST_PARAMETERS = [
  ...['host', 'hostaddr', 'hostname', 'server', 'servers', 'address', 'proxy'],
  ...['service', 'servicefile', 'socket', 'socketpath', 'unix_socket'],
]

/** The hosts that a URL would reach, in lower case. */
async function namesOf(text: string): Promise<readonly string[]> {
  const { databaseUrl, hostsOf } = await hosts()
  const url = readable(() => databaseUrl(text))
  if (knownScheme(url.protocol.slice(0, -1))?.isElsewhere) return []
  const all = hostsOf(url)
  // The drivers read several hosts from a parameter with this name.
  const keys = [...url.searchParams.keys()].filter((key) => all.length === 1 || key !== 'host')
  const parameter = HOST_PARAMETERS.find((it) => keys.some((key) => key.toLowerCase() === it))
  if (parameter) {
    throw new PrivateHostError(
      `A database URL names its host before the path, not in the parameter ${parameter}.`,
    )
  }
  if (!url.hostname) throw new PrivateHostError('The database URL has no host.')
  return all.map(({ name }) => plain(name))
}

function readable(read: () => URL): URL {
  try {
    return read()
  } catch (error) {
    if (error instanceof DatabaseError) throw new PrivateHostError(error.message)
    throw error
  }
}

/** A name for comparisons, in lower case and without a dot at the end. */
const plain = (name: string) => name.toLowerCase().replace(/\.$/, '')

/**
 * True if every program reads a host as a name. It must not be a number, which some programs read as an
 * address, and must not contain characters that some programs decode.
 */
const isName = (host: string) =>
  host.length <= 253 &&
  host.split('.').every((label) => /^[a-z\d_-]{1,63}$/.test(label)) &&
  URL.canParse(`http://${host}`) &&
  new URL(`http://${host}`).hostname === host

const matches = (host: string, entry: string) =>
  entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry

/** Names that mean something only within a network (RFC 6761, 6762 and 8375, and ICANN's `internal`). */
const LOCAL_NAMES = [
  ...['localhost', 'localdomain', 'local', 'internal', 'intranet', 'private', 'corp'],
  ...['home', 'lan', 'home.arpa', 'test', 'invalid', 'onion'],
]

const isLocal = (host: string) =>
  !host.includes('.') || LOCAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`))

/** True if a host is a name that means the same thing everywhere, and not an address. */
export const isPublicName = (host: string): boolean =>
  isName(plain(host)) && !readAddress(plain(host)) && !isLocal(plain(host))

/** True if a string is an address that everybody can reach. */
export function isPublicAddress(text: string): boolean {
  const address = readAddress(text)
  return address !== undefined && isPublic(address)
}

/** Maximum length of a host that a message repeats. */
const MAX_SHOWN = 253

const refused = (host: string, what: string, why?: PrivateHostError['why']) =>
  new PrivateHostError(
    `The database host ${host.slice(0, MAX_SHOWN)} ${what}. If this is intended, the operator can allow it: npx tidegate settings --allow-host, or the variable PRIVATE_HOSTS.`,
    why,
  )
