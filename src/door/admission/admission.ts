import type { Context, MiddlewareHandler } from 'hono'
import { readSecretUrl, shownBy, withoutSecretUrl } from '../../auth/index.ts'
import {
  allowsHost,
  allowsOrigin,
  type Caller,
  codes,
  drain,
  FOREIGN_ORIGIN,
  namesHost,
  Refusal,
  refused,
} from '../../mcp/index.ts'
import { apiCodes } from '../../registry/index.ts'
import { deploymentOf } from '../deployment.ts'
import type { Env } from '../env.ts'
import { faults } from '../faults.ts'
import { inactivity, refusalOf } from '../refusals.ts'
import type { Site } from '../sites.ts'
import { sentenceOf, visitOf } from '../visit.ts'

/** Hono context of every route. */
export type App = {
  Bindings: Env
  Variables: {
    /** Undefined for a caller without a key, who can use public endpoints. */
    caller: Caller | undefined
    /** Sites of the request: the one in its path, else the first one, or all for `/doctor`. */
    sites: readonly Site[]
    bySecretUrl: boolean
  }
}

/** Message for a host that looks for a sign-in: it says where to put the key. */
const NO_SIGN_IN =
  'This endpoint has no sign-in: it takes a key. If your host already sends one, that key is wrong. Send the key for this endpoint as Authorization: Bearer KEY.'

/** The message for a host that looks for a sign-in, or a more specific one if the request's credential is not a key. */
export const noSignIn = async (c: Context<App>): Promise<string> =>
  sentenceOf(await shownBy(c.req.raw, c.env)) ?? NO_SIGN_IN

const FOREIGN_HOST =
  'Over plain http, only this machine can connect without a key. Use https, send the key, or add this address to the variable ORIGINS.'

/** Refuses a request whose `Host` is not valid, before its URL is parsed. */
export const addressed: MiddlewareHandler<App> = async (c, next) =>
  namesHost(c.req.raw) ? next() : refuse(c, 400, 'The Host header is not valid.')

/** Moves the key of a secret URL into a header, the only place where later code looks for it. */
export const unveiled: MiddlewareHandler<App> = async (c, next) => {
  const found = readSecretUrl(c.req.raw)
  c.set('bySecretUrl', found !== undefined)
  if (!found) return next()
  c.req.raw = withoutSecretUrl(c.req.raw, found)
  c.res.headers.set('referrer-policy', 'no-referrer')
  return next()
}

/** Refuses an invalid secret URL. Does not say whether the key is wrong or lacks a right. */
export const noSecretUrl = (c: Context<App>): Promise<Response> => {
  const message =
    'There is no endpoint at this URL. Check that you copied all of it, or ask for a new one.'
  return refuse(c, 404, message, { 'referrer-policy': 'no-referrer' }, faults.notFound)
}

/** Admits or refuses every request, based on its key, its host, and the web page that sent it. */
export const admission: MiddlewareHandler<App> = async (c, next) => {
  const request = c.req.raw
  const { calls, origins, used } = deploymentOf(c.env)
  try {
    const visit = await visitOf(request, c.env, c.req.path)
    const { caller, key, route, sites } = visit
    const refusal = refusalOf(visit, c.env)
    const off = inactivity(visit)
    // Refused strangers are not logged: they could fill the log.
    const refused = refusal ?? off
    if (caller && sites[0] && refused && (request.method === 'POST' || route === 'record')) {
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

/** True if the request comes from a person who opens this URL in a browser. */
export const wantsHtml = ({ req }: Context<App>): boolean =>
  req.method === 'GET' && /\btext\/html\b/.test(req.header('accept') ?? '')

/** True if a person opens an endpoint's URL in a browser. They get a page that explains it. */
export const wantsPage = (c: Context<App>): boolean =>
  /^\/mcp(?:\/|$)/.test(c.req.path) && wantsHtml(c)

/** Refuses a request before the protocol begins. */
export const refuse = (
  c: Context<App>,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  code: number = status < 500 ? codes.invalidRequest : codes.internal,
): Promise<Response> => refuseWith(c, new Refusal(status, message, headers, code))

/**
 * Refuses a request in the format of the protocol, `/doctor` or `/api`. Reads the body first: if the response comes too
 * early, local servers drop the connection, which breaks the client's next request.
 */
export async function refuseWith(c: Context<App>, refusal: Refusal): Promise<Response> {
  await drain(c.req.raw)
  const { status, message, headers } = refusal
  if (/^\/doctor\b/.test(c.req.path))
    return textOrJson(c, status, { problem: message }, message, headers)
  if (!/^\/api\b/.test(c.req.path)) return refused(c.req.raw, refusal)
  const error = { code: apiCodes[status as keyof typeof apiCodes] ?? 'internal', message }
  return Response.json({ error }, { status, headers: { 'cache-control': 'no-store', ...headers } })
}

/** True if a program requests JSON, with `Accept` or `?format=json`. A person gets text or a page. */
export const wantsJson = ({ req }: Context<App>): boolean =>
  req.query('format') === 'json' || /^application\/json\b/.test(req.header('accept') ?? '')

/** Responds with text, or with JSON if a program requests it. */
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
