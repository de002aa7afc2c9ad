import type { Context, MiddlewareHandler } from 'hono'
import { callerWith, opens, shownBy, WRONG_KEY } from './auth/index.ts'
import { deploymentOf, type Env, NO_KEY, type Site } from './deployment.ts'
import { isDemo } from './gateway/index.ts'
import {
  allowsHost,
  allowsOrigin,
  type Caller,
  codes,
  FOREIGN_ORIGIN,
  namesHost,
  Refusal,
  refused,
} from './mcp/index.ts'

/** What every route gets. */
export type App = {
  Bindings: Env
  Variables: {
    /** Undefined for a caller without a key, who may use public endpoints. */
    caller: Caller | undefined
    /** The sites of the request: the one in its path, else the first one, or all for `/doctor`. */
    sites: readonly Site[]
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
  const { configured, find, origins, used } = deploymentOf(c.env)
  const [, route = '', name] = c.req.path.split('/')
  const shown = await shownBy(request, c.env)
  const page = wantsPage(c)
  const sought = ASKED.includes(route) ? await find(name || undefined, shown) : undefined
  const key = sought?.key
  const known = shown.key && sought ? callerWith(shown.key, key) : undefined
  const caller = shown.caller ?? (known && 'caller' in known ? known.caller : undefined)
  // Only the operator may read about all endpoints at once.
  const all = route === 'doctor' && !name
  const sites = all ? configured : sought?.site ? [sought.site] : []
  c.set('caller', caller)
  c.set('sites', sites)
  // A key that opens nothing is not ignored, even where none is needed: its owner believes in it.
  if (known && 'wrong' in known && !page) return askForKey(c, known.wrong)
  if (!caller && !isOpen(route, sites) && !page) {
    if (c.env.TIDEGATE_KEY) return askForKey(c, shown.wrong ? WRONG_KEY : undefined)
    if (sites.length > 0) return refuse(c, 503, NO_KEY)
  }
  if (!allowsHost(request, { caller, origins })) return refuse(c, 403, FOREIGN_HOST)
  if (!allowsOrigin(request, { caller, origins })) return refuse(c, 403, FOREIGN_ORIGIN)
  if (key && known && 'caller' in known) {
    used(key)
    // Whether there is such an endpoint is not said to those who may not use it.
    const mayUse = sought.name === undefined || (opens(key, sought.name) && !sought.denied)
    if (!mayUse || (route === 'doctor' && !isOpen(route, sites))) {
      return refuse(c, 403, NO_RIGHT, {}, faults.noRight)
    }
  }
  const [site] = sites
  if (site && !site.active && !all && !page) {
    return refuse(c, 403, INACTIVE, {}, faults.inactive)
  }
  return next()
}

/** The routes that are about an endpoint. */
const ASKED = ['mcp', 'sse', 'record', 'doctor']

const NO_RIGHT = 'This key may not use this endpoint. Ask its operator.'
const INACTIVE = 'This endpoint is switched off. Ask its operator.'

/** Codes of our own refusals, outside the ranges of JSON-RPC and MCP. docs/errors.md lists them. */
export const faults = {
  inactive: 4030,
  noRight: 4031,
  notFound: 4040,
  rateLimit: 4290,
} as const

/** Whether a caller without a key may have this. Only an operator may read about the roles. */
function isOpen(route: string, sites: readonly Site[]): boolean {
  if (!ASKED.includes(route)) return true
  const open = sites.every(
    ({ endpoint }) => endpoint.access === 'public' && (route !== 'doctor' || isDemo(endpoint)),
  )
  return open && sites.length > 0
}

/** Whether a person opens the URL of an endpoint in a browser. They get a page that explains it. */
export const wantsPage = ({ req }: Context<App>): boolean =>
  /^\/mcp(?:\/|$)/.test(req.path) &&
  req.method === 'GET' &&
  /\btext\/html\b/.test(req.header('accept') ?? '')

/** Asks for the key. Names an error only if a wrong key was sent (RFC 6750, section 3.1). */
function askForKey(c: Context<App>, wrong: string | undefined): Promise<Response> {
  const message = wrong ?? 'Send the key of this endpoint as Authorization: Bearer KEY.'
  const error = wrong ? `, error="invalid_token", error_description="${message}"` : ''
  return refuse(c, 401, message, { 'www-authenticate': `Bearer realm="Tidegate"${error}` })
}

/** Bytes of a refused body that are read and dropped. */
const MAX_DRAINED_BYTES = 16 * 1024 * 1024

/**
 * Refuses a request before the protocol begins, in the form of the protocol, of `/doctor` or of `/api`. Reads the
 * body first: if the answer comes too early, local servers drop the connection and with it the
 * client's next request.
 */
export async function refuse(
  c: Context<App>,
  status: 400 | 401 | 403 | 404 | 405 | 429 | 500 | 503,
  message: string,
  headers: Record<string, string> = {},
  code: number = status < 500 ? codes.invalidRequest : codes.internal,
): Promise<Response> {
  let read = 0
  for await (const chunk of c.req.raw.body ?? []) {
    read += chunk.byteLength
    if (read > MAX_DRAINED_BYTES) break
  }
  if (/^\/doctor\b/.test(c.req.path))
    return textOrJson(c, status, { problem: message }, message, headers)
  if (/^\/api\b/.test(c.req.path)) {
    const error = { code: status < 500 ? 'refused' : 'internal', message }
    return c.json({ error }, status, { 'cache-control': 'no-store', ...headers })
  }
  return refused(c.req.raw, new Refusal(status, message, headers, code))
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
