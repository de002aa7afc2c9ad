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
    'has no metadata of the authorization server',
    { without: ['server'] },
    ['problem server-metadata'],
    ALL,
  ],
  [
    'has a page in place of the metadata of the authorization server',
    { answers: { [`GET ${SERVER}`]: () => page() } },
    ['problem well-knowns', 'problem server-metadata'],
    ALL,
  ],
  [
    'has metadata of the authorization server that pages cannot read',
    answering(`GET ${SERVER}`, { headers: { 'access-control-allow-origin': null } }),
    ['problem server-metadata-page'],
    [],
  ],
  ['has a slash behind its issuer', { server: { issuer: `${ORIGIN}/` } }, ['problem issuer'], ALL],
  [
    'has an authorization endpoint by http',
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
    'has its token endpoint on another machine',
    { server: { token_endpoint: 'https://localhost/token' } },
    ['problem server-endpoints'],
    ALL,
  ],
  [
    'has no S256',
    { server: { code_challenge_methods_supported: ['plain'] } },
    ['problem pkce'],
    ALL,
  ],
  [
    'has no code',
    { server: { response_types_supported: ['token'] } },
    ['problem response-types'],
    ALL,
  ],
  [
    'does not promise iss',
    { server: { authorization_response_iss_parameter_supported: undefined } },
    ['note iss'],
    [],
  ],
  [
    'takes no metadata documents of clients',
    { server: { client_id_metadata_document_supported: undefined } },
    ['note registration'],
    [],
  ],
  [
    'registers nobody',
    { server: { registration_endpoint: undefined } },
    ['problem registration'],
    [GEMINI, REMOTE, N8N],
  ],
  [
    'registers by http',
    { server: { registration_endpoint: 'http://gate.example.com/register' } },
    ['problem registration'],
    [GEMINI, REMOTE, N8N],
  ],
  [
    'knows no client',
    { server: { registration_endpoint: undefined, client_id_metadata_document_supported: false } },
    ['problem registration'],
    ALL,
  ],
  [
    'wants a secret of every client',
    { server: { token_endpoint_auth_methods_supported: ['client_secret_basic'] } },
    ['problem client-authentication'],
    ALL.filter((it) => it !== N8N),
  ],
  [
    'takes no keys of clients',
    { server: { token_endpoint_auth_methods_supported: ['none'] } },
    ['note client-authentication'],
    [],
  ],
  [
    'has no authorization code',
    { server: { grant_types_supported: ['refresh_token'] } },
    ['problem grant-types'],
    ALL,
  ],
  [
    'has no refresh tokens',
    { server: { grant_types_supported: ['authorization_code'] } },
    ['problem refresh'],
    [],
  ],
  [
    'has no offline_access',
    { server: { scopes_supported: ['db:read'] } },
    ['note offline-access'],
    [],
  ],
  [
    'has a page at the well-known of OpenID',
    { answers: { 'GET /.well-known/openid-configuration': () => page() } },
    ['problem well-knowns'],
    [],
  ],
  [
    'asks for a key at the well-known of OpenID',
    answering('GET /.well-known/openid-configuration', { status: 401 }),
    ['problem well-knowns'],
    [],
  ],
]

/** Authorization servers that answer wrongly in one way. */
const asked: Row[] = [
  [
    'sends an unknown client where it says',
    answering('GET /authorize', {
      status: 302,
      headers: { location: 'https://tidegate-doctor.invalid/callback?error=x' },
    }),
    ['problem unknown-client', 'problem wrong-redirect'],
    [],
  ],
  [
    'sends strangers to sign in',
    answering('GET /authorize', {
      status: 302,
      headers: { location: 'https://login.example.com/' },
    }),
    ['note unknown-client', 'note wrong-redirect'],
    [],
  ],
  [
    'shows an unknown client its page',
    answering('GET /authorize', { status: 200 }),
    ['note unknown-client', 'note wrong-redirect'],
    [],
  ],
  [
    'breaks on an unknown client',
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
    'has everybody sign in first',
    answering('GET /authorize', { status: 200, body: '<!doctype html><input type="password">' }),
    [],
    [],
  ],
  [
    'has no registration endpoint where it says',
    answering('POST /register', { status: 404 }),
    ['problem registration-endpoint', 'problem register'],
    [GEMINI, REMOTE, N8N],
  ],
  [
    'breaks on what is no client',
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
    'cannot register those who have no other way',
    {
      server: { client_id_metadata_document_supported: false },
      ...answering('POST /register', { status: 403 }),
    },
    ['note registration', 'problem registration-endpoint', 'problem register'],
    ALL,
  ],
  [
    'registers with 202',
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
    'has registered too many for now',
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
    'gives a secret to those that need none',
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
    'gives no secret to those that name no method',
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
    'wants a method named',
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
    'lets its page be framed',
    answering('GET /authorize', { headers: { 'content-security-policy': "default-src 'none'" } }),
    ['problem authorization-frame'],
    [],
  ],
  [
    'lets its page be stored',
    answering('GET /authorize', { headers: { 'cache-control': 'private' } }),
    ['problem authorization-cache'],
    [],
  ],
  [
    'has no page',
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
    'sends a client back with an error',
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
    'sends a client back at once',
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
    'answers the token endpoint with a page',
    { answers: { 'POST /token': () => page(404) } },
    ['problem token-code', 'problem token-refresh', 'problem token-cache'],
    ALL,
  ],
  [
    'answers a code that is none with invalid_request',
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
    'answers a refresh token that is none with invalid_target',
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
    'answers a code that is none with 500',
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
    'lets tokens be stored',
    answering('POST /token', { headers: { 'cache-control': null } }),
    ['problem token-cache'],
    [],
  ],
]

describe('an authorization server', () => {
  test.each([...described, ...asked])('that %s', async (_, wrong, found, out) => {
    const report = await wrongHost(wrong)
    expect(troubles(report)).toEqual(found)
    expect(shutOut(report)).toEqual(out)
  })

  test('has metadata at the address of OpenID, or below a path', async () => {
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

  test('that is not set up has a page that says so', async () => {
    const answers = { 'GET /authorize': () => page(503) }
    const { findings } = await wrongHost({ answers })
    for (const id of ['unknown-client', 'authorization-page']) {
      expect(findings.find((it) => it.id === id)!.fix).toContain('Open the authorization endpoint')
    }
    const asked = await examined(oauthHost(ORIGIN, { answers }), { register: false })
    expect(asked.verdicts()[3]!.verdict).toMatch(/^would connect, and ask to sign in, but: .* 503 /)
  })

  test('may lead a browser to its page by way of others, with a cookie', async () => {
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
