import { isIPv6 } from 'node:net'
import { wrong } from './fault.ts'

/** A server that speaks SSH, as somebody wrote it: `user@bastion:2222`. */
export interface Place {
  /** A name, an address without brackets, or a `Host` of the configuration of ssh. */
  readonly name: string
  readonly user: string | undefined
  readonly port: number | undefined
}

/** The most servers on the way to a database. */
export const MAX_HOPS = 8

/**
 * Reads `bastion`, `user@bastion:2222` or `ssh://user@bastion:2222`, and several of them with a comma between,
 * the nearest one first. Throws DatabaseError.
 */
export function readPlaces(text: string): readonly Place[] {
  const places = text.split(',').map((it) => readPlace(it.trim()))
  if (places.length > MAX_HOPS) {
    throw wrong(`The SSH tunnel names ${places.length} servers. The most are ${MAX_HOPS}.`)
  }
  return places
}

const FORM = 'Write the SSH server as user@bastion, or user@bastion:2222.'

function readPlace(text: string): Place {
  const bare = text.replace(/^ssh:\/\//i, '').replace(/\/$/, '')
  const at = bare.lastIndexOf('@')
  const user = at < 0 ? undefined : bare.slice(0, at)
  if (text !== bare && user?.includes(':')) {
    throw wrong('The SSH tunnel has a password. Set the variable SSH_PASSWORD, or use a key.')
  }
  const { name, port } = hostAt(bare.slice(at + 1))
  // What begins with a dash would be an option, if somebody wrote it after ssh.
  const isName = /^[\w.:%-]{1,255}$/.test(name) && !name.startsWith('-')
  const isUser = user === undefined || /^[^\s\p{Cc}:/-][^\s\p{Cc}:/]{0,127}$/u.test(user)
  if (!isName || !isUser) throw wrong(FORM)
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
