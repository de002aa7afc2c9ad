import type { Context } from 'hono'
import { cors } from 'hono/cors'
import { Hono } from 'hono/tiny'
import {
  type App,
  addressed,
  admission,
  faults,
  NO_SIGN_IN,
  refuse,
  wantsPage,
} from './admission.ts'
import { deploymentOf } from './deployment.ts'
import { ConfigError } from './gateway/index.ts'
import { Refusal, refused, serve, serveHttpSse, unexpected } from './mcp/index.ts'
import { rateLimit } from './registry/index.ts'

// A browser sends a preflight without a key. It also has to be able to read refusals.
const browsers = cors({
  origin: (origin) => origin,
  allowMethods: ['GET', 'POST', 'DELETE', 'OPTIONS'],
  allowHeaders: (
    'Authorization Content-Type Accept MCP-Protocol-Version Mcp-Session-Id ' +
    'Mcp-Method Mcp-Name Last-Event-ID X-API-Key Traceparent *'
  ).split(' '),
  exposeHeaders: ['Mcp-Session-Id', 'MCP-Protocol-Version', 'WWW-Authenticate', 'Retry-After'],
  maxAge: 86_400,
})

/** The routes of a deployment. */
export const app = new Hono<App>({ strict: false })
  .use(addressed)
  .all('/k/:key/*', secretUrl)
  .use((c, next) =>
    c.req.method === 'OPTIONS' || c.req.header('origin') ? browsers(c, next) : next(),
  )
  .use(admission)
  .get('/', showPage)
  .get('/health', (c) => c.json({ status: 'ok' }))
  .all('/mcp', mcp)
  .all('/mcp/:endpoint', mcp)
  .all('/doctor', doctor)
  .all('/doctor/:endpoint', doctor)
  .all('/api/*', api)
  .get('/record/:endpoint/:id{.+}', record)
  .all('/sse', (c) => (c.env.LEGACY_SSE ? mcp(c) : c.notFound()))
  .post('/register', (c) => (c.env.TIDEGATE_KEY ? register(c) : c.notFound()))
  .notFound((c) => {
    const where = `The MCP endpoint is ${new URL('/mcp', c.req.url)}.`
    return refuse(c, 404, c.env.TIDEGATE_KEY ? `${where} ${NO_SIGN_IN}` : where)
  })
  .onError((error, c) => refuse(c, 500, unexpected(error)))

/**
 * Serves a secret URL, `/k/KEY/mcp/NAME`, for hosts that send no header: as the same request without the
 * key in its path, which nothing behind this sees. A wrong key, or one without the right, opens nothing: 404.
 */
async function secretUrl(c: Context<App>): Promise<Response> {
  const request = c.req.raw
  const url = new URL(request.url)
  const [, , key = '', ...rest] = url.pathname.split('/')
  url.pathname = rest.join('/')
  const inner = new Request(url, request)
  inner.headers.delete('authorization')
  inner.headers.set('x-api-key', key)
  const asked = rest[0] === 'mcp' && rest.length <= 3 && key.startsWith('tg_')
  if (!asked) return refuse(c, 404, NO_SECRET_URL, NO_REFERRER)
  const answer = await app.fetch(inner, c.env)
  const wrong = answer.status === 401 || (await isFault(answer, faults.noRight))
  return wrong ? refused(inner, new Refusal(404, NO_SECRET_URL, NO_REFERRER)) : answer
}

const NO_SECRET_URL = 'There is no endpoint at this URL. Check that it was copied whole.'
const NO_REFERRER = { 'referrer-policy': 'no-referrer' }

/** Whether an answer is one of our own refusals. */
async function isFault(answer: Response, code: number): Promise<boolean> {
  if (answer.status !== 403) return false
  const body = await answer.clone().text()
  return body.includes(`"code":${code}`)
}

// Read by the first person who looks: hosts never do.
const pages = () => import('./page.ts')

async function showPage(c: Context<App>): Promise<Response> {
  const { page, pageHeaders } = await pages()
  const { configured, problem } = deploymentOf(c.env)
  const sites = [...c.var.sites, ...configured.filter((it) => !c.var.sites.includes(it))]
  return c.html(page(c.req.url, sites, problem), 200, pageHeaders)
}

async function doctor(c: Context<App>): Promise<Response> {
  const { examine } = await import('./doctor.ts')
  return examine(c)
}

async function api(c: Context<App>): Promise<Response> {
  const { administer } = await import('./api.ts')
  return administer(c)
}

const TOO_MANY =
  'Too many requests: this endpoint limits the calls of each caller in a minute. Try again in a minute.'

/** Serves an MCP request that was admitted. */
async function mcp(c: Context<App>): Promise<Response> {
  if (wantsPage(c)) return showPage(c)
  const request = c.req.raw
  const { caller } = c.var
  const { calls, origins, problem, sessions, seal, server: serverOf } = deploymentOf(c.env)
  const [site] = c.var.sites
  if (!site) return problem ? refuse(c, 503, problem) : notFound(c)
  const { endpoint } = site
  const wait = await rateLimit(request, caller, endpoint, c.env)
  if (wait !== undefined) {
    calls.refused(endpoint, caller, faults.rateLimit)
    return refuse(c, 429, TOO_MANY, { 'retry-after': `${wait}` }, faults.rateLimit)
  }
  try {
    const server = await serverOf(site, new URL(request.url).origin)
    if (c.req.path === '/sse') return await serveHttpSse(request, sessions, { caller, origins })
    return await serve(request, { server, caller, origins, sessions, seal })
  } catch (error) {
    if (error instanceof ConfigError) return refuse(c, 503, error.message)
    throw error
  }
}

/** Refuses a path without an endpoint. */
export const notFound = (c: Context<App>): Promise<Response> =>
  refuse(c, 404, `There is no endpoint at ${c.req.path} here.`, {}, faults.notFound)

/** Shows a person a row that a search found. */
async function record(c: Context<App>): Promise<Response> {
  const request = c.req.raw
  const [site] = c.var.sites
  // Not decoded: a decoded part may contain a slash.
  const [, , , ...id] = new URL(request.url).pathname.split('/')
  const reading =
    site?.endpoint.search && deploymentOf(c.env).document(site, id.join('/'), request, c.var.caller)
  const found = await reading?.catch((error: unknown) => {
    console.error(error)
    return null
  })
  if (found === null) return refuse(c, 503, 'This record cannot be read. Try again later.')
  if (!found) return refuse(c, 404, 'There is no such record here.')
  const { pageHeaders, recordPage } = await pages()
  return c.html(recordPage(found), 200, { ...pageHeaders, 'cache-control': 'no-store' })
}

/** Answers hosts that try to register when a key is missing: they print this (RFC 7591, 3.2.2). */
function register(c: Context<App>): Response {
  const error = { error: 'invalid_client_metadata', error_description: NO_SIGN_IN }
  return c.json(error, 400, { 'cache-control': 'no-store' })
}
