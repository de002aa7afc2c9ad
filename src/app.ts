import type { Context, Next } from 'hono'
import { cors } from 'hono/cors'
import { Hono } from 'hono/tiny'
import {
  type App,
  addressed,
  admission,
  NO_SIGN_IN,
  noSecretUrl,
  refuse,
  refuseWith,
  unveiled,
  wantsHtml,
  wantsPage,
} from './admission.ts'
import { doorPages, hasConsole, offersSignIn, pathOf, takesTokens } from './auth/index.ts'
import { deploymentOf } from './deployment.ts'
import { isName } from './gateway/index.ts'
import { Refusal, RpcError, serve, serveHttpSse, unexpected } from './mcp/index.ts'
import { rateLimit } from './registry/index.ts'
import { admittedSite, faults, NO_ENDPOINT, orMisconfigured } from './visit.ts'
import { whileAdmitted } from './while-admitted.ts'

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
export const app = new Hono<App>({ getPath: pathOf })
  .use(addressed)
  .use(unveiled)
  // Pages, which no other site may read.
  .on('ALL', ['/authorize', '/signin', '/signin/*', '/signout'], authorize)
  .on('ALL', ['/console', '/console/*'], operate)
  .use((c, next) =>
    c.req.method === 'OPTIONS' || c.req.header('origin') ? browsers(c, next) : next(),
  )
  .all('/k/*', noSecretUrl)
  .all('/token', authorize)
  .all('/register', authorize)
  .on('ALL', ['/.well-known/*', '/mcp/.well-known/*'], describe)
  .on('GET', ['/doctor', '/doctor/:endpoint'], leadToConsole)
  .use(admission)
  .get('/', showPage)
  .get('/setup', setup)
  .on('GET', ['/favicon.svg', '/assets/*'], load)
  .get('/health', (c) => c.json({ status: 'ok' }))
  .all('/mcp', mcp)
  .all('/mcp/:endpoint', mcp)
  .all('/doctor', doctor)
  .all('/doctor/:endpoint', doctor)
  .all('/api/*', api)
  .get('/record/:endpoint/:id{.+}', record)
  .post('/register', (c) => (c.env.TIDEGATE_KEY ? register(c) : c.notFound()))
  .all('/sse', (c) => (c.env.LEGACY_SSE ? mcp(c) : c.notFound()))
  .notFound(async (c) => {
    if (wantsHtml(c)) return (await pages()).showNotFound(c)
    const where = `The MCP endpoint is ${new URL('/mcp', c.req.url)}.`
    // A path that is none may still hold a key.
    const headers = { 'referrer-policy': 'no-referrer' }
    const isKeyed = c.env.TIDEGATE_KEY && !takesTokens(c.env)
    return refuse(c, 404, isKeyed ? `${where} ${NO_SIGN_IN}` : where, headers)
  })
  .onError((error, c) => {
    if (error instanceof Refusal) return refuseWith(c, error)
    if (error instanceof RpcError) return refuse(c, 400, error.message, {}, error.code)
    return refuse(c, 500, unexpected(error))
  })

// Read by the first host that asks how to sign in.
const signIn = () => import('./sign-in.ts')

/** Where nobody can sign in, these paths are like all others; a person who opens one reads what to set. */
async function authorize(c: Context<App>, next: Next): Promise<Response | undefined> {
  if (!offersSignIn(c.env)) {
    if (isOfOperator(c) && hasConsole(c.env)) return (await signIn()).authorize(c)
    if (!/^\/(?:authorize|signin)$/.test(c.req.path) || !wantsHtml(c)) return void (await next())
    return (await doorPages()).notSetPage(c.env, new URL(c.req.url).origin)
  }
  return (await signIn()).authorize(c)
}

/** Whether this is about the session of an operator, which needs no way for others to sign in. */
const isOfOperator = ({ req: { path, method } }: Context<App>): boolean =>
  path === '/signin/operator' || (path === '/signout' && method === 'POST')

async function describe(c: Context<App>, next: Next): Promise<Response | undefined> {
  if (!takesTokens(c.env)) return void (await next())
  return (await signIn()).describe(c)
}

// Read by the first person who looks: hosts never do.
const pages = () => import('./page.ts')

async function showPage(c: Context<App>): Promise<Response> {
  return (await pages()).showPage(c)
}

/** Shows what a deployment still needs. */
async function setup(c: Context<App>): Promise<Response> {
  return (await import('./setup.ts')).showSetup(c)
}

/** Serves what a page loads. */
async function load(c: Context<App>): Promise<Response> {
  return (await pages()).asset(c.req.path) ?? c.notFound()
}

/** Leads a person who opens the doctor with a browser, and so without a key, to that of the Console. */
async function leadToConsole(c: Context<App>, next: Next): Promise<Response | undefined> {
  const hasKey = c.var.bySecretUrl || c.req.header('authorization') || c.req.header('x-api-key')
  if (hasKey || !wantsHtml(c) || !hasConsole(c.env) || c.req.query('format')) {
    return void (await next())
  }
  const name = c.req.param('endpoint')
  return c.redirect(`/console/doctor${name && isName(name) ? `?endpoint=${name}` : ''}`, 303)
}

async function doctor(c: Context<App>): Promise<Response> {
  const { examine } = await import('./doctor.ts')
  // Its own requests go the way of all others, but not through the network.
  return examine(c, async (request) => app.fetch(request, c.env))
}

/** Serves the Console. */
async function operate(c: Context<App>): Promise<Response> {
  const console = await import('./operate.ts')
  // What the Console asks goes the way of all requests, but not through the network.
  return console.operate(c, async (request) => app.fetch(request, c.env))
}

async function api(c: Context<App>): Promise<Response> {
  const { administer } = await import('./api.ts')
  return administer(c, async (request) => app.fetch(request, c.env))
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
    // A call need not know which tools are listed.
    const waits = request.headers.get('mcp-method') !== 'tools/call'
    const server = await serverOf(site, new URL(request.url).origin, waits)
    const answer =
      c.req.path === '/sse'
        ? await serveHttpSse(request, sessions, { caller, origins })
        : await serve(request, { server, caller, origins, sessions, seal })
    return whileAdmitted(answer, request, () => admittedSite(request, c.env))
  } catch (error) {
    const thrown = orMisconfigured(error)
    if (thrown instanceof Refusal) return refuseWith(c, thrown)
    throw thrown
  }
}

/** Refuses a path without an endpoint. */
const notFound = (c: Context<App>): Promise<Response> =>
  refuse(c, 404, NO_ENDPOINT, {}, faults.notFound)

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
  const { recordPage } = await pages()
  const { title, text, metadata } = found
  return recordPage({ title, text, table: metadata.table ?? '' })
}

/** Answers hosts that try to register when a key is missing: they print this (RFC 7591, 3.2.2). */
function register(c: Context<App>): Response {
  const error = { error: 'invalid_client_metadata', error_description: NO_SIGN_IN }
  return c.json(error, 400, { 'cache-control': 'no-store' })
}
