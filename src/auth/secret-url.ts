import { getPathNoStrict } from 'hono/utils/url'

/** A secret URL: `/k/KEY/mcp/NAME`, for hosts that cannot send a header. */
const SECRET_URL = /^\/k\/(tg_\w{1,100})(\/mcp(?:\/[^/]+)?)$/

/** The key in a secret URL, and the path without it. */
export function readSecretUrl(
  request: Request,
): { readonly key: string; readonly path: string } | undefined {
  const [, key, path] = SECRET_URL.exec(getPathNoStrict(request)) ?? []
  return key !== undefined && path !== undefined ? { key, path } : undefined
}

/** The path of a request, for routing. A secret URL is shortened to the path without its key. */
export const pathOf = (request: Request): string =>
  readSecretUrl(request)?.path ?? getPathNoStrict(request)

/** The same request with the key in a header. Later code never sees the secret URL. */
export function withoutSecretUrl(
  request: Request,
  { key, path }: { readonly key: string; readonly path: string },
): Request {
  const url = new URL(request.url)
  url.pathname = path
  const { method, signal } = request
  // A GET can arrive with a body, but cannot be created with one.
  const body = method === 'GET' || method === 'HEAD' ? null : request.body
  const headers = new Headers(request.headers)
  headers.delete('authorization')
  headers.delete('referer')
  headers.set('x-api-key', key)
  // Runtimes other than Workers require this: the response can arrive before the body has been sent.
  const init = { method, headers, body, signal, duplex: 'half' }
  return new Request(url, init)
}
