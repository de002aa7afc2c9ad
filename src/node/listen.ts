import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError } from '../gateway/index.ts'
import { boundConnections, connectionBounds, networkIn } from './connections.ts'
import type { Gateway } from './gateway.ts'
import { answerTo } from './http.ts'
import { isOwnName, originsIn, type ReachableAt } from './origins.ts'

/** The address and settings of a listening gateway. */
export interface ListenOptions {
  /** 8787 by default; 0 for any free port. */
  readonly port?: number | undefined
  /** 127.0.0.1 by default: this machine alone. */
  readonly host?: string | undefined
  /**
   * True if a proxy in front reports the client's address in `X-Forwarded-For`. Then `origins` lists the origins
   * that the proxy can name. Without a proxy, any client could forge the header.
   */
  readonly proxied?: boolean | undefined
  /** The URLs, without a path, that people use: `https://mcp.example.com`. A request for any other URL is refused. */
  readonly origins?: readonly string[] | undefined
}

/** Limits on the size and duration of a client's request. */
const BOUNDS = {
  maxHeaderSize: 128 * 1024,
  headersTimeout: 20_000,
  requestTimeout: 100_000,
  // Longer than proxies keep a connection, so no proxy sends a request on a closing connection.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
}

/** The time that running calls have to end after the server is closed. */
const GRACE_MS = 1_500

/**
 * Serves a gateway over HTTP, and returns its address. Throws {@link ConfigError} if it cannot listen there.
 *
 * @param times other limits, for tests
 */
export async function listen(
  gateway: Pick<Gateway, 'fetch'>,
  { port = 8787, host = '127.0.0.1', proxied = false, origins: given = [] }: ListenOptions = {},
  times: Partial<typeof BOUNDS> = {},
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const origins = originsIn(given)
  if (proxied && origins.length === 0) throw new ConfigError(NO_ORIGIN)
  const running = new Set<AbortController>()
  let reached: ReachableAt = { origins, proxied }
  const server = createServer({ ...BOUNDS, ...times }, (incoming, outgoing) => {
    void answerTo(incoming, outgoing, { gateway, reached, running })
  })
  boundConnections(server, connectionBounds, proxied ? () => undefined : networkIn)
  await listening(server, port, host)
  const { port: taken } = server.address() as AddressInfo
  if (isOwnName(host)) reached = { ...reached, ownPort: taken }
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

const NO_ORIGIN =
  'Behind a proxy, say which URL people use: --origin https://mcp.example.com, or the variable TIDEGATE_ORIGIN.'

/** The time that a stopped call has to notice this. */
const LAST_MS = 200

async function listening(server: Server, port: number, host: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(port, host, resolve)
  await promise.catch(({ code }: NodeJS.ErrnoException) => {
    throw new ConfigError(
      `Tidegate cannot listen on ${host}, port ${port}: ${reasons[code ?? ''] ?? 'the system does not allow it'}.`,
    )
  })
  // Logs errors from broken connections.
  server.off('error', reject).on('error', console.error)
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program is using it. Choose another port',
  EACCES: 'this user is not allowed to. Choose a port above 1023',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no host with this name',
}
