import { type Settings, settingsOf } from './client-config.ts'
import { wrong } from './fault.ts'
import type { Here } from './here.ts'
import { type KnownKeys, knownKeys } from './known-hosts.ts'
import { MAX_HOPS, type Place, readPlaces } from './place.ts'

/** Where a tunnel leads, and what the operator says of the way. */
export interface TunnelOptions {
  /** `user@bastion:2222`, a `Host` of `~/.ssh/config`, or several with a comma between, the nearest first. */
  readonly through: string
  /** A file with a private key, as for `ssh -i`. */
  readonly keyFile?: string | undefined
  /** A file of known hosts, in place of the usual ones. */
  readonly knownHostsFile?: string | undefined
}

/** A server on the way, and how to log in to it. */
export interface Hop {
  readonly host: string
  readonly port: number
  readonly user: string
  /** Files of keys that are named for it; none, if the usual ones are to be tried. */
  readonly keyFiles: readonly string[]
  /** Whether no other keys may be tried. */
  readonly isOnlyThese: boolean
  /** Where an agent is: a socket, a pipe of Windows, or nowhere. */
  readonly agent: string | undefined
  readonly known: KnownKeys
}

/** Finds out what the files of ssh say of the way. Throws DatabaseError. */
export async function routeOf(options: TunnelOptions, here: Here): Promise<readonly Hop[]> {
  const [first, ...others] = readPlaces(options.through)
  const hops = await hopsTo(first!, options, here, 0)
  for (const place of others) hops.push(hopOf(place, await settings(place, here), options, here))
  if (hops.length > MAX_HOPS) throw tooLong()
  return Promise.all(hops)
}

const settings = ({ name, user }: Place, here: Here) => settingsOf(name, user, here)

/** A server, after those that its `ProxyJump` names. */
async function hopsTo(place: Place, options: TunnelOptions, here: Here, depth: number) {
  if (depth > MAX_HOPS) throw tooLong()
  const found = await settings(place, here)
  const jump = found.get('proxyjump')?.join('')
  const command = found.get('proxycommand')?.[0]
  const hops: Promise<Hop>[] = []
  if (jump && jump !== 'none') {
    const [first, ...others] = readPlaces(jump)
    hops.push(...(await hopsTo(first!, options, here, depth + 1)))
    for (const other of others) hops.push(hopOf(other, await settings(other, here), options, here))
  } else if (!jump && command && command !== 'none') {
    throw wrong(
      `For ${place.name}, the configuration of ssh has a ProxyCommand, and Tidegate runs none. Use ProxyJump, or name the servers on the way: --ssh first,second.`,
    )
  }
  hops.push(hopOf(place, found, options, here))
  return hops
}

const tooLong = () => wrong(`The SSH tunnel goes through more than ${MAX_HOPS} servers.`)

async function hopOf(
  place: Place,
  found: Settings,
  { keyFile, knownHostsFile }: TunnelOptions,
  here: Here,
): Promise<Hop> {
  const one = (keyword: string) => found.get(keyword)?.[0]
  const user = place.user ?? one('user') ?? here.user
  const port = place.port ?? (Number(one('port')) || 22)
  const host = tokens(one('hostname') ?? '%h', { h: place.name })
  const own = { h: host, n: place.name, d: here.home, u: here.user, r: user, p: String(port) }
  const pathOf = (text: string) => here.path.resolve(here.expand(tokens(text, own)))
  const pathsOf = (keyword: string, folder: string, file: string) =>
    found.get(keyword)?.map(pathOf) ?? [file, `${file}2`].map((it) => here.path.join(folder, it))
  const files = knownHostsFile
    ? [here.path.resolve(here.expand(knownHostsFile))]
    : [
        ...pathsOf('userknownhostsfile', here.userFolder, 'known_hosts'),
        ...pathsOf('globalknownhostsfile', here.systemFolder, 'ssh_known_hosts'),
      ]
  const texts = await Promise.all(
    files.map(async (path) => ({ path, text: await here.read(path) })),
  )
  const readable = texts.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]))
  if (knownHostsFile && readable.length === 0) {
    throw wrong(`There is no file ${files[0]}, which is to hold the keys of known hosts.`)
  }
  // An alias is a name of its own, whatever the port.
  const alias = one('hostkeyalias')
  const named = (found.get('identityfile') ?? []).filter((it) => it !== 'none').map(pathOf)
  return {
    host,
    port,
    user,
    keyFiles: [...(keyFile ? [here.path.resolve(here.expand(keyFile))] : []), ...named],
    isOnlyThese: one('identitiesonly') === 'yes',
    agent: agentOf(one('identityagent'), pathOf, here),
    known: knownKeys(readable, alias ?? host, alias ? 22 : port),
  }
}

const tokens = (text: string, values: Readonly<Record<string, string>>) =>
  text.replace(/%(.)/g, (whole, it: string) => (it === '%' ? it : (values[it] ?? whole)))

const WINDOWS_AGENT = '\\\\.\\pipe\\openssh-ssh-agent'

function agentOf(named: string | undefined, pathOf: (text: string) => string, here: Here) {
  const usual =
    here.variables.SSH_AUTH_SOCK || (here.platform === 'win32' ? WINDOWS_AGENT : undefined)
  if (named === undefined || named === 'SSH_AUTH_SOCK') return usual
  if (named === 'none') return undefined
  return named.startsWith('$') ? here.variables[named.slice(1)] : pathOf(named)
}
