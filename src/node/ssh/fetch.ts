import type { Dispatcher } from 'undici'
import { DatabaseError } from '../../database/index.ts'
import type { Tunnel } from './tunnel.ts'

/** Hosts that are no database: where a login is made from a key that lies here. */
const DIRECT = ['oauth2.googleapis.com']

/** How long a connection may take. Whoever asks waits no longer than their own signal says. */
const CONNECT_MS = 20_000

/**
 * Asks databases that speak HTTP through a tunnel. A certificate has to be for the name in the URL, as everywhere.
 * Throws DatabaseError where the tunnel does not lead there, and else what `fetch` throws.
 */
export function fetchThrough(dial: Tunnel['dial']): typeof fetch & { close(): Promise<void> } {
  let agent: Dispatcher | undefined
  const through: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (DIRECT.includes(url.hostname)) return fetch(input, init)
    const { Agent, buildConnector, fetch: ask } = await import('undici')
    const encrypt = buildConnector({ timeout: CONNECT_MS })
    agent ??= new Agent({
      async connect(options, tell) {
        const { hostname, port, protocol } = options
        const isSecure = protocol === 'https:'
        const number = Number(port) || (isSecure ? 443 : 80)
        try {
          // What it calls a socket can be any stream.
          const socket = (await dial(hostname, number, AbortSignal.timeout(CONNECT_MS))) as never
          if (isSecure) encrypt({ ...options, httpSocket: socket }, tell)
          else tell(null, socket)
        } catch (error) {
          tell(error as Error, null)
        }
      },
    })
    try {
      return (await ask(input as never, { ...init, dispatcher: agent } as never)) as never
    } catch (error) {
      const { cause } = error as Error
      throw cause instanceof DatabaseError ? cause : error
    }
  }
  return Object.assign(through, { close: async () => agent?.destroy() })
}
