import type { Dispatcher } from 'undici'
import { DatabaseError, type Machine } from '../../database/index.ts'

/** Hosts that are not databases but create a login from a local key. */
const DIRECT = ['oauth2.googleapis.com']

/** The time limit for a connection. Callers wait no longer than their own signal allows. */
const CONNECT_MS = 20_000

/** Maximum number of connections to one host. Each can be a process. Further requests wait for a free one. */
const MAX_CONNECTIONS = 32

/**
 * `fetch` through a tunnel, for databases that speak HTTP. A certificate has to match the name in the URL, as always.
 * Throws DatabaseError if the tunnel does not reach the host, and otherwise the errors that `fetch` throws.
 */
export function fetchThrough(
  dial: NonNullable<Machine['dial']>,
): typeof fetch & { close(): Promise<void> } {
  let agent: Dispatcher | undefined
  const through: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (DIRECT.includes(url.hostname)) return fetch(input, init)
    const { Agent, buildConnector, fetch: ask } = await import('undici')
    const encrypt = buildConnector({ timeout: CONNECT_MS })
    agent ??= new Agent({
      connections: MAX_CONNECTIONS,
      async connect(options, tell) {
        const { hostname, port, protocol } = options
        const isSecure = protocol === 'https:'
        const number = Number(port) || (isSecure ? 443 : 80)
        try {
          // The type says socket, but any stream works.
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
