import { createHash, createHmac } from 'node:crypto'
import { matches } from './patterns.ts'

/** A line of a file of known hosts that is about a server. */
interface Known {
  readonly marker: string | undefined
  readonly key: Buffer
  /** Where it stands: `/home/me/.ssh/known_hosts:12`. */
  readonly place: string
  /** Whether it is about the server on port 22, and another port is meant. */
  readonly isUsualPort: boolean
}

/** The keys by which a server is known. */
export type KnownKeys = readonly Known[]

/** A file of known hosts. */
export interface KnownHosts {
  readonly path: string
  readonly text: string
}

/** What the keys by which a server is known say of the one that it shows. */
export type Verdict =
  | { readonly is: 'known' | 'unknown' }
  | { readonly is: 'authority' | 'changed' | 'revoked'; readonly place: string }

/** Finds the lines about a server in files as sshd(8) describes them. */
export function knownKeys(files: readonly KnownHosts[], name: string, port: number): KnownKeys {
  const about = (it: string, isUsualPort: boolean) =>
    files.flatMap((file) => linesAbout(it.toLowerCase(), file, isUsualPort))
  if (port === 22) return about(name, false)
  const own = about(`[${name}]:${port}`, false)
  return [...own, ...about(name, true)]
}

/** Judges the key that a server shows. */
export function judge(known: KnownKeys, key: Buffer): Verdict {
  const revoked = known.find((it) => it.marker === '@revoked' && it.key.equals(key))
  if (revoked) return { is: 'revoked', place: revoked.place }
  const plain = known.filter(({ marker }) => !marker)
  if (plain.some((it) => it.key.equals(key))) return { is: 'known' }
  // As ssh does: a server on another port may have the key of the one on port 22, and need not.
  const own = plain.filter(({ isUsualPort }) => !isUsualPort)
  const other = own.find((it) => typeOf(it.key) === typeOf(key)) ?? own[0]
  if (other) return { is: 'changed', place: other.place }
  const authority = known.find(({ marker }) => marker === '@cert-authority')
  return authority ? { is: 'authority', place: authority.place } : { is: 'unknown' }
}

/** The kinds of keys by which a server is known, in the order in which they are to be asked for. */
export const knownTypes = (known: KnownKeys): readonly string[] =>
  known.filter(({ marker }) => !marker).map(({ key }) => typeOf(key))

/** What a key calls itself: `ssh-ed25519`. */
export function typeOf(key: Buffer): string {
  const length = key.length > 4 ? key.readUInt32BE(0) : 0
  const type = key.toString('latin1', 4, 4 + Math.min(length, 64))
  return /^[\w@.-]+$/.test(type) ? type : 'unknown'
}

/** A key as people compare it: `SHA256:…`, as ssh and ssh-keygen print it. */
export const fingerprint = (key: Buffer) =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace('=', '')}`

function linesAbout(name: string, { path, text }: KnownHosts, isUsualPort: boolean): Known[] {
  return text.split('\n').flatMap((line, i) => {
    const words = line.trim().split(/\s+/)
    if (!words[0] || words[0].startsWith('#')) return []
    const marker = words[0].startsWith('@') ? words.shift()!.toLowerCase() : undefined
    const [hosts = '', type = '', encoded = ''] = words
    const key = Buffer.from(encoded, 'base64')
    if (typeOf(key) !== type || !isAbout(name, hosts)) return []
    return [{ marker, key, place: `${path}:${i + 1}`, isUsualPort }]
  })
}

/** Whether the names of a line, in the clear or hashed, hold one. */
function isAbout(name: string, hosts: string): boolean {
  if (!hosts.startsWith('|1|')) return matches(name, hosts.toLowerCase().split(','))
  const [salt = '', hash = ''] = hosts.slice(3).split('|')
  const own = createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest()
  return own.equals(Buffer.from(hash, 'base64'))
}
