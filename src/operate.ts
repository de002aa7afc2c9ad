import type { Context } from 'hono'
import { type App, refuse, wantsHtml } from './admission.ts'
import { administration } from './api.ts'
import { authorizationIn, doorPages, hasConsole, isTrue, type OperatorSeen } from './auth/index.ts'
import { consoleRoutes, type RpcAnswer, type Visit } from './console/index.ts'
import { RpcError, readBody } from './mcp/index.ts'
import { inTime, platformOf, secretProblem } from './registry/index.ts'

/** Bytes of a form of the Console. */
const MAX_FORM_BYTES = 1024 * 1024

/** How long the sign-in may take to say who this is. */
const MAX_WAIT_MS = 10_000

/**
 * Serves the Console: to operators alone, who are asked to sign in; and changes something only by a form of a page of
 * its own.
 *
 * @param send carries out a request to this deployment without the network
 */
export async function operate(
  c: Context<App>,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  const { method, url } = c.req.raw
  const { origin, pathname, search } = new URL(url)
  if (!hasConsole(c.env)) return wantsHtml(c) ? seeOther('/setup') : refuse(c, 503, NOT_SET)
  if (!isTrue(origin)) return fault(403, NOT_HERE)
  const problem = secretProblem(c.env.TIDEGATE_SECRET)
  if (problem) return fault(503, problem)
  if (!METHODS.includes(method)) return fault(405, BROWSER, { allow: METHODS.join(', ') })
  const asking = authorizationIn(c.env.AUTHORIZATION)('operator', {
    url: origin,
    headers: headersOf(c),
  })
  const seen = await inTime(MAX_WAIT_MS, asking).catch((error: unknown) => {
    console.error(error)
    return undefined
  })
  if (!seen) return fault(503, DOWN)
  const { name } = seen
  if (name === undefined) {
    if (method === 'POST') return fault(403, ENDED)
    return seeOther(`/signin/operator?${new URLSearchParams({ to: pathname + search })}`)
  }
  const fields = method === 'POST' ? await fieldsOf(c.req.raw, seen) : new URLSearchParams()
  if (fields instanceof Response) return fields
  const answer = await consoleRoutes(c.req.raw, await visitOf(c, { name, seen, fields, send }))
  const kept = new Response(answer.body, answer)
  for (const it of seen.cookies) kept.headers.append('set-cookie', it)
  return kept
}

interface Arrived {
  readonly name: string
  readonly seen: OperatorSeen
  readonly fields: URLSearchParams
  readonly send: (request: Request) => Promise<Response>
}

async function visitOf(c: Context<App>, { name, seen, fields, send }: Arrived): Promise<Visit> {
  const { origin } = new URL(c.req.url)
  const { signal } = c.req.raw
  const serveApi = await administration(c.env, { by: name, send })
  return {
    origin,
    signal,
    fields,
    isWorker: platformOf(c.env.MACHINE) === 'worker',
    operator: name,
    formToken: seen.formToken,
    async send(path, init = {}) {
      const url = new URL(`/api${path}`, origin)
      // A name in it that is none could lead elsewhere: `..` does.
      if (url.pathname !== `/api${path}`.split('?', 1)[0])
        return Response.json(NO_PATH, { status: 404 })
      return serveApi(new Request(url, init))
    },
    mcp: (endpoint, rpcMethod, params = {}) => {
      const headers = {
        authorization: `Bearer ${c.env.TIDEGATE_KEY}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': MODERN,
        'mcp-method': rpcMethod,
        ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
      }
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: rpcMethod,
        params: { ...params, _meta: META },
      })
      const request = new Request(new URL(`/mcp/${encodeURIComponent(endpoint)}`, origin), {
        method: 'POST',
        headers,
        body,
        signal,
      })
      return send(request).then(rpcAnswer)
    },
  }
}

const MODERN = '2026-07-28'

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'tidegate-console', version: '0.1.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** What the endpoint answers, in JSON or as the last event of a stream. */
async function rpcAnswer(answer: Response): Promise<RpcAnswer> {
  const text = await answer.text()
  const isStream = /^text\/event-stream\b/.test(answer.headers.get('content-type') ?? '')
  const data = isStream
    ? text
        .split('\n')
        .filter((it) => it.startsWith('data: '))
        .at(-1)
        ?.slice('data: '.length)
    : text
  try {
    return JSON.parse(data ?? '') as RpcAnswer
  } catch {
    return { error: { code: -32_603, message: `The endpoint answered ${answer.status}.` } }
  }
}

/** What a browser says of itself: its cookies, and what Cloudflare Access adds. */
function headersOf({ req }: Context<App>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of ['cookie', 'cf-access-jwt-assertion']) {
    const value = req.header(name)
    if (value !== undefined) headers[name] = value
  }
  return headers
}

/** The fields of a form, if a page of the Console sent it to this browser. */
async function fieldsOf(request: Request, seen: OperatorSeen): Promise<URLSearchParams | Response> {
  const { headers, url } = request
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const isOurs =
    (site === null || site === 'same-origin') && (origin === null || origin === new URL(url).origin)
  const type = headers.get('content-type') ?? ''
  if (!isOurs) return fault(403, FOREIGN)
  if (!/^application\/x-www-form-urlencoded *(?:;|$)/i.test(type)) return fault(400, NO_FORM)
  try {
    const fields = new URLSearchParams(await readBody(request, MAX_FORM_BYTES))
    return fields.get('form') === seen.formToken ? fields : fault(403, FOREIGN)
  } catch (error) {
    if (error instanceof RpcError) return fault(413, TOO_LONG)
    throw error
  }
}

const METHODS = ['GET', 'HEAD', 'POST']

const seeOther = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })

const fault = async (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  (await doorPages()).errorPage(status, message, {
    headers,
    next: { href: '/console', text: 'Open the Console' },
  })

const NO_PATH = { error: { code: 'not_found', message: 'There is nothing of this name.' } }
const NOT_SET =
  'The Console needs two secrets, TIDEGATE_KEY and TIDEGATE_SECRET. Open /setup in a browser to see how to set them.'
const NOT_HERE = 'Over plain http, the Console opens on this machine only. Use https.'
const BROWSER = 'This page is opened by a browser.'
const DOWN = 'The sign-in does not answer. Try again in a few seconds.'
const ENDED = 'Your session has ended, so nothing was changed. Sign in, and send the form again.'
const FOREIGN = 'This form was not sent by a page of the Console, so nothing was changed.'
const NO_FORM = 'This is no form of this page, so nothing was changed.'
const TOO_LONG = 'This form has more than 1 MiB, so nothing was changed.'
