import type { Context, MiddlewareHandler } from 'hono'
import { readSecretUrl, withoutSecretUrl } from './auth/index.ts'
import { deploymentOf, type Env, type Site } from './deployment.ts'
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
import { faults, inactivity, refusalOf, visitOf } from './visit.ts'

/** What every route gets. */
export type App = {
  Bindings: Env
  Variables: {
    /** Undefined for a caller without a key, who may use public endpoints. */
    caller: Caller | undefined
    /** The sites of the request: the one in its path, else the first one, or all for `/doctor`. */
    sites: readonly Site[]
    /** Whether the request came by a secret URL. */
    bySecretUrl: boolean
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

/** Takes the key out of a secret URL: what comes after this finds it in a header, and nowhere else. */
export const unveiled: MiddlewareHandler<App> = async (c, next) => {
  const found = readSecretUrl(c.req.raw)
  c.set('bySecretUrl', found !== undefined)
  if (!found) return next()
  c.req.raw = withoutSecretUrl(c.req.raw, found)
  c.res.headers.set('referrer-policy', 'no-referrer')
  return next()
}

/** Refuses a secret URL that opens nothing: whether the key is wrong or lacks a right is not said. */
export const noSecretUrl = (c: Context<App>): Promise<Response> => {
  const message =
    'There is no endpoint at this URL. Check that it was copied whole, or ask for another.'
  return refuse(c, 404, message, { 'referrer-policy': 'no-referrer' }, faults.notFound)
}

/** Decides for every route who may come in: by the key, the page and the host of a request. */
export const admission: MiddlewareHandler<App> = async (c, next) => {
  const request = c.req.raw
  const { calls, origins, used } = deploymentOf(c.env)
  try {
    const visit = await visitOf(request, c.env, c.req.path)
    const { caller, key, sites } = visit
    const refusal = refusalOf(visit, c.env)
    const off = inactivity(visit)
    // Of strangers there is no record: they could fill it.
    const refused = refusal ?? off
    if (caller && sites[0] && refused && request.method === 'POST') {
      calls.refused(sites[0].endpoint, caller, refused.code)
    }
    c.set('caller', caller)
    c.set('sites', sites)
    if (c.var.bySecretUrl && (refusal || !key)) return noSecretUrl(c)
    if (refusal && !wantsPage(c)) throw refusal
    if (!allowsHost(request, { caller, origins })) throw new Refusal(403, FOREIGN_HOST)
    if (!allowsOrigin(request, { caller, origins })) throw new Refusal(403, FOREIGN_ORIGIN)
    if (off && !wantsPage(c)) throw off
    if (key) used(key)
  } catch (error) {
    if (error instanceof Refusal) return refuseWith(c, error)
    throw error
  }
  return next()
}

/** Whether a person opens this with a browser. */
export const wantsHtml = ({ req }: Context<App>): boolean =>
  req.method === 'GET' && /\btext\/html\b/.test(req.header('accept') ?? '')

/** Whether a person opens the URL of an endpoint in a browser. They get a page that explains it. */
export const wantsPage = (c: Context<App>): boolean =>
  /^\/mcp(?:\/|$)/.test(c.req.path) && wantsHtml(c)

/** Bytes of a refused body that are read and dropped. */
const MAX_DRAINED_BYTES = 16 * 1024 * 1024

/** Refuses a request before the protocol begins. */
export const refuse = (
  c: Context<App>,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  code: number = status < 500 ? codes.invalidRequest : codes.internal,
): Promise<Response> => refuseWith(c, new Refusal(status, message, headers, code))

/**
 * Refuses a request in the form of the protocol, of `/doctor` or of `/api`. Reads the body first: if the answer comes
 * too early, local servers drop the connection and with it the client's next request.
 */
export async function refuseWith(c: Context<App>, refusal: Refusal): Promise<Response> {
  await drain(c.req.raw)
  const { status, message, headers } = refusal
  if (/^\/doctor\b/.test(c.req.path))
    return textOrJson(c, status, { problem: message }, message, headers)
  if (!/^\/api\b/.test(c.req.path)) return refused(c.req.raw, refusal)
  const error = { code: apiCodes[status] ?? 'internal', message }
  return Response.json({ error }, { status, headers: { 'cache-control': 'no-store', ...headers } })
}

async function drain({ body }: Request): Promise<void> {
  // Whoever has begun to read it goes on.
  if (!body || body.locked) return
  let read = 0
  for await (const chunk of body) {
    read += chunk.byteLength
    if (read > MAX_DRAINED_BYTES) return
  }
}

/** What the API calls the refusals that come before it. */
const apiCodes: Readonly<Record<number, string>> = {
  400: 'malformed',
  401: 'unauthorized',
  403: 'forbidden',
  503: 'not_ready',
}

/** Whether a program asks for JSON, by `Accept` or `?format=json`, where a person reads something else. */
export const wantsJson = ({ req }: Context<App>): boolean =>
  req.query('format') === 'json' || /^application\/json\b/.test(req.header('accept') ?? '')

/** Answers a person with text, or with JSON if they ask for it by `Accept` or `?format=json`. */
export function textOrJson(
  c: Context<App>,
  status: number,
  value: object,
  text: string,
  headers: Record<string, string> = {},
): Response {
  const json = wantsJson(c)
  return new Response(json ? JSON.stringify(value) : `${text}\n`, {
    status,
    headers: {
      'content-type': `${json ? 'application/json' : 'text/plain'}; charset=utf-8`,
      'cache-control': 'no-store',
      ...headers,
    },
  })
}
