import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError } from '../gateway/index.ts'
import type { Gateway } from './gateway.ts'
import { answerTo } from './http.ts'

/** Where a gateway listens. */
export interface ListenOptions {
  /** 8787 if left out; 0 for any that is free. */
  readonly port?: number | undefined
  /** 127.0.0.1 if left out: this machine alone. */
  readonly host?: string | undefined
  /**
   * Whether a proxy in front says where a request comes from, in `X-Forwarded-For`, `X-Forwarded-Proto` and
   * `X-Forwarded-Host`. Without one, anybody could say it.
   */
  readonly proxied?: boolean | undefined
}

/** What a Worker may get of a client at most, and how long that may take. */
const BOUNDS = {
  maxHeaderSize: 128 * 1024,
  headersTimeout: 20_000,
  requestTimeout: 100_000,
  // Longer than proxies keep a connection, so that none sends a request into one that closes.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
}

/** How long running calls have to end, once the server is closed. */
const GRACE_MS = 1_500

/** Serves a gateway over HTTP, and says where. Throws {@link ConfigError} if it cannot listen there. */
export async function listen(
  gateway: Pick<Gateway, 'fetch'>,
  { port = 8787, host = '127.0.0.1', proxied = false }: ListenOptions = {},
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const running = new Set<AbortController>()
  const server = createServer(BOUNDS, (incoming, outgoing) => {
    void answerTo(incoming, outgoing, { gateway, proxied, running })
  })
  await listening(server, port, host)
  const { port: taken } = server.address() as AddressInfo
  const name = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${name}:${taken}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const late = setTimeout(() => {
        for (const it of running) it.abort()
        setTimeout(() => server.closeAllConnections(), LAST_MS)
      }, GRACE_MS)
      await closed
      clearTimeout(late)
    },
  }
}

/** How long a call that was stopped may take to notice. */
const LAST_MS = 200

async function listening(server: Server, port: number, host: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(port, host, resolve)
  await promise.catch(({ code }: NodeJS.ErrnoException) => {
    throw new ConfigError(
      `Tidegate cannot listen on ${host}, port ${port}: ${reasons[code ?? ''] ?? 'the system refuses it'}.`,
    )
  })
  // Of a connection that breaks.
  server.off('error', reject).on('error', console.error)
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program does. Choose another one',
  EACCES: 'this user has no right to. Choose a port above 1023',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no host of this name',
}
