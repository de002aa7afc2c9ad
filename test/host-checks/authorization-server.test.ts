import { describe, expect, test } from 'vitest'
import { oauthHost, otherwise, page, type Wrong } from '../servers/oauth-host.ts'
import {
  ALL,
  answering,
  examined,
  GEMINI,
  N8N,
  ORIGIN,
  REMOTE,
  type Row,
  SERVER,
  shutOut,
  troubles,
  wrongHost,
} from '../support/host-checks.ts'

/** Authorization servers whose metadata is wrong in one way. */
const described: Row[] = [
  [
    'has no authorization server metadata',
    { without: ['server'] },
    ['problem server-metadata'],
    ALL,
  ],
  [
    'has a page instead of authorization server metadata',
    { answers: { [`GET ${SERVER}`]: () => page() } },
    ['problem well-knowns', 'problem server-metadata'],
    ALL,
  ],
  [
    'has authorization server metadata that web pages cannot read',
    answering(`GET ${SERVER}`, { headers: { 'access-control-allow-origin': null } }),
    ['problem server-metadata-page'],
    [],
  ],
  ['has a slash after its issuer', { server: { issuer: `${ORIGIN}/` } }, ['problem issuer'], ALL],
  [
    'has an authorization endpoint over http',
    { server: { authorization_endpoint: 'http://gate.example.com/authorize' } },
    ['problem server-endpoints'],
    ALL,
  ],
  [
    'has no token endpoint',
    { server: { token_endpoint: undefined } },
    ['problem server-endpoints'],
    ALL,
  ],
  [
    'has its token endpoint on localhost',
    { server: { token_endpoint: 'https://localhost/token' } },
    ['problem server-endpoints'],
    ALL,
  ],
  [
    'does not support S256',
    { server: { code_challenge_methods_supported: ['plain'] } },
    ['problem pkce'],
    ALL,
  ],
  [
    'does not support the response type code',
    { server: { response_types_supported: ['token'] } },
    ['problem response-types'],
    ALL,
  ],
  [
    'does not announce the iss parameter',
    { server: { authorization_response_iss_parameter_supported: undefined } },
    ['note iss'],
    [],
  ],
  [
    'does not support client ID metadata documents',
    { server: { client_id_metadata_document_supported: undefined } },
    ['note registration'],
    [],
  ],
  [
    'has no registration endpoint',
    { server: { registration_endpoint: undefined } },
    ['problem registration'],
    [GEMINI, REMOTE, N8N],
  ],
  [
    'has a registration endpoint over http',
    { server: { registration_endpoint: 'http://gate.example.com/register' } },
    ['problem registration'],
    [GEMINI, REMOTE, N8N],
  ],
  [
    'has neither registration nor client ID metadata documents',
    { server: { registration_endpoint: undefined, client_id_metadata_document_supported: false } },
    ['problem registration'],
    ALL,
  ],
  [
    'requires a secret from every client',
    { server: { token_endpoint_auth_methods_supported: ['client_secret_basic'] } },
    ['problem client-authentication'],
    ALL.filter((it) => it !== N8N),
  ],
  [
    'supports no client authentication with keys',
    { server: { token_endpoint_auth_methods_supported: ['none'] } },
    ['note client-authentication'],
    [],
  ],
  [
    'does not support the authorization code grant',
    { server: { grant_types_supported: ['refresh_token'] } },
    ['problem grant-types'],
    ALL,
  ],
  [
    'does not support refresh tokens',
    { server: { grant_types_supported: ['authorization_code'] } },
    ['problem refresh'],
    [],
  ],
  [
    'does not support the scope offline_access',
    { server: { scopes_supported: ['db:read'] } },
    ['note offline-access'],
    [],
  ],
  [
    'has a page at the OpenID well-known URL',
    { answers: { 'GET /.well-known/openid-configuration': () => page() } },
    ['problem well-knowns'],
    [],
  ],
  [
    'requires a key at the OpenID well-known URL',
    answering('GET /.well-known/openid-configuration', { status: 401 }),
    ['problem well-knowns'],
    [],
  ],
]

/** Authorization servers that answer wrongly in one way. */
const asked: Row[] = [
  [
    'redirects an unknown client to its redirect URI',
    answering('GET /authorize', {
      status: 302,
      headers: { location: 'https://tidegate-doctor.invalid/callback?error=x' },
    }),
    ['problem unknown-client', 'problem wrong-redirect'],
    [],
  ],
  [
    'redirects unknown clients to a sign-in page',
    answering('GET /authorize', {
      status: 302,
      headers: { location: 'https://login.example.com/' },
    }),
    ['note unknown-client', 'note wrong-redirect'],
    [],
  ],
  [
    'shows an unknown client its authorization page',
    answering('GET /authorize', { status: 200 }),
    ['note unknown-client', 'note wrong-redirect'],
    [],
  ],
  [
    'answers an unknown client with 500',
    {
      answers: {
        'GET /authorize': (right) =>
          right.status === 400 ? otherwise(right, { status: 500 }) : undefined,
      },
    },
    ['problem unknown-client', 'problem wrong-redirect'],
    [],
  ],
  [
    'requires a sign-in before anything else',
    answering('GET /authorize', { status: 200, body: '<!doctype html><input type="password">' }),
    [],
    [],
  ],
  [
    'answers 404 at its registration endpoint',
    answering('POST /register', { status: 404 }),
    ['problem registration-endpoint', 'problem register'],
    [GEMINI, REMOTE, N8N],
  ],
  [
    'answers an invalid registration with 500',
    {
      answers: {
        'POST /register': (right) =>
          right.status === 400 ? otherwise(right, { status: 500 }) : undefined,
      },
    },
    ['problem registration-endpoint'],
    [],
  ],
  [
    'cannot register clients that have no other way',
    {
      server: { client_id_metadata_document_supported: false },
      ...answering('POST /register', { status: 403 }),
    },
    ['note registration', 'problem registration-endpoint', 'problem register'],
    ALL,
  ],
  [
    'answers a registration with 202',
    {
      answers: {
        'POST /register': (right) =>
          right.status === 201 ? otherwise(right, { status: 202 }) : undefined,
      },
    },
    ['problem register'],
    [GEMINI, REMOTE, N8N],
  ],
  [
    'has too many registrations at the moment',
    {
      answers: {
        'POST /register': (right) =>
          right.status === 201 ? otherwise(right, { status: 429 }) : undefined,
      },
    },
    ['note register'],
    [],
  ],
  [
    'registers without a client_id',
    {
      answers: {
        'POST /register': (right) =>
          right.status === 201 ? otherwise(right, { body: '{}' }) : undefined,
      },
    },
    ['problem register'],
    [GEMINI, REMOTE, N8N],
  ],
  [
    'gives a secret to clients that need none',
    {
      answers: {
        'POST /register': async (right, request) =>
          (await request.text()).includes('"none"')
            ? otherwise(right, { body: '{"client_id":"client-of-the-doctor","client_secret":"x"}' })
            : undefined,
      },
    },
    ['problem register-secret'],
    [],
  ],
  [
    'gives no secret to clients that name no authentication method',
    {
      answers: {
        'POST /register': async (right, request) =>
          /"none"|^.$/.test(await request.text())
            ? undefined
            : otherwise(right, { body: '{"client_id":"x"}' }),
      },
    },
    ['problem register-method'],
    [],
  ],
  [
    'rejects clients that name no authentication method',
    {
      answers: {
        'POST /register': async (right, request) =>
          /"none"|^.$/.test(await request.text()) ? undefined : otherwise(right, { status: 400 }),
      },
    },
    ['problem register-method'],
    [],
  ],
  [
    'allows its page in a frame',
    answering('GET /authorize', { headers: { 'content-security-policy': "default-src 'none'" } }),
    ['problem authorization-frame'],
    [],
  ],
  [
    'allows its page in a cache',
    answering('GET /authorize', { headers: { 'cache-control': 'private' } }),
    ['problem authorization-cache'],
    [],
  ],
  [
    'answers 500 instead of its authorization page',
    {
      answers: {
        'GET /authorize': (right) =>
          right.status === 200 ? otherwise(right, { status: 500 }) : undefined,
      },
    },
    ['problem authorization-page', 'note loopback-port'],
    ALL,
  ],
  [
    'redirects a client back with an error',
    {
      answers: {
        'GET /authorize': (right) =>
          right.status === 200
            ? otherwise(right, {
                status: 302,
                headers: { location: 'http://127.0.0.1:33418/callback?error=x' },
              })
            : undefined,
      },
    },
    ['problem authorization-page'],
    ALL,
  ],
  [
    'redirects a client back with a code at once',
    {
      answers: {
        'GET /authorize': (right) =>
          right.status === 200
            ? otherwise(right, {
                status: 302,
                headers: { location: 'http://127.0.0.1:33418/callback?code=x' },
              })
            : undefined,
      },
    },
    ['problem authorization-page'],
    [],
  ],
  [
    'compares the port of a loopback address',
    {
      answers: {
        'GET /authorize': (right, { url }) =>
          url.includes('33419') ? otherwise(right, { status: 400 }) : undefined,
      },
    },
    ['note loopback-port'],
    [],
  ],
  [
    'has a page at its token endpoint',
    { answers: { 'POST /token': () => page(404) } },
    ['problem token-code', 'problem token-refresh', 'problem token-cache'],
    ALL,
  ],
  [
    'answers an invalid code with invalid_request',
    {
      answers: {
        'POST /token': async (right, request) =>
          (await request.text()).includes('no-code')
            ? otherwise(right, { body: '{"error":"invalid_request"}' })
            : undefined,
      },
    },
    ['problem token-code'],
    [],
  ],
  [
    'answers an invalid refresh token with invalid_target',
    {
      answers: {
        'POST /token': async (right, request) =>
          (await request.text()).includes('refresh_token')
            ? otherwise(right, { body: '{"error":"invalid_target"}' })
            : undefined,
      },
    },
    ['problem token-refresh'],
    [],
  ],
  [
    'answers an invalid code with 500',
    {
      answers: {
        'POST /token': async (right, request) =>
          (await request.text()).includes('no-code')
            ? otherwise(right, { status: 500 })
            : undefined,
      },
    },
    ['problem token-code'],
    ALL,
  ],
  [
    'allows tokens in a cache',
    answering('POST /token', { headers: { 'cache-control': null } }),
    ['problem token-cache'],
    [],
  ],
]

describe('an authorization server', () => {
  test.each([...described, ...asked])(
    'gets the right findings if it %s',
    async (_, wrong, found, out) => {
      const report = await wrongHost(wrong)
      expect(troubles(report)).toEqual(found)
      expect(shutOut(report)).toEqual(out)
    },
  )

  test('can have metadata at the OpenID well-known URL, or below a path', async () => {
    const issuer = `${ORIGIN}/tenant`
    const body = await (await oauthHost(ORIGIN)(new Request(ORIGIN + SERVER))).json()
    const document = JSON.stringify({ ...(body as object), issuer })
    const found = (right: Response) => otherwise(right, { status: 200, body: document })
    for (const path of [
      '/.well-known/oauth-authorization-server/tenant',
      '/.well-known/openid-configuration/tenant',
      '/tenant/.well-known/openid-configuration',
    ]) {
      const wrong = { resource: { authorization_servers: [issuer] }, without: ['server'] as const }
      const report = await wrongHost({ ...wrong, answers: { [`GET ${path}`]: found } })
      expect(troubles(report), path).toEqual([])
    }
  })

  test('gets a hint to open its page if the page answers with 503', async () => {
    const answers = { 'GET /authorize': () => page(503) }
    const { findings } = await wrongHost({ answers })
    for (const id of ['unknown-client', 'authorization-page']) {
      expect(findings.find((it) => it.id === id)!.fix).toContain('Open the authorization endpoint')
    }
    const asked = await examined(oauthHost(ORIGIN, { answers }), { register: false })
    expect(asked.verdicts()[3]!.verdict).toMatch(/^would connect, and ask to sign in, but: .* 503 /)
  })

  test('can redirect a browser to its sign-in page with a cookie', async () => {
    const signIn = `${ORIGIN}/sign-in`
    const answers: Wrong['answers'] = {
      'GET /authorize': (right) =>
        right.status === 200
          ? otherwise(right, {
              status: 302,
              headers: { location: '/sign-in', 'set-cookie': 'asked=marker; Path=/; HttpOnly' },
            })
          : undefined,
      'GET /sign-in': (right, { headers }) =>
        otherwise(headers.get('cookie') === 'asked=marker' ? page() : right, {
          headers: { 'x-frame-options': 'DENY', 'cache-control': 'private, no-store' },
        }),
    }
    expect(troubles(await wrongHost({ answers }))).toEqual([])
    const elsewhere = await wrongHost({
      answers: {
        'GET /authorize': (right) =>
          right.status === 200
            ? otherwise(right, {
                status: 302,
                headers: { location: 'https://login.example.com/x?y' },
              })
            : undefined,
      },
    })
    expect(troubles(elsewhere)).toEqual([])
    expect(elsewhere.findings.map(({ seen }) => seen)).toContain(
      'People are sent to login.example.com to sign in.',
    )
    const round = await wrongHost({
      answers: {
        'GET /authorize': (right) =>
          right.status === 200
            ? otherwise(right, { status: 302, headers: { location: signIn } })
            : undefined,
        'GET /sign-in': (right) =>
          otherwise(right, { status: 302, headers: { location: '/sign-in' } }),
      },
    })
    expect(troubles(round)).toEqual(['problem authorization-page'])
  })
})
