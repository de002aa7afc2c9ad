import { generateKeyPairSync, sign } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type App, authorization, ORIGIN } from '../support/authorization.ts'

const SECOND = 1_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2027, 0, 1) })
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

/** A server, an app, and the tokens that it got. */
async function signedIn(method = 'none') {
  const server = authorization()
  const app = await server.register(method)
  const { json } = await server.exchange(app, await server.allow(app))
  return { server, app, access: json.access_token as string, refresh: json.refresh_token as string }
}

const refused = (error: string) => ({
  status: 400,
  json: { error, error_description: expect.stringMatching(/^[A-Z].*/) },
})

describe('a code', () => {
  test('yields a Bearer token for an hour, with its scope and resource', async () => {
    const server = authorization()
    const app = await server.register()
    const { status, headers, json } = await server.exchange(app, await server.allow(app))
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(json).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3_600,
      scope: 'db:read',
      resource: `${ORIGIN}/mcp`,
    })
    expect(await server.isGood(json.access_token)).toBe(true)
  })

  test('for one endpoint yields a token for it, even if the app does not name it', async () => {
    const server = authorization()
    const app = await server.register()
    const code = await server.allow(app, { endpoint: 'shop' })
    const { json } = await server.exchange(app, code)
    expect(json.resource).toBe(`${ORIGIN}/mcp/shop`)
    const other = await server.allow(app, { endpoint: 'shop' })
    const wrong = await server.exchange(app, other, { resource: `${ORIGIN}/mcp/stock` })
    expect(wrong).toMatchObject(refused('invalid_target'))
  })

  test('that is sent three times at once yields tokens once, then its grant ends', async () => {
    const server = authorization()
    const app = await server.register()
    const code = await server.allow(app)
    const answers = await Promise.all([1, 2, 3].map(() => server.exchange(app, code)))
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400])
    for (const it of answers.slice(1)) expect(it).toMatchObject(refused('invalid_grant'))
    expect(await server.isGood(answers[0]!.json.access_token)).toBe(false)
    expect(await server.refresh(app, answers[0]!.json.refresh_token)).toMatchObject(
      refused('invalid_grant'),
    )
    expect(await server.take('events', { limit: 10 })).toMatchObject([
      { kind: 'token replayed', person: 'ada@example.com', why: 'A code was used twice.' },
    ])
  })
})

describe.each(['none', 'client_secret_post'])('a refresh token for an app with %s', (method) => {
  test('yields the same tokens if sent again at once or within the minute', async () => {
    const { server, app, refresh } = await signedIn(method)
    const answers = await Promise.all([1, 2, 3].map(() => server.refresh(app, refresh)))
    pass(59 * SECOND)
    answers.push(await server.refresh(app, refresh))
    for (const it of answers) {
      expect(it.status).toBe(200)
      expect(it.headers.get('content-type')).toBe('application/json')
      expect(it.headers.get('cache-control')).toBe('no-store')
      expect(it.json).toEqual(answers[0]!.json)
    }
    expect(await server.isGood(answers[0]!.json.access_token)).toBe(true)
    pass(10 * SECOND)
    expect((await server.refresh(app, answers[0]!.json.refresh_token)).status).toBe(200)
  })

  test('yields the same tokens only to its own app', async () => {
    const { server, app, refresh } = await signedIn(method)
    expect((await server.refresh(app, refresh)).status).toBe(200)
    const other = await server.register(method)
    expect(await server.refresh(other, refresh)).toMatchObject(refused('invalid_grant'))
    expect((await server.refresh({ id: 'gone' }, refresh)).status).toBe(401)
    expect((await server.refresh(undefined, refresh)).status).toBe(401)
    if (app.secret) {
      const wrong = await server.refresh({ ...app, secret: 'wrong' }, refresh)
      expect(wrong).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
      expect((await server.refresh({ id: app.id }, refresh)).status).toBe(401)
      const authorization = `Basic ${btoa(`${app.id}:${app.secret}`)}`
      const form = { grant_type: 'refresh_token', refresh_token: refresh }
      // It registered to send the secret in the form.
      expect((await server.ask(undefined, form, { authorization })).status).toBe(401)
    }
    expect((await server.refresh(app, refresh)).status).toBe(200)
  })

  test('whose response was lost yields new tokens after the minute', async () => {
    const { server, app, refresh } = await signedIn(method)
    const lost = await server.refresh(app, refresh)
    pass(61 * SECOND)
    const { status, json } = await server.refresh(app, refresh)
    expect(status).toBe(200)
    expect(json.refresh_token).not.toBe(lost.json.refresh_token)
    expect((await server.refresh(app, json.refresh_token)).status).toBe(200)
  })

  test('ends the grant if sent after its successor was used, and this is recorded', async () => {
    const { server, app, refresh } = await signedIn(method)
    const { json: second } = await server.refresh(app, refresh)
    const { json: third } = await server.refresh(app, second.refresh_token)
    pass(61 * SECOND)
    expect(await server.refresh(app, refresh)).toMatchObject(refused('invalid_grant'))
    for (const { access_token } of [second, third])
      expect(await server.isGood(access_token)).toBe(false)
    expect((await server.refresh(app, third.refresh_token)).json.error).toBe('invalid_grant')
    const events = await server.take('events', { limit: 10 })
    expect(events).toMatchObject([
      { kind: 'token replayed', person: 'ada@example.com', client: 'An app' },
    ])
    expect(JSON.stringify(events)).not.toContain(refresh.slice(-32))
  })

  test('used by a thief after the minute is detected when the app uses its successor', async () => {
    const { server, app, refresh } = await signedIn(method)
    const { json: mine } = await server.refresh(app, refresh)
    pass(61 * SECOND)
    const { json: stolen } = await server.refresh(app, refresh)
    expect((await server.refresh(app, mine.refresh_token)).json.error).toBe('invalid_grant')
    expect(await server.isGood(stolen.access_token)).toBe(false)
    expect((await server.refresh(app, stolen.refresh_token)).json.error).toBe('invalid_grant')
  })

  test('ends nothing if only its beginning is known', async () => {
    const { server, app, refresh } = await signedIn(method)
    const guessed = `${refresh.slice(0, -32)}${'x'.repeat(32)}`
    expect(await server.refresh(app, guessed)).toMatchObject(refused('invalid_grant'))
    expect((await server.refresh(app, refresh)).status).toBe(200)
  })

  test('ends nothing if another app sends it long after', async () => {
    const { server, app, refresh } = await signedIn(method)
    const { json: second } = await server.refresh(app, refresh)
    const { json: third } = await server.refresh(app, second.refresh_token)
    pass(61 * SECOND)
    const other = await server.register(method)
    expect(await server.refresh(other, refresh)).toMatchObject(refused('invalid_grant'))
    expect((await server.refresh(app, third.refresh_token)).status).toBe(200)
  })
})

test('an access token is valid for an hour', async () => {
  const { server, access } = await signedIn()
  pass(3_599 * SECOND)
  expect(await server.isGood(access)).toBe(true)
  pass(2 * SECOND)
  expect(await server.isGood(access)).toBe(false)
})

test.each(['', '200'])(
  'a grant lasts its days from its last use, and no longer: "%s"',
  async (days) => {
    const server = authorization({ SIGN_IN_DAYS: days })
    const app = await server.register()
    let token = (await server.exchange(app, await server.allow(app))).json.refresh_token
    const lasts = Number(days || 90)
    // This holds at any point in the life of its registration.
    for (const idle of [0.4, 0.99, 0.6, 0.99, 1]) {
      pass(idle * lasts * 86_400 * SECOND)
      const { status, json } = await server.refresh(app, token)
      expect(status).toBe(idle < 1 ? 200 : 400)
      token = json.refresh_token
    }
  },
)

test('checking a token reads one row, and writes no rows', async () => {
  const { server, access } = await signedIn()
  await server.isGood(access)
  server.object.forget()
  for (let i = 0; i < 10; i++) expect(await server.isGood(access)).toBe(true)
  expect(server.object.total).toEqual({ requests: 10, rowsRead: 10, rowsWritten: 0 })
  server.object.forget()
  expect(await server.isGood(`${access.slice(0, -32)}${'x'.repeat(32)}`)).toBe(false)
  expect(await server.isGood('none')).toBe(false)
  expect(server.object.total).toEqual({ requests: 2, rowsRead: 1, rowsWritten: 0 })
})

test('a refresh reads and writes only a few rows', async () => {
  const { server, app, refresh } = await signedIn()
  server.object.forget()
  await server.refresh(app, refresh)
  expect(server.object.total.rowsRead).toBeLessThanOrEqual(12)
  // The grant, the access token and the response, and now and then the registration.
  expect(server.object.total.rowsWritten).toBeLessThanOrEqual(5)
})

test('a stored response contains no readable token', async () => {
  const { server, app, refresh } = await signedIn()
  const { json } = await server.refresh(app, refresh)
  const store = await server.store()
  const { keys } = await store.list({})
  const texts = await Promise.all(keys.map(({ name }) => store.get(name)))
  expect(keys.some(({ name }) => name.endsWith(':rotation'))).toBe(true)
  for (const secret of [json.access_token, json.refresh_token, refresh]) {
    expect(`${texts}${keys.map(({ name }) => name)}`).not.toContain(secret.slice(-32))
  }
})

test('a refresh for another or an invalid resource never causes invalid_target', async () => {
  const server = authorization()
  const app = await server.register()
  const { json } = await server.exchange(app, await server.allow(app, { endpoint: 'shop' }))
  for (const resource of [`${ORIGIN}/mcp/gone`, 'https://elsewhere.example/', 'none', ORIGIN]) {
    pass(61 * SECOND)
    const answer = await server.refresh(app, json.refresh_token, { resource })
    expect(answer).toMatchObject({ status: 200, json: { resource: `${ORIGIN}/mcp/shop` } })
  }
})

describe('an unknown app', () => {
  test('gets invalid_client, whatever it sends, so that it registers again', async () => {
    const { server, refresh } = await signedIn()
    const gone = { id: 'gone' }
    const nothing = `${'a'.repeat(43)}:${'b'.repeat(16)}:${'c'.repeat(32)}`
    for (const shown of [refresh, nothing, 'nothing']) {
      const answers = [await server.refresh(gone, shown), await server.exchange(gone, shown)]
      for (const it of answers)
        expect(it).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
    }
  })

  test('does not have its document fetched unless it sends a token that it was given', async () => {
    const { server, app, refresh } = await signedIn()
    const fetched = vi.fn(async () => new Response('no', { status: 404 }))
    vi.stubGlobal('fetch', fetched)
    const document = { id: 'https://victim.example/app.json' }
    const nothing = `${'a'.repeat(43)}:${'b'.repeat(16)}:${'c'.repeat(32)}`
    for (const shown of [refresh, nothing, 'nothing']) {
      expect(await server.refresh(document, shown)).toMatchObject(refused('invalid_grant'))
      expect(await server.exchange(document, shown)).toMatchObject(refused('invalid_grant'))
      const iss = Buffer.from(JSON.stringify({ iss: document.id })).toString('base64url')
      const asserted = { client_assertion: `x.${iss}.x`, client_assertion_type: 'x' }
      expect(await server.refresh(undefined, shown, asserted)).toMatchObject(
        refused('invalid_grant'),
      )
      const form = { grant_type: 'refresh_token', refresh_token: shown }
      const authorization = `Basic ${btoa(`${encodeURIComponent(document.id)}:x`)}`
      expect(await server.ask(undefined, form, { authorization })).toMatchObject(
        refused('invalid_grant'),
      )
      expect((await server.ask(document, { token: shown })).status).toBe(200)
    }
    expect(await server.ask(document, {})).toMatchObject(refused('invalid_request'))
    for (const grant_type of ['password', 'constructor', '__proto__', 'client_credentials'])
      expect(await server.ask(document, { grant_type })).toMatchObject(
        refused('unsupported_grant_type'),
      )
    expect(await server.ask(document, { grant_type: 'refresh_token' })).toMatchObject(
      refused('invalid_request'),
    )
    expect(fetched).not.toHaveBeenCalled()
    expect((await server.refresh(app, refresh)).status).toBe(200)
  })
})

describe('an app with a metadata document', () => {
  test('and a key gets the same tokens within the minute for a new assertion', async () => {
    const app = appWithKey()
    vi.stubGlobal('fetch', async () => Response.json(app.document))
    const server = authorization()
    const { json } = await server.exchange(undefined, await server.allow(app), await app.proof())
    expect(json.error_description).toBe(undefined)
    const first = await server.refresh(undefined, json.refresh_token, await app.proof())
    const again = await server.refresh(undefined, json.refresh_token, await app.proof())
    expect([first.status, again.json]).toEqual([200, first.json])
    const used = await app.proof()
    expect((await server.refresh(undefined, json.refresh_token, used)).status).toBe(200)
    const replayed = await server.refresh(undefined, json.refresh_token, used)
    expect(replayed).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
    const unproven = await server.refresh(app, json.refresh_token)
    expect(unproven.status).toBe(401)
  })
})

describe('an app whose metadata document cannot be read', () => {
  const unreachable: readonly [string, () => Response][] = [
    ['its site is down', () => new Response('', { status: 503 })],
    ['its site rate-limits us', () => new Response('', { status: 429 })],
    ['its site takes us for a robot', () => new Response('', { status: 403 })],
    ['its site is under maintenance', () => new Response('<h1>Maintenance</h1>')],
    [
      'its name is not found',
      () => {
        throw new Error('internal error; reference = 0123456789abcdef')
      },
    ],
    [
      'the network is down',
      () => {
        throw new TypeError('Network connection lost.')
      },
    ],
  ]

  test.each(unreachable)('because %s keeps its grant, and can try again', async (_, answer) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const app = appWithKey()
    let site = () => Response.json(app.document)
    vi.stubGlobal('fetch', async () => site())
    const server = authorization()
    const { json } = await server.exchange(undefined, await server.allow(app), await app.proof())
    site = answer
    const refused = await server.refresh(undefined, json.refresh_token, await app.proof())
    expect(refused).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } })
    expect(refused.headers.get('retry-after')).toBe('60')
    site = () => Response.json(app.document)
    expect((await server.refresh(undefined, json.refresh_token, await app.proof())).status).toBe(
      200,
    )
  })

  test('keeps its grant if only its separate keys cannot be read', async () => {
    const app = appWithKey()
    const jwks_uri = 'https://app.example/keys.json'
    const { jwks, ...rest } = app.document
    let isUp = true
    vi.stubGlobal('fetch', async (url: string) => {
      if (`${url}` !== jwks_uri) return Response.json({ ...rest, jwks_uri })
      return isUp ? Response.json(jwks) : new Response('', { status: 502 })
    })
    const server = authorization()
    const { json } = await server.exchange(undefined, await server.allow(app), await app.proof())
    const refresh = async () => server.refresh(undefined, json.refresh_token, await app.proof())
    isUp = false
    const refused = await refresh()
    expect(refused).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } })
    isUp = true
    expect((await refresh()).status).toBe(200)
  })

  test('because it was withdrawn becomes an unknown app', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const app = appWithKey()
    let site = () => Response.json(app.document)
    vi.stubGlobal('fetch', async () => site())
    const server = authorization()
    const { json } = await server.exchange(undefined, await server.allow(app), await app.proof())
    for (const answer of [
      () => new Response('', { status: 404 }),
      () => Response.json({ ...app.document, client_id: 'https://other.example/x' }),
    ]) {
      site = answer
      const refused = await server.refresh(undefined, json.refresh_token, await app.proof())
      expect(refused).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
    }
  })
})

function appWithKey() {
  const id = 'https://app.example/client.json'
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
  const document = {
    client_id: id,
    client_name: 'An app',
    redirect_uris: ['http://127.0.0.1:9999/callback'],
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'ES256',
    jwks: { keys: [{ kty, crv, x, y, kid: 'k', alg: 'ES256', use: 'sig' }] },
  }
  const part = (it: object) => Buffer.from(JSON.stringify(it)).toString('base64url')
  return {
    id,
    document,
    async proof(): Promise<Record<string, string>> {
      const now = Math.floor(Date.now() / 1000)
      const claims = { iss: id, sub: id, aud: ORIGIN, iat: now, exp: now + 60 }
      const head = part({ alg: 'ES256', kid: 'k', typ: 'JWT' })
      const text = `${head}.${part({ ...claims, jti: crypto.randomUUID() })}`
      const how = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
      const signature = sign('sha256', Buffer.from(text), how)
      return {
        client_id: id,
        client_assertion: `${text}.${signature.toString('base64url')}`,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      }
    },
  }
}

describe('the token endpoint', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const wrong: readonly [string, BodyInit, Record<string, string>, number][] = [
    ['a body that is not a form', '{}', { 'content-type': 'application/json' }, 400],
    ['a body without a type', new Uint8Array([97]), {}, 400],
    ['a repeated parameter', 'grant_type=refresh_token&scope=a&scope=b', form, 400],
    ['a repeated client ID', 'client_id=a&client_id=b', form, 400],
    ['bytes that are not text', new Uint8Array([255, 254]), form, 400],
    ['a body that is too long', `code=${'x'.repeat(64 * 1024)}`, form, 413],
  ]

  test.each(wrong)('refuses %s with JSON that says why', async (_, body, headers, status) => {
    const answer = await authorization().post('/token', body, headers)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.json).toEqual({
      error: 'invalid_request',
      error_description: expect.stringMatching(/^[A-Z].*\.$/),
    })
  })

  test('refuses a long body without a content length', async () => {
    const server = authorization()
    const chunk = new TextEncoder().encode('x'.repeat(1024))
    let sent = 0
    const body = new ReadableStream({
      pull: (it) => (sent++ < 5_000 ? it.enqueue(chunk) : it.close()),
    })
    const init = { method: 'POST', body, headers: form, duplex: 'half' }
    const answer = await server.object.fetch(new Request(`${ORIGIN}/token`, init as RequestInit))
    expect(answer.status).toBe(413)
    expect(sent).toBeLessThan(2_000)
  })

  test('treats an empty parameter as missing', async () => {
    const { server, app, refresh } = await signedIn()
    const empty = { scope: '', resource: '', client_secret: '', code: '' }
    expect((await server.refresh(app, refresh, empty)).status).toBe(200)
  })

  test('serves at most fifty simultaneous requests for one grant', async () => {
    const { server, app, refresh } = await signedIn()
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => server.refresh(app, refresh)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((it) => it === 200)).toHaveLength(50)
    const late = answers.find(({ status }) => status === 429)!
    expect(late.headers.get('retry-after')).toBe('5')
    expect(late.json.error_description).toMatch(/Try again/)
  })
})

describe('revocation', () => {
  const revoke = (
    server: Awaited<ReturnType<typeof signedIn>>['server'],
    app: App,
    token: string,
  ) => server.ask(app, { token })

  test('of a refresh token ends its grant, even for refreshes within the minute', async () => {
    const { server, app, access, refresh } = await signedIn()
    const { json } = await server.refresh(app, refresh)
    expect((await revoke(server, app, json.refresh_token)).status).toBe(200)
    for (const it of [access, json.access_token]) expect(await server.isGood(it)).toBe(false)
    for (const it of [refresh, json.refresh_token])
      expect((await server.refresh(app, it)).json.error).toBe('invalid_grant')
    const { keys } = await (await server.store()).list({})
    expect(keys.map(({ name }) => name.split(':')[0])).toEqual(['client'])
  })

  test('of an access token ends only that token', async () => {
    const { server, app, access, refresh } = await signedIn()
    expect((await revoke(server, app, access)).status).toBe(200)
    expect(await server.isGood(access)).toBe(false)
    expect((await server.refresh(app, refresh)).status).toBe(200)
  })

  test('by another app does nothing, and by an unknown app is refused', async () => {
    const { server, access, refresh } = await signedIn()
    const other = await server.register()
    for (const token of [access, refresh]) {
      expect((await revoke(server, other, token)).status).toBe(200)
      expect((await revoke(server, { id: 'gone' }, token)).status).toBe(401)
    }
    expect(await server.isGood(access)).toBe(true)
  })

  test('during a refresh leaves no valid token', async () => {
    const { server, app, refresh } = await signedIn()
    const { entries } = await server.take('grants', { limit: 1 })
    const [refreshed] = await Promise.all([
      server.refresh(app, refresh),
      server.take('revoke', { id: entries[0]!.id }),
    ])
    expect(refreshed.status).toBe(200)
    expect(await server.isGood(refreshed.json.access_token)).toBe(false)
    expect((await server.take('grants', { limit: 1 })).total).toBe(0)
  })
})
