import type { Context, Next } from 'hono'
import { cors } from 'hono/cors'
import { Hono } from 'hono/tiny'
import { doorPages, hasConsole, offersSignIn, pathOf, takesTokens } from '../auth/index.ts'
import { isName } from '../gateway/index.ts'
import { Refusal, RpcError, serve, serveHttpSse, unexpected } from '../mcp/index.ts'
import { rateLimit } from '../registry/index.ts'
import {
  type App,
  addressed,
  admission,
  noSecretUrl,
  noSignIn,
  refuse,
  refuseWith,
  unveiled,
  wantsHtml,
  wantsPage,
} from './admission/admission.ts'
import { whileAdmitted } from './admission/while-admitted.ts'
import { deploymentOf } from './deployment.ts'
import { faults, NO_ENDPOINT, orMisconfigured } from './faults.ts'
import { admittedSite } from './refusals.ts'

// A browser sends a preflight without a key, and must be able to read refusals.
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
  // Pages that no other site is allowed to read.
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
  .get('/setup', async (c) => (await import('./console/setup.ts')).showSetup(c))
  .on('GET', ['/favicon.svg', '/assets/*'], async (c) => {
    return (await pages()).asset(c.req.path) ?? c.notFound()
  })
  .get('/health', (c) => c.json({ status: 'ok' }))
  .get('/ready', async (c) => (await import('./doctor/ready.ts')).showReadiness(c))
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
    // An unknown path may still contain a key.
    const headers = { 'referrer-policy': 'no-referrer' }
    const isKeyed = c.env.TIDEGATE_KEY && !takesTokens(c.env)
    return refuse(c, 404, isKeyed ? `${where} ${await noSignIn(c)}` : where, headers)
  })
  .onError((error, c) => {
    if (error instanceof Refusal) return refuseWith(c, error)
    if (error instanceof RpcError) return refuse(c, 400, error.message, {}, error.code)
    return refuse(c, 500, unexpected(error))
  })

// Loaded when the first host asks how to sign in.
const signIn = () => import('./sign-in.ts')

/**
 * Serves sign-in. Without a way to sign in, these paths are unknown, and a browser gets a page that explains what to
 * set.
 */
async function authorize(c: Context<App>, next: Next): Promise<Response | undefined> {
  if (!offersSignIn(c.env)) {
    if (isOfOperator(c) && hasConsole(c.env)) return (await signIn()).authorize(c)
    if (!/^\/(?:authorize|signin)$/.test(c.req.path) || !wantsHtml(c)) return void (await next())
    return (await doorPages()).notSetPage(c.env, new URL(c.req.url).origin)
  }
  return (await signIn()).authorize(c)
}

/** True if this concerns an operator's session, which works even if nobody else can sign in. */
const isOfOperator = ({ req: { path, method } }: Context<App>): boolean =>
  path === '/signin/operator' || (path === '/signout' && method === 'POST')

async function describe(c: Context<App>, next: Next): Promise<Response | undefined> {
  if (!takesTokens(c.env)) return void (await next())
  return (await signIn()).describe(c)
}

// Loaded when the first person opens a page. Hosts never do.
const pages = () => import('./console/page.ts')

async function showPage(c: Context<App>): Promise<Response> {
  return (await pages()).showPage(c)
}

/** Redirects browsers, which send no key, from `/doctor` to the doctor page of the Console. */
async function leadToConsole(c: Context<App>, next: Next): Promise<Response | undefined> {
  const hasKey = c.var.bySecretUrl || c.req.header('authorization') || c.req.header('x-api-key')
  if (hasKey || !wantsHtml(c) || !hasConsole(c.env) || c.req.query('format')) {
    return void (await next())
  }
  const name = c.req.param('endpoint')
  return c.redirect(`/console/doctor${name && isName(name) ? `?endpoint=${name}` : ''}`, 303)
}

/**
 * Sends a deployment's requests to itself. They go through the same code as other requests, but not through the
 * network.
 */
const within =
  ({ env }: Context<App>) =>
  async (request: Request) =>
    app.fetch(request, env)

async function doctor(c: Context<App>): Promise<Response> {
  return (await import('./doctor/doctor.ts')).examine(c, within(c))
}

async function operate(c: Context<App>): Promise<Response> {
  return (await import('./console/operate.ts')).operate(c, within(c))
}

async function api(c: Context<App>): Promise<Response> {
  return (await import('./api.ts')).administer(c, within(c))
}

const TOO_MANY =
  'Too many requests: this endpoint limits calls per caller per minute. Try again in a minute.'

/** Serves a page to a browser, and MCP to everyone else. */
async function mcp(c: Context<App>): Promise<Response> {
  return wantsPage(c) ? showPage(c) : serveMcp(c, c.req.raw)
}

/** Serves an admitted MCP request. */
async function serveMcp(c: Context<App>, request: Request): Promise<Response> {
  const { caller } = c.var
  const { calls, keeping, origins, servers, sessions, sites } = deploymentOf(c.env)
  const [site] = c.var.sites
  if (!site) {
    return sites.problem
      ? refuse(c, 503, sites.problem)
      : refuse(c, 404, NO_ENDPOINT, {}, faults.notFound)
  }
  const { endpoint } = site
  const wait = await rateLimit(request, caller, endpoint, c.env)
  if (wait !== undefined) {
    calls.refused(endpoint, caller, faults.rateLimit)
    return refuse(c, 429, TOO_MANY, { 'retry-after': `${wait}` }, faults.rateLimit)
  }
  try {
    // A call does not depend on which tools are listed.
    const waits = request.headers.get('mcp-method') !== 'tools/call'
    const server = await servers.of(site, new URL(request.url).origin, waits)
    const strays = endpoint.access === 'public' || c.env.FORGETFUL === true
    const answer =
      c.req.path === '/sse'
        ? await serveHttpSse(request, sessions, { caller, origins })
        : await serve(request, { server, caller, origins, sessions, seal: keeping.seal, strays })
    return whileAdmitted(answer, request, () => admittedSite(request, c.env))
  } catch (error) {
    const thrown = orMisconfigured(error)
    if (thrown instanceof Refusal) return refuseWith(c, thrown)
    throw thrown
  }
}

/** Shows a person a record that a search found, through the tool `fetch`, within their rights and limits. */
async function record(c: Context<App>): Promise<Response> {
  const { showRecord } = await import('./record.ts')
  return showRecord(c, (request) => serveMcp(c, request))
}

/** Answers hosts that try to register when a key is missing. They print this message (RFC 7591, section 3.2.2). */
async function register(c: Context<App>): Promise<Response> {
  const error = { error: 'invalid_client_metadata', error_description: await noSignIn(c) }
  return c.json(error, 400, { 'cache-control': 'no-store' })
}
