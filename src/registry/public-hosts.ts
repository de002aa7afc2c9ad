import { DatabaseError, hosts, until } from '../database/index.ts'
import { type IpAddress, isPublic, isWithin, readAddress, readBlock } from './ip-address.ts'
import type { Resolve } from './resolve.ts'

/** Which hosts of databases may be reached besides the public ones, and how to find what a name means. */
export interface HostRules {
  /** What the operator allows: `db.internal`, `*.corp.example`, `10.1.0.0/16`, `fd12::/16`, `*`. */
  readonly allowed?: readonly string[] | undefined
  readonly resolve: Resolve
  /** How long to wait for the resolver. */
  readonly timeoutMs?: number | undefined
}

/** The refusal of a database URL because of the host that it names. It repeats nothing else of the URL. */
export class PrivateHostError extends Error {
  override readonly name = 'PrivateHostError'
  /** `private`: only a private network reaches it. `unresolved`: nobody knows the name. Else it is no host. */
  readonly why: 'private' | 'unresolved' | undefined

  constructor(message: string, why?: 'private' | 'unresolved') {
    super(message)
    this.why = why
  }
}

/**
 * Keeps a database URL from reaching into the network that this runs in: throws
 * {@link PrivateHostError} if one of its hosts is not public, by what is written or by what the name
 * resolves to.
 *
 * The driver resolves the name again when it connects, and the answer may be another one by then. So a
 * check just before makes the gap short, and does not close it. The platform closes it: Cloudflare
 * refuses sockets to private addresses, and workerd by default every connection to one, after it has
 * resolved the name. `wrangler dev` permits them.
 * https://developers.cloudflare.com/workers/runtime-apis/tcp-sockets/#troubleshooting
 *
 * @param url as the driver gets it
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

/** Why an entry of the operator's list allows nothing. */
export function allowedProblem(entry: string): string | undefined {
  if (entry === '*' || readBlock(entry) || isName(plain(entry).replace(/^\*\./, '')))
    return undefined
  return 'An allowed host is a name, *.NAME for all names within, an address, a block such as 10.1.0.0/16, or * for all.'
}

/** Databases that are reached through a binding, or through the API of a company at its own host. */
const WITHOUT_HOST = ['demo:', 'd1:', 'hyperdrive:', 'supabase:']

/** Parameters that programs other than our drivers take a host from. Neon's service gets the whole URL. */
const HOST_PARAMETERS = [
  ...['host', 'hostaddr', 'hostname', 'server', 'servers', 'address', 'proxy'],
  ...['service', 'servicefile', 'socket', 'socketpath', 'unix_socket'],
]

/** The hosts that a URL would reach, in small letters. */
async function namesOf(text: string): Promise<readonly string[]> {
  const { databaseUrl, hostsOf } = await hosts()
  const url = readable(() => databaseUrl(text))
  if (WITHOUT_HOST.includes(url.protocol)) return []
  const all = hostsOf(url)
  // The drivers take several hosts from a parameter of this name.
  const keys = [...url.searchParams.keys()].filter((key) => all.length === 1 || key !== 'host')
  const parameter = HOST_PARAMETERS.find((it) => keys.some((key) => key.toLowerCase() === it))
  if (parameter) {
    throw new PrivateHostError(
      `A database URL names its host before the path, and not in the parameter ${parameter}.`,
    )
  }
  if (!url.hostname) throw new PrivateHostError('The database URL names no host.')
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

/** A name as it is compared: in small letters, without the dot at its end. */
const plain = (name: string) => name.toLowerCase().replace(/\.$/, '')

/**
 * Whether a host is a name to every program that may read it: no number, which some take for an
 * address, and no character that some decode.
 */
const isName = (host: string) =>
  host.length <= 253 &&
  host.split('.').every((label) => /^[a-z\d_-]{1,63}$/.test(label)) &&
  URL.canParse(`http://${host}`) &&
  new URL(`http://${host}`).hostname === host

const matches = (host: string, entry: string) =>
  entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry

/** Names that mean something only within a network (RFC 6761, 6762 and 8375, ICANN's `internal`). */
const LOCAL_NAMES = [
  ...['localhost', 'localdomain', 'local', 'internal', 'intranet', 'private', 'corp'],
  ...['home', 'lan', 'home.arpa', 'test', 'invalid', 'onion'],
]

const isLocal = (host: string) =>
  !host.includes('.') || LOCAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`))

/** Whether a host is a name that means the same everywhere, and no address. */
export const isPublicName = (host: string): boolean =>
  isName(plain(host)) && !readAddress(plain(host)) && !isLocal(plain(host))

/** Whether a text is an address that everybody can reach. */
export function isPublicAddress(text: string): boolean {
  const address = readAddress(text)
  return address !== undefined && isPublic(address)
}

/** The longest host that a message repeats. */
const MAX_SHOWN = 253

const refused = (host: string, what: string, why?: PrivateHostError['why']) =>
  new PrivateHostError(
    `The database host ${host.slice(0, MAX_SHOWN)} ${what}. If it is meant, the operator can allow it: npx tidegate settings --allow-host, or the variable PRIVATE_HOSTS.`,
    why,
  )
