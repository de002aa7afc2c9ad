import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  base64url,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose'

type Json = Record<string, unknown>

/** The way a token is signed. All except the first are attacks. */
export type Signing =
  | 'its own key'
  | 'no key'
  | 'its public key as a secret'
  | 'the key of somebody else'
  | 'a key in the header'
  | 'a key that it does not publish'

/** The fault of the provider at one of its paths. */
export type Trouble = 'error' | 'html' | 'huge' | 'redirect' | 'silence'

/** The settings that a test can change while the provider runs. */
export interface Behaviour {
  /** Overrides for fields of its metadata. Undefined ones are left out. */
  metadata: Json
  /** Overrides for claims of its ID tokens. */
  claims: Json
  /** Its response at /userinfo. */
  userinfo: Json
  /** Overrides for parameters of the redirect back. */
  callback: Json
  signing: Signing
  /** The paths with a fault, such as `/keys`. */
  trouble: Record<string, Trouble>
  /** The required client authentication. */
  method: 'client_secret_basic' | 'client_secret_post' | 'none'
}

/** An OpenID provider that signs everyone in immediately. */
export interface FakeProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly behaviour: Behaviour
  /** The requests so far, such as `GET /keys`. */
  readonly requests: readonly string[]
  /** The number of requests like this one so far. */
  count(request: string): number
  /** Signs a token with these claims, in addition to the issuer and the times. */
  sign(claims: Json, header?: Json, signing?: Signing): Promise<string>
  /** Replaces its key with another one. */
  rotate(): Promise<void>
  close(): Promise<void>
}

/** The parameters with which a client has sent a user here. */
interface Begun {
  readonly redirectUri: string
  readonly challenge: string
  readonly nonce: string | undefined
}

/** Starts one. Its secret has characters that are encoded in a form. */
export async function startIdentityProvider(algorithm = 'ES256'): Promise<FakeProvider> {
  const [clientId, clientSecret] = ['client 1', 'p@ss:w+rd/%']
  const requests: string[] = []
  const codes = new Map<string, Begun>()
  const behaviour: Behaviour = {
    metadata: {},
    claims: {},
    userinfo: {},
    callback: {},
    signing: 'its own key',
    trouble: {},
    method: 'client_secret_basic',
  }
  let issuer = ''
  let made = 0
  const newKey = async () => ({
    kid: `key ${++made}`,
    ...(await generateKeyPair(algorithm, { extractable: true })),
  })
  let key = await newKey()
  const foreign = await generateKeyPair(algorithm, { extractable: true })

  const sign = async (more: Json, header: Json = {}, signing = behaviour.signing) => {
    const now = Math.floor(Date.now() / 1_000)
    const claims = JSON.parse(JSON.stringify({ iss: issuer, iat: now, exp: now + 300, ...more }))
    const { alg = algorithm, kid = key.kid, ...rest } = header
    const by = (secret: CryptoKey, own: Json = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg, kid, ...rest, ...own } as JWTHeaderParameters)
        .sign(secret)
    const parts = (own: Json) =>
      [{ kid, ...rest, ...own }, claims].map((it) => base64url.encode(JSON.stringify(it))).join('.')
    switch (signing) {
      case 'its own key':
        return by(key.privateKey)
      case 'the key of somebody else':
        return by(foreign.privateKey)
      case 'a key in the header':
        return by(foreign.privateKey, { jwk: await exportJWK(foreign.publicKey) })
      case 'a key that it does not publish':
        return by(foreign.privateKey, { kid: 'nobody knows' })
      case 'no key':
        return `${parts({ alg: 'none' })}.`
      case 'its public key as a secret': {
        const text = parts({ alg: 'HS256' })
        const secret = await exportSPKI(key.publicKey)
        return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
      }
    }
  }

  const keys = async () => ({
    keys: [{ ...(await exportJWK(key.publicKey)), kid: key.kid, alg: algorithm, use: 'sig' }],
  })

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize?tenant=1`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: [behaviour.method],
    authorization_response_iss_parameter_supported: true,
    ...behaviour.metadata,
  })

  /** Redirects the browser back immediately, with a code. */
  const authorize = ({ searchParams: asked }: URL): string | undefined => {
    const isRight =
      asked.get('client_id') === clientId &&
      asked.get('response_type') === 'code' &&
      asked.get('code_challenge_method') === 'S256' &&
      asked.get('scope')?.split(' ').includes('openid') &&
      asked.get('tenant') === '1'
    const [redirectUri, challenge] = [asked.get('redirect_uri'), asked.get('code_challenge')]
    if (!isRight || !redirectUri || !challenge) return undefined
    const code = `code ${codes.size + 1}`
    codes.set(code, { redirectUri, challenge, nonce: asked.get('nonce') ?? undefined })
    const back = new URL(redirectUri)
    const right = { code, state: asked.get('state'), iss: issuer }
    for (const [name, value] of Object.entries({ ...right, ...behaviour.callback })) {
      if (value !== undefined) back.searchParams.set(name, String(value))
    }
    return back.href
  }

  const isClient = (form: URLSearchParams, authorization = ''): boolean => {
    const written = [clientId, clientSecret].map((it) => new URLSearchParams([['', it]]).toString())
    const basic = written.map((it) => it.slice(1)).join(':')
    const ways = {
      client_secret_basic: authorization === `Basic ${btoa(basic)}` && !form.has('client_secret'),
      client_secret_post:
        form.get('client_id') === clientId && form.get('client_secret') === clientSecret,
      none: form.get('client_id') === clientId && !authorization && !form.has('client_secret'),
    }
    return ways[behaviour.method]
  }

  const token = async (form: URLSearchParams, authorization?: string): Promise<Json> => {
    if (!isClient(form, authorization)) return { error: 'invalid_client' }
    const code = form.get('code') ?? ''
    const begun = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '')
    const isRight =
      begun?.challenge === challenge.digest('base64url') &&
      begun.redirectUri === form.get('redirect_uri')
    if (!isRight) return { error: 'invalid_grant', error_description: 'A word of a stranger.' }
    const right = { sub: 'ada', aud: clientId, nonce: begun.nonce }
    const person = { email: 'ada@example.com', email_verified: true }
    return {
      access_token: 'access',
      token_type: 'Bearer',
      id_token: await sign({ ...right, ...person, ...behaviour.claims }),
    }
  }

  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer)
    requests.push(`${request.method} ${url.pathname}`)
    const trouble = behaviour.trouble[url.pathname]
    if (trouble) return inTrouble(trouble, response, issuer)
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /.well-known/openid-configuration':
        return json(response, 200, metadata())
      case 'GET /keys':
      case 'GET /cdn-cgi/access/certs':
        return json(response, 200, await keys())
      case 'GET /elsewhere':
        return json(response, 200, { ...metadata(), ...(await keys()) })
      case 'GET /authorize': {
        const location = authorize(url)
        if (!location) return json(response, 400, { error: 'invalid_request' })
        return response.writeHead(302, { location }).end()
      }
      case 'POST /token': {
        const form = new URLSearchParams(await textOf(request))
        const answer = await token(form, request.headers.authorization)
        return json(response, 'error' in answer ? 400 : 200, answer)
      }
      case 'GET /userinfo':
        return request.headers.authorization === 'Bearer access'
          ? json(response, 200, { sub: 'ada', ...behaviour.userinfo })
          : json(response, 401, {})
      default:
        return json(response, 404, {})
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    issuer,
    clientId,
    clientSecret,
    behaviour,
    requests,
    count: (request) => requests.filter((it) => it === request).length,
    sign,
    async rotate() {
      key = await newKey()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function inTrouble(trouble: Trouble, response: ServerResponse, issuer: string): void {
  if (trouble === 'silence') return
  if (trouble === 'error') response.writeHead(500).end('{"sub":"ada"}')
  if (trouble === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
  if (trouble === 'redirect') response.writeHead(302, { location: `${issuer}/elsewhere` }).end('{}')
  if (trouble === 'huge')
    response.writeHead(200).end(JSON.stringify({ keys: ['x'.repeat(300_000)] }))
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
