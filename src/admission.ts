import type { Context, MiddlewareHandler } from 'hono'
import { authenticate } from './auth/index.ts'
import { deploymentOf, type Env, NO_KEY } from './deployment.ts'
import { type Endpoint, isDemo } from './gateway/index.ts'
import {
  allowsHost,
  allowsOrigin,
  type Caller,
  codes,
  FOREIGN_ORIGIN,
  namesHost,
} from './mcp/index.ts'

/** What every route gets. */
export type App = {
  Bindings: Env
  Variables: {
    /** Undefined for a caller without a key, who may use public endpoints. */
    caller: Caller | undefined
    /** The endpoints of the request: the one in its path, else the first one, or all for `/doctor`. */
    endpoints: readonly Endpoint[]
  }
}

/** Tells a host that looks for a sign-in where to put the key. */
export const NO_SIGN_IN =
  'This endpoint has no sign-in. Add its key as the header Authorization: Bearer KEY.'

const FOREIGN_HOST =
  'Over plain http, only this machine is served without a key. Use https, send the key, or add this address to the variable ORIGINS.'

/** Refuses a request whose `Host` is not valid, before a URL is made of it. */
export const addressed: MiddlewareHandler<App> = async (c, next) =>
  namesHost(c.req.raw) ? next() : refuse(c, 400, 'The Host header is not valid.')

/** Decides for every route who may come in: by the key, the page and the host of a request. */
export const admission: MiddlewareHandler<App> = async (c, next) => {
  const request = c.req.raw
  const { endpoints, origins } = deploymentOf(c.env)
  const [, route = '', name] = c.req.path.split('/')
  const first = route === 'doctor' ? endpoints : endpoints.slice(0, 1)
  const asked = name === undefined ? first : endpoints.filter((it) => it.name === name)
  const caller = await authenticate(request, c.env)
  c.set('caller', caller)
  c.set('endpoints', asked)
  if (!caller && !isOpen(route, asked) && !wantsPage(c)) {
    if (c.env.TIDEGATE_KEY) return askForKey(c)
    if (asked.length > 0) return refuse(c, 503, NO_KEY)
  }
  if (!allowsHost(request, { caller, origins })) return refuse(c, 403, FOREIGN_HOST)
  if (!allowsOrigin(request, { caller, origins })) return refuse(c, 403, FOREIGN_ORIGIN)
  return next()
}

/** Whether a caller without a key may have this. Only an operator may read about the roles. */
function isOpen(route: string, asked: readonly Endpoint[]): boolean {
  if (!['mcp', 'sse', 'record', 'doctor'].includes(route)) return true
  const open = asked.every((it) => it.access === 'public' && (route !== 'doctor' || isDemo(it)))
  return open && asked.length > 0
}

/** Whether a person opens the URL of an endpoint in a browser. They get a page that explains it. */
export const wantsPage = ({ req }: Context<App>): boolean =>
  /^\/mcp(?:\/|$)/.test(req.path) &&
  req.method === 'GET' &&
  /\btext\/html\b/.test(req.header('accept') ?? '')

/** Asks for the key. Names an error only if a wrong key was sent (RFC 6750, section 3.1). */
function askForKey(c: Context<App>): Promise<Response> {
  const wrong = /^Bearer +\S/i.test(c.req.header('authorization') ?? '')
  const message = wrong
    ? 'This key is wrong. Ask the operator of this endpoint for the key.'
    : 'Send the key of this endpoint as Authorization: Bearer KEY.'
  const error = wrong ? `, error="invalid_token", error_description="${message}"` : ''
  return refuse(c, 401, message, { 'www-authenticate': `Bearer realm="Tidegate"${error}` })
}

/** Bytes of a refused body that are read and dropped. */
const MAX_DRAINED_BYTES = 16 * 1024 * 1024

/**
 * Refuses a request before the protocol begins, in the form of the protocol or of `/doctor`. Reads the
 * body first: if the answer comes too early, local servers drop the connection and with it the
 * client's next request.
 */
export async function refuse(
  c: Context<App>,
  status: 400 | 401 | 403 | 404 | 405 | 500 | 503,
  message: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  let read = 0
  for await (const chunk of c.req.raw.body ?? []) {
    read += chunk.byteLength
    if (read > MAX_DRAINED_BYTES) break
  }
  if (/^\/doctor\b/.test(c.req.path))
    return textOrJson(c, status, { problem: message }, message, headers)
  const code = status < 500 ? codes.invalidRequest : codes.internal
  const body = { jsonrpc: '2.0', id: null, error: { code, message } }
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })
}

/** Answers a person with text, or with JSON if they ask for it by `Accept` or `?format=json`. */
export function textOrJson(
  { req }: Context<App>,
  status: number,
  value: object,
  text: string,
  headers: Record<string, string> = {},
): Response {
  const json =
    req.query('format') === 'json' || /^application\/json\b/.test(req.header('accept') ?? '')
  return new Response(json ? JSON.stringify(value) : `${text}\n`, {
    status,
    headers: {
      'content-type': `${json ? 'application/json' : 'text/plain'}; charset=utf-8`,
      'cache-control': 'no-store',
      ...headers,
    },
  })
}
