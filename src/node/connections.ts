import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { isLoopback, networkOf } from '../ground/index.ts'

/** Limits on open connections: for all clients together, and for each address. */
export interface ConnectionBounds {
  readonly all: number
  readonly each: number
}

/** Far more than the clients on one network hold, and fewer than the files that a process can have open. */
export const connectionBounds: ConnectionBounds = { all: 5_000, each: 1_000 }

/** The shortest time between two log lines about refused connections. */
const TELLS_EVERY_MS = 60_000

/**
 * Limits a server's connections. A connection beyond the limit is closed before it sends anything.
 *
 * @param placeOf the key under which an address's connections are counted; undefined to count none, as for a proxy
 */
export function boundConnections(
  server: Server,
  { all, each }: ConnectionBounds,
  placeOf: (address: string) => string | undefined,
): void {
  const open = new Map<string, number>()
  let refused = 0
  let toldAt = Number.NEGATIVE_INFINITY
  const tell = () => {
    refused++
    const now = performance.now()
    if (now - toldAt < TELLS_EVERY_MS) return
    toldAt = now
    console.error(`Too many connections at once: ${refused} refused so far.`)
  }
  server.maxConnections = all
  server.on('drop', tell)
  server.on('connection', (socket: Socket) => {
    const place = placeOf(socket.remoteAddress ?? '')
    if (place === undefined) return
    const others = open.get(place) ?? 0
    if (others >= each) {
      tell()
      socket.destroy()
      return
    }
    open.set(place, others + 1)
    socket.once('close', () => {
      const left = open.get(place)! - 1
      if (left > 0) open.set(place, left)
      else open.delete(place)
    })
  })
}

/** An IPv4 address without its IPv6 prefix, for a dual-stack socket. */
export const withoutPrefix = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** A client's network: its address, or the /64 for IPv6. Undefined for this machine, because a proxy can run here. */
export function networkIn(address: string): string | undefined {
  const plain = withoutPrefix(address)
  return plain === '' || isLoopback(plain) ? undefined : networkOf(plain)
}
