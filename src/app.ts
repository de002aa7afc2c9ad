import type { Context } from 'hono'
import { cors } from 'hono/cors'
import { Hono } from 'hono/tiny'
import { authenticate } from './auth/index.ts'
import { deploymentOf, type Env, NO_KEY } from './deployment.ts'
import { doctor } from './doctor.ts'
import { ConfigError } from './gateway/index.ts'
import { serve, serveHttpSse } from './mcp/index.ts'
import { page, pageHeaders, recordPage } from './page.ts'

type App = { Bindings: Env }

// A browser asks first, without a key; and it must be able to read refusals, too.
const browsers = cors({
  origin: (origin) => origin,
  allowMethods: ['GET', 'POST', 'DELETE', 'OPTIONS'],
  allowHeaders: [
    ...['Authorization', 'Content-Type', 'Accept', 'MCP-Protocol-Version', 'Mcp-Session-Id'],
    ...['Mcp-Method', 'Mcp-Name', 'Last-Event-ID', 'X-API-Key', 'Traceparent', '*'],
  ],
  exposeHeaders: ['Mcp-Session-Id', 'MCP-Protocol-Version', 'WWW-Authenticate', 'Retry-After'],
  maxAge: 86_400,
})

/** The routes of a deployment. */
export const app = new Hono<App>({ strict: false })
  .use((c, next) =>
    c.req.method === 'OPTIONS' || c.req.header('origin') ? browsers(c, next) : next(),
  )
  .get('/', (c) => c.html(page(c.req.url, deploymentOf(c.env)), 200, pageHeaders))
  .get('/health', (c) => c.json({ status: 'ok' }))
  .all('/mcp', mcp)
  .all('/mcp/:endpoint', mcp)
  .all('/doctor', doctor)
  .all('/doctor/:endpoint', doctor)
  .get('/record/:endpoint/:id{.+}', record)
  .all('/sse', (c) => (c.env.LEGACY_SSE ? mcp(c) : c.notFound()))
  .notFound((c) => refuse(c.req.raw, 404, `The MCP endpoint is ${new URL('/mcp', c.req.url)}.`))

/** One request to an endpoint: who calls, which endpoint, may they; then the protocol. */
async function mcp(c: Context<App>): Promise<Response> {
  const request = c.req.raw
  const deployment = deploymentOf(c.env)
  const { origins, problem, sessions, seal } = deployment
  if (request.method === 'GET' && /\btext\/html\b/.test(request.headers.get('accept') ?? '')) {
    return c.html(page(request.url, deployment), 200, pageHeaders)
  }
  const caller = await authenticate(request, c.env)
  const endpoint = deployment.endpoint(request.url)
  if (!caller && endpoint?.access !== 'public') {
    if (c.env.TIDEGATE_KEY) return askForKey(request)
    if (endpoint) return refuse(request, 503, NO_KEY)
  }
  if (problem) return refuse(request, 503, problem)
  if (!endpoint) return refuse(request, 404, `There is no endpoint at ${c.req.path} here.`)
  try {
    const server = deployment.server(endpoint, new URL(request.url).origin)
    if (c.req.path === '/sse') return await serveHttpSse(request, sessions, caller)
    return await serve(request, { server, caller, origins, sessions, seal })
  } catch (error) {
    if (error instanceof ConfigError) return refuse(request, 503, error.message)
    throw error
  }
}

/** A row that a search found, for a person to look at. */
async function record(c: Context<App>): Promise<Response> {
  const deployment = deploymentOf(c.env)
  const endpoint = deployment.endpoints.find(({ name }) => name === c.req.param('endpoint'))
  const request = c.req.raw
  if (endpoint?.access !== 'public' && !(await authenticate(request, c.env))) {
    return askForKey(request)
  }
  // As it was written: what is decoded may hold a slash.
  const [, , , ...id] = new URL(request.url).pathname.split('/')
  const reading = endpoint?.search && deployment.document(endpoint, id.join('/'), request)
  const found = await reading?.catch((error: unknown) => {
    console.error(error)
    return null
  })
  if (found === null) return refuse(request, 503, 'This record cannot be read. Try again later.')
  if (!found) return refuse(request, 404, 'There is no such record here.')
  return c.html(recordPage(found), 200, { ...pageHeaders, 'cache-control': 'no-store' })
}

const askForKey = (request: Request) =>
  refuse(request, 401, 'Send the key of this endpoint as Authorization: Bearer KEY.', {
    'www-authenticate': 'Bearer realm="Tidegate"',
  })

/** Bytes of a refused body that are read and forgotten. */
const DRAINED = 16 * 1024 * 1024

/**
 * A refusal before the protocol begins, in the protocol's own form. The body is read first: answered
 * too early, local servers drop the connection and the client's next request on it.
 */
async function refuse(
  request: Request,
  status: 401 | 404 | 503,
  message: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  let read = 0
  for await (const chunk of request.body ?? []) {
    read += chunk.byteLength
    if (read > DRAINED) break
  }
  const body = { jsonrpc: '2.0', id: null, error: { code: -32600, message } }
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })
}
