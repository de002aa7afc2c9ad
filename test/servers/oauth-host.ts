import type { RequestListener } from 'node:http'

/** The errors of a server that is otherwise correct. */
export interface Wrong {
  /** The endpoint needs no sign-in. */
  readonly open?: boolean
  /** Its `WWW-Authenticate` for a request without a token; null for none. */
  readonly challenge?: string | null
  /** Overrides for the metadata of the resource and of the authorization server. */
  readonly resource?: object
  readonly server?: object
  /** More tools. */
  readonly tools?: readonly object[]
  /** The metadata that is missing. */
  readonly without?: readonly ('resource' | 'server')[]
  /** Other answers, by request: `POST initialize`, `GET /token`. Undefined means the correct answer. */
  readonly answers?: Readonly<Record<string, (right: Response, request: Request) => Answer>>
}

type Answer = Response | undefined | Promise<Response | undefined>

/** A function that answers requests. */
export type Host = (request: Request) => Promise<Response>

/** This answer with another status, body or headers. A header that is null is left out. */
export function otherwise(
  right: Response,
  { status = right.status, body = right.body, headers = {} }: Change,
): Response {
  const all = new Headers(right.headers)
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) all.delete(name)
    else all.set(name, value)
  }
  return new Response(body, { status, headers: all })
}

interface Change {
  readonly status?: number
  readonly body?: string | ReadableStream | null
  readonly headers?: Readonly<Record<string, string | null>>
}

/** A page instead of the expected answer. */
export const page = (status = 200): Response =>
  new Response('<!doctype html><title>Welcome</title>', {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  })

/**
 * An MCP server with an authorization server, which is correct for every host that signs in, except for the
 * given errors.
 */
export function oauthHost(origin: string, wrong: Wrong = {}): Host {
  return async (request) => {
    const asked = await whatIsAsked(request)
    const right = withCors(rightAnswer(asked, origin, wrong), request)
    const other = await wrong.answers?.[asked.name]?.(right.clone(), request)
    return other ?? right
  }
}

/** A listener that answers like this host. */
export const listenAs =
  (host: (origin: string) => Host): RequestListener =>
  async (request, response) => {
    const { method = 'GET', headers } = request
    const origin = `http://${headers.host}`
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const asked = new Request(`${origin}${request.url}`, {
      method,
      headers: headers as Record<string, string>,
      body: chunks.length > 0 ? Buffer.concat(chunks) : null,
    })
    const answer = await host(origin)(asked)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  }

interface Asked {
  /** The JSON-RPC method at the endpoint, or else the HTTP method with the path. */
  readonly name: string
  readonly method: string
  readonly url: URL
  readonly text: string
  readonly token: string | null
}

async function whatIsAsked(request: Request): Promise<Asked> {
  const url = new URL(request.url)
  const { method } = request
  const text = method === 'POST' ? await request.clone().text() : ''
  const rpc = method === 'POST' && url.pathname === '/mcp' && JSON.parse(text).method
  const name = `${method} ${rpc || url.pathname}`
  return { name, method, url, text, token: request.headers.get('authorization') }
}

function rightAnswer(asked: Asked, origin: string, wrong: Wrong): Response {
  const { method, url } = asked
  if (method === 'OPTIONS') return new Response(null, { status: 204 })
  const { pathname } = url
  const { open = false, without = [] } = wrong
  const has = (it: 'resource' | 'server') => !open && !without.includes(it)
  if (pathname === '/mcp')
    return open ? openAnswer(asked, wrong) : closedAnswer(asked, origin, wrong)
  if (pathname === '/.well-known/oauth-protected-resource/mcp' && has('resource')) {
    return Response.json({ ...resourceOf(origin), ...wrong.resource })
  }
  if (pathname === '/.well-known/oauth-authorization-server' && has('server')) {
    return Response.json({ ...serverOf(origin), ...wrong.server })
  }
  if (pathname === '/authorize') return authorizationPage(url)
  if (asked.name === 'POST /register') return registered(asked.text)
  if (asked.name === 'POST /token') return noToken(asked.text)
  return Response.json({ error: 'not_found' }, { status: 404 })
}

const resourceOf = (origin: string) => ({
  resource: `${origin}/mcp`,
  authorization_servers: [origin],
  scopes_supported: ['db:read'],
})

const serverOf = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'private_key_jwt'],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
  scopes_supported: ['db:read', 'offline_access'],
})

function closedAnswer({ token }: Asked, origin: string, { challenge }: Wrong): Response {
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
  const usual = `Bearer realm="OAuth", resource_metadata="${metadata}", scope="db:read"`
  const said = challenge === undefined ? usual : challenge
  const headers = new Headers({ 'cache-control': 'no-store' })
  if (said !== null) {
    headers.set('www-authenticate', token ? `${said}, error="invalid_token"` : said)
  }
  return new Response(null, { status: 401, headers })
}

const tool = {
  name: 'query',
  title: 'Ask the database',
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: true },
}

function openAnswer({ name, text }: Asked, { tools = [] }: Wrong): Response {
  const result = {
    'POST initialize': { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} },
    'POST server/discover': { resultType: 'complete', supportedVersions: ['2026-07-28'] },
    'POST tools/list': { tools: [tool, ...tools] },
  }[name]
  if (result) {
    const headers = { 'mcp-session-id': 'marker-of-a-session' }
    return Response.json({ jsonrpc: '2.0', id: JSON.parse(text).id, result }, { headers })
  }
  return new Response(null, { status: name.startsWith('POST notifications/') ? 202 : 405 })
}

const CLIENT = 'client-of-the-doctor'

function authorizationPage({ searchParams }: URL): Response {
  const { host } = new URL(searchParams.get('redirect_uri') ?? 'none:')
  const known = searchParams.get('client_id') === CLIENT && host.startsWith('127.0.0.1:')
  return otherwise(page(known ? 200 : 400), {
    headers: {
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    },
  })
}

function registered(text: string): Response {
  const headers = { 'cache-control': 'no-store' }
  try {
    const client = { token_endpoint_auth_method: 'client_secret_basic', ...JSON.parse(text) }
    const secret = client.token_endpoint_auth_method !== 'none' && {
      client_secret: 'marker-of-a-client-secret',
      client_secret_expires_at: 0,
    }
    return Response.json({ client_id: CLIENT, ...client, ...secret }, { status: 201, headers })
  } catch {
    return Response.json({ error: 'invalid_client_metadata' }, { status: 400, headers })
  }
}

function noToken(text: string): Response {
  const known = new URLSearchParams(text).get('client_id') === CLIENT
  const error = known ? 'invalid_grant' : 'invalid_client'
  const headers = { 'cache-control': 'no-store' }
  return Response.json({ error }, { status: known ? 400 : 401, headers })
}

function withCors(right: Response, request: Request): Response {
  const origin = request.headers.get('origin')
  if (!origin) return right
  return otherwise(right, {
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-headers': request.headers.get('access-control-request-headers'),
      'access-control-expose-headers': 'WWW-Authenticate, Mcp-Session-Id',
    },
  })
}
