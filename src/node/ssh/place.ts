import { isIPv6 } from 'node:net'
import { wrong } from './failure.ts'

/** An SSH server, as written in a setting: `user@bastion:2222`. */
export interface SshServer {
  /** A name, an address without brackets, or a `Host` from the ssh configuration. */
  readonly name: string
  readonly user: string | undefined
  readonly port: number | undefined
}

/** Maximum number of servers on the way to a database. */
const MAX_HOPS = 8

/** Reads servers such as `user@bastion:2222`, separated by commas, the nearest one first. Throws DatabaseError. */
export function readPlaces(text: string): readonly SshServer[] {
  const places = text.split(',').map((it) => readPlace(it.trim()))
  if (places.length > MAX_HOPS) {
    throw wrong(`The SSH tunnel names ${places.length} servers. The maximum is ${MAX_HOPS}.`)
  }
  return places
}

/** A server in the form for `ssh -J`: an IPv6 address in brackets. */
export const written = ({ name, user, port }: SshServer) =>
  `${user ? `${user}@` : ''}${name.includes(':') ? `[${name}]` : name}${port ? `:${port}` : ''}`

/** Letters, digits and a few signs. ssh takes a leading dash as an option, and a shell interprets other characters. */
const NAME = /^[\w.:%][\w.:%-]{0,254}$/
const USER = /^(?!.*\\$)[\p{L}\p{N}_.][\p{L}\p{N}_.@+=#%\\-]{0,127}$/u

function readPlace(text: string): SshServer {
  const bare = text.replace(/^ssh:\/\//i, '').replace(/\/$/, '')
  const at = bare.lastIndexOf('@')
  const user = at < 0 ? undefined : bare.slice(0, at)
  if (text !== bare && user?.includes(':')) {
    throw wrong('The SSH tunnel has a password. Use a key instead.')
  }
  const { name, port } = hostAt(bare.slice(at + 1))
  if (!NAME.test(name) || (user !== undefined && !USER.test(user))) {
    throw wrong('Write the SSH server as user@bastion, or user@bastion:2222.')
  }
  if (port === undefined || port === '') return { name, user, port: undefined }
  const number = Number(port)
  if (!/^\d{1,5}$/.test(port) || number < 1 || number > 65_535) {
    throw wrong('The SSH tunnel names a port that is not a number from 1 to 65535.')
  }
  return { name, user, port: number }
}

function hostAt(text: string): { name: string; port?: string | undefined } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text)
  if (bracketed) return { name: bracketed[1]!, port: bracketed[2] }
  if (isIPv6(text)) return { name: text }
  const colon = text.indexOf(':')
  return colon < 0 ? { name: text } : { name: text.slice(0, colon), port: text.slice(colon + 1) }
}
