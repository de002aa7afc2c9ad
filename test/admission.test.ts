import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeKey } from '../src/registry/keys/key.ts'
import { onNode } from './support/node-worker.ts'
import { type PlainWorker, startPlainWorker } from './support/plain-worker.ts'
import { REGISTRY_WORKER, rowsOf } from './support/registry-rows.ts'
import { post, startWorker } from './support/worker.ts'

/** These run in plain workerd, because wrangler's own proxy reads a request before the Worker does. */

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const search = [{ table: 'products', title: 'name', text: ['name'] }]
const ENDPOINTS = JSON.stringify([
  {
    ...{ name: 'open', title: 'Open', access: 'public' },
    ...{ databases: { demo: { url: 'demo:' } }, search },
  },
  { name: 'closed', title: 'Closed', databases: { demo: { url: 'demo:' } }, search },
])

/** Every route, with the status of a request from this machine without a key. */
const ROUTES: readonly [string, string, number][] = [
  ['GET', '/', 200],
  ['GET', '/setup', 200],
  ['GET', '/health', 200],
  ['GET', '/ready', 200],
  ['POST', '/mcp', 200],
  ['GET', '/mcp', 405],
  ['POST', '/mcp/open', 200],
  ['POST', '/mcp/closed', 401],
  ['POST', '/%6dcp/%63losed', 401],
  ['GET', '/sse', 200],
  ['POST', '/sse?sessionId=x', 404],
  ['GET', '/record/open/demo/products/1', 200],
  ['GET', '/record/closed/demo/products/1', 401],
  ['GET', '/doctor', 401],
  ['GET', '/doctor/open', 200],
  ['GET', '/doctor/closed', 401],
  ['POST', '/register', 400],
  ['GET', '/.well-known/oauth-authorization-server', 404],
  ['GET', '/.well-known/oauth-protected-resource/mcp', 404],
  ['POST', '/messages', 404],
  ['GET', '/nowhere', 404],
]

let worker: PlainWorker
let here: string
/** The keys of all callers, by column of the table below. */
const keys = new Map<string, string>()

beforeAll(async () => {
  const origins = 'https://app.example.com http://gate.example.com'
  const vars = { ENDPOINTS, TIDEGATE_KEY: 'k', LEGACY_SSE: '1', ORIGINS: origins }
  worker = await startPlainWorker(vars, REGISTRY_WORKER)
  here = `127.0.0.1:${worker.port}`
  const rows = rowsOf(worker)
  await rows.endpoint('kept')
  await rows.endpoint('free', { access: 'public' })
  await rows.endpoint('teamed', { access: 'groups' })
  await rows.endpoint('off', { active: false })
  await rows.endpoint('freeoff', { active: false, access: 'public' })
  const made = {
    mine: await rows.key(['open', 'closed', 'kept', 'off']),
    other: await rows.key(['elsewhere']),
    all: await rows.key(['*']),
    scopeless: await rows.key(['*'], { scopes: [] }),
    grouped: await rows.key(['*']),
    groupless: await rows.key(['*']),
    expired: await rows.key(['*'], { expiresAt: Date.now() }),
    revoked: await rows.key(['*']),
  }
  await made.revoked.revoke()
  await rows.group('team', {
    keys: [made.grouped.id],
    endpoints: { kept: {}, closed: {}, teamed: {} },
  })
  await rows.group('others', { keys: [made.groupless.id], endpoints: { elsewhere: {} } })
  for (const [name, { key }] of Object.entries(made)) keys.set(name, key)
  keys.set('operator', 'k')
  keys.set('wrong', 'not a key')
  keys.set('unknown', (await makeKey()).key)
  // The id of a valid key, with another secret.
  keys.set('forged', made.all.key.slice(0, 20) + (await makeKey()).key.slice(20))
  keys.set('mistyped', made.all.key.slice(0, -1))
})
afterAll(() => worker.stop())

const ask = (method: string, path: string, host: string, ...more: string[]) => {
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Content-Type: application/json']
  return worker.send([...head, ...more], method === 'POST' ? ping : '')
}

/** The log, without the warning that the key of these tests is weak. */
const logOf = (worker: { log(): string }): string =>
  worker
    .log()
    .replace(/^.*TIDEGATE_KEY may be guessed.*$/gm, '')
    .trim()

describe.each(ROUTES)('%s %s', (method, path, status) => {
  const from = async (host: string, ...more: string[]) =>
    (await ask(method, path, host, ...more)).status

  test('serves callers on this machine, and pages on the list', async () => {
    expect(await from(here)).toBe(status)
    expect(await from('localhost')).toBe(status)
    expect(await from('[::1]:8787')).toBe(status)
    expect(await from('gate.example.com')).toBe(status)
    for (const page of ['http://localhost:6274', 'http://[::1]', 'https://app.example.com']) {
      expect([page, await from(here, `Origin: ${page}`)]).toEqual([page, status])
    }
  })

  test('shows nothing to a page from another origin, whatever the host is', async () => {
    const refused = status === 401 ? 401 : 403
    for (const page of [
      'http://evil.example',
      'null',
      'https://app.example.com.evil.example',
      'http://localhost.evil.example',
      `http://${here}.evil.example`,
      'file://',
      '"><script>',
    ]) {
      expect([page, await from(here, `Origin: ${page}`)]).toEqual([page, refused])
    }
    expect(await from('evil.example')).toBe(refused)
    expect(await from('evil.example', 'Origin: http://evil.example')).toBe(refused)
    expect(await from('127.0.0.1.evil.example')).toBe(refused)
  })

  test('refuses a malformed host', async () => {
    for (const host of [
      'evil"><script>',
      'evil.example:99999',
      'a b',
      'user@127.0.0.1',
      '127.0.0.1/mcp',
      '127.0.0.1?x',
      '127.0.0.1#x',
      '127.0.0.1\\',
      '[::1',
      '[evil]',
      'a,b',
      'a..b',
      'ü.example',
      `${'a'.repeat(300)}`,
    ]) {
      const { status, body } = await ask(method, path, host)
      expect([host, status]).toEqual([host, 400])
      expect(body).toContain('The Host header is not valid.')
      expect(body).not.toContain('evil')
    }
    expect(logOf(worker)).toBe('')
  })

  test('accepts the key from any page', async () => {
    const key = 'Authorization: Bearer k'
    const asked = await from('evil.example', 'Origin: http://evil.example', key)
    expect(asked).toBe(status === 401 ? 200 : status)
  })
})

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe('a deployment with a key', () => {
  test('a wrong key and a missing key get different errors, in the words that hosts know', async () => {
    const challenge = async (...more: string[]) =>
      /^www-authenticate: (.+)$/im.exec((await ask('POST', '/mcp/closed', here, ...more)).head)?.[1]
    const missing =
      'Bearer realm="Tidegate: Send the key for this endpoint as Authorization: Bearer KEY."'
    const wrong = `Bearer realm="Tidegate", error="invalid_token", error_description="This key is wrong, or was revoked. Ask the operator of this endpoint for another."`
    expect(await challenge()).toBe(missing)
    expect(await challenge('Authorization: Bearer')).toContain('the variable that should hold it')
    expect(await challenge('Authorization: Basic abc')).toBe(missing)
    expect(await challenge('Authorization: Bearer kk')).toBe(wrong)
    expect(await challenge('authorization: bearer "k"')).toBe(wrong)
  })

  // A # stands for the $ of a variable.
  test.each([
    ...['#{TIDEGATE_KEY}', '#TIDEGATE_KEY', '%TIDEGATE_KEY%', '{env:TIDEGATE_KEY}', '#env:KEY'],
    ...['#{env:TIDEGATE_KEY}', '#{input:key}', '{{TIDEGATE_KEY}}', '#{KEY:-}', 'undefined', ''],
  ])('the error explains that the variable is not set: Bearer %s', async (written) => {
    const text = written.replace('#', '$')
    const sentence = /^The key is missing: the variable that should hold it is not set/
    for (const path of ['/mcp/closed', '/doctor/closed', '/api/status']) {
      const { head, body, status } = await ask('POST', path, here, `Authorization: Bearer ${text}`)
      expect([path, status]).toEqual([path, 401])
      const [, error, description] =
        /^www-authenticate: .*error="(\w+)", error_description="([^"\\]+)"\r?$/im.exec(head) ?? []
      expect([path, error, description]).toEqual([
        ...[path, 'invalid_token', expect.stringMatching(sentence)],
      ])
      expect(body).toContain(description)
    }
    const looked = await ask('POST', '/register', here, `Authorization: Bearer ${text}`)
    expect(JSON.parse(looked.body).error_description).toMatch(sentence)
  })

  test('a wrong key stays wrong when the host then looks for a sign-in', async () => {
    const wrong = await ask('POST', '/register', here, 'Authorization: Bearer kk')
    expect(JSON.parse(wrong.body).error_description).toMatch(/^This key is wrong/)
    const api = await ask('POST', '/api/status', here, 'Authorization: Bearer kk')
    expect(api.head).toContain('error_description="This key is wrong, or was revoked.')
  })

  test('a host that looks for a sign-in gets an OAuth error if there is none', async () => {
    const answer = await ask('POST', '/register', here)
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body)).toEqual({
      error: 'invalid_client_metadata',
      error_description:
        'This endpoint has no sign-in: it takes a key. If your host already sends one, that key is wrong. Send the key for this endpoint as Authorization: Bearer KEY.',
    })
    const looked = await ask('GET', '/.well-known/oauth-authorization-server', here)
    expect(JSON.parse(looked.body).error.message).toMatch(/no sign-in: it takes a key/)
  })
})

test('a deployment without a key does not ask for one at /register', async () => {
  const open = await startWorker()
  const { status, text } = await post(`${open.url}/register`, list)
  expect([status, text.includes('key')]).toEqual([404, false])
  await open.close()
})

/** The parts of a response that a program reads: status, wrong-key marker and error code. */
function outcomeOf({ status, head, body }: { status: number; head: string; body: string }): string {
  const code = /"code":([45]\d{3})\b/.exec(body)?.[1]
  const wrong = /error="invalid_token"/.test(head)
  return `${status}${wrong ? ' wrong' : ''}${code ? ` ${code}` : ''}`
}

const [MISSING, WRONG, NO_RIGHT, OFF, NONE] = [
  ...['401', '401 wrong', '403 4031', '403 4030', '404 4040'],
] as const
const GOOD = ['operator', 'mine', 'all', 'grouped']
const BAD = ['expired', 'revoked', 'unknown', 'forged', 'mistyped']

/** The outcome of every route for every caller: by column, else `valid` for any other valid key. */
const MATRIX: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['GET /', { everyone: '200' }],
  ['GET /health', { everyone: '200' }],
  ['GET /ready', { everyone: '200' }],
  ['POST /register', { everyone: '400' }],
  ['GET /nowhere', { everyone: '404' }],
  ['POST /mcp', { nobody: '200', wrong: '200', operator: '200', mine: '200', all: '200' }],
  ['POST /mcp/open', { nobody: '200', wrong: '200', operator: '200', mine: '200', all: '200' }],
  ['GET /mcp', { nobody: '405', wrong: '405', operator: '405', mine: '405', all: '405' }],
  ['POST /mcp/closed', { operator: '200', mine: '200', all: '200', grouped: '200' }],
  ['POST /mcp/%63losed/', { operator: '200', mine: '200', all: '200', grouped: '200' }],
  ['POST /mcp/kept', { operator: '200', mine: '200', all: '200', grouped: '200' }],
  ['GET /mcp/kept', { operator: '405', mine: '405', all: '405', grouped: '405' }],
  ['HEAD /mcp/kept', { operator: '405', mine: '405', all: '405', grouped: '405', valid: '403' }],
  ['DELETE /mcp/kept', { operator: '405', mine: '405', all: '405', grouped: '405' }],
  ['PUT /mcp/kept', { operator: '405', mine: '405', all: '405', grouped: '405' }],
  ['POST /mcp/kept/more', { operator: '404', mine: '404', all: '404', grouped: '404' }],
  ['POST /mcp/teamed', { operator: '200', grouped: '200' }],
  ['GET /record/teamed/demo/products/1', { operator: '200', grouped: '200' }],
  ['POST /mcp/free', { nobody: '200', wrong: '200', operator: '200', all: '200' }],
  ['POST /mcp/off', { operator: OFF, mine: OFF, all: OFF }],
  ['POST /mcp/freeoff', { nobody: OFF, wrong: OFF, operator: OFF, all: OFF }],
  ['POST /mcp/none', { operator: NONE, all: NONE }],
  ['POST /mcp/NO%20NAME', { operator: NONE, all: NONE, grouped: NONE, groupless: NONE }],
  [
    'GET /record/open/demo/products/1',
    { nobody: '200', wrong: '200', operator: '200', mine: '200', all: '200' },
  ],
  [
    'GET /record/closed/demo/products/1',
    { operator: '200', mine: '200', all: '200', grouped: '200' },
  ],
  [
    'GET /record/kept/demo/products/1',
    { operator: '200', mine: '200', all: '200', grouped: '200' },
  ],
  ['GET /record/off/demo/products/1', { operator: OFF, mine: OFF, all: OFF }],
  ['GET /sse', { nobody: '200', wrong: '200', operator: '200', mine: '200', all: '200' }],
  [
    'POST /sse?sessionId=x',
    { nobody: '404', wrong: '404', operator: '404', mine: '404', all: '404' },
  ],
  ['GET /doctor', { operator: '200', valid: '403' }],
  ['GET /doctor/open', { nobody: '200', wrong: '200', operator: '200', valid: '200' }],
  ['GET /doctor/closed', { operator: '200', valid: '403' }],
  ['GET /doctor/kept', { operator: '200', valid: '403' }],
  ['GET /doctor/off', { operator: '200', valid: '403' }],
  ['GET /doctor/none', { operator: '404', valid: '403' }],
  ['GET /api/endpoints', { operator: '200', valid: '403' }],
]
const COLUMNS = ['nobody', 'wrong', ...GOOD, 'other', 'scopeless', 'groupless', ...BAD]

describe('every route and every kind of caller', () => {
  const expected = (row: Readonly<Record<string, string>>, column: string) => {
    if (row.everyone) return row.everyone
    if (BAD.includes(column)) return WRONG
    if (column === 'nobody') return row.nobody ?? MISSING
    if (column === 'wrong') return row.wrong ?? WRONG
    return row[column] ?? row.valid ?? NO_RIGHT
  }
  const shown = [
    ['Authorization: Bearer', 'as a bearer'],
    ['X-API-Key:', 'as X-API-Key'],
  ] as const

  describe.each(shown)('%s', (header) => {
    test.each(MATRIX)('%s', async (route, row) => {
      const [method = '', path = ''] = route.split(' ')
      const [got, wanted]: Record<string, string>[] = [{}, {}]
      for (const column of COLUMNS) {
        const key = keys.get(column)
        const more = key === undefined ? [] : [`${header} ${key}`]
        const answer = await ask(method, path, here, 'Accept: application/json', ...more)
        got![column] = outcomeOf(answer)
        wanted![column] = expected(row, column)
        expectNoKey(answer)
        if (answer.status >= 400) expect(answer.head).toMatch(/cache-control: no-store/i)
        expect(/www-authenticate: Bearer realm="Tidegate[":]/i.test(answer.head)).toBe(
          answer.status === 401,
        )
      }
      expect(got).toEqual(wanted)
    })
  })

  test('a preflight request does not give a page more access', async () => {
    for (const [route] of MATRIX) {
      const path = route.split(' ')[1]!
      const asked = ['Origin: http://evil.example', 'Access-Control-Request-Method: POST']
      const { status, head, body } = await ask('OPTIONS', path, here, ...asked)
      expect([path, status, body]).toEqual([path, 204, ''])
      expect(head).toMatch(/access-control-allow-origin: http:\/\/evil.example/i)
    }
  })

  test('a person sees the same page whether or not the endpoint exists', async () => {
    const see = async (path: string, ...more: string[]) => {
      const answer = await ask('GET', path, here, 'Accept: text/html', ...more)
      expectNoKey(answer)
      expect(answer.status).toBe(200)
      // A link that adds the endpoint to an app has its URL in base64.
      return answer.body.replaceAll(/config=[^&"]*/g, '')
    }
    const kept = await see('/mcp/kept')
    expect(kept).not.toContain('The kept')
    for (const name of ['none', 'closed', 'off', 'freeoff']) {
      const named = new RegExp(`(mcp(?:/|%2F))${name}`, 'g')
      expect((await see(`/mcp/${name}`)).replaceAll(named, '$1kept')).toBe(kept)
    }
    for (const column of [...GOOD, ...BAD])
      expect(await see('/mcp/kept', `X-API-Key: ${keys.get(column)}`)).toBe(kept)
    expect(await see('/mcp/free')).toContain('The free')
    for (const path of ['/', '/mcp']) {
      expect(await see(path)).toContain('Open')
      expect(await see(path)).not.toMatch(/kept|closed|off/i)
    }
  })

  test.each([
    '%E2%82%AC',
    '%22%3E%3Cb%3Ex',
    'Call%20the%20support',
    '%0aevil',
    '%00',
    '%',
    '%ff',
    'UPPER',
  ])('the page for an impossible endpoint name does not repeat the name: /mcp/%s', async (name) => {
    const { status, body } = await ask('GET', `/mcp/${name}`, here, 'Accept: text/html')
    expect([status, body.includes('Page not found')]).toEqual([404, true])
    expect(body).not.toMatch(/mcp\/[^"<]/)
  })
})

/** Asserts that a response does not repeat a key. */
function expectNoKey({ head, body }: { head: string; body: string }): void {
  for (const [column, key] of keys) {
    if (column === 'operator' || column === 'wrong') continue
    // Only the secret part, because an error might quote a part of the key.
    expect([column, `${head}${body}`.includes(key.slice(20, 50))]).toEqual([column, false])
  }
}

describe('a key in one of two headers', () => {
  const first = async (...more: string[]) =>
    outcomeOf(await ask('POST', '/mcp/kept', here, 'Accept: application/json', ...more))

  test('the bearer token takes precedence', async () => {
    const [mine, other, forged] = ['mine', 'other', 'forged'].map((it) => keys.get(it))
    expect(await first(`Authorization: Bearer ${mine}`, `X-API-Key: ${other}`)).toBe('200')
    expect(await first(`Authorization: Bearer ${other}`, `X-API-Key: ${mine}`)).toBe(NO_RIGHT)
    expect(await first(`Authorization: Bearer ${forged}`, `X-API-Key: ${mine}`)).toBe(WRONG)
    expect(await first(`Authorization: Bearer ${forged}`, `X-API-Key: nonsense`)).toBe(WRONG)
    expect(await first('Authorization: Basic azprCg==', `X-API-Key: ${mine}`)).toBe('200')
    expect(await first('Authorization: Bearer', `X-API-Key: ${mine}`)).toBe('200')
    expect(await first('Authorization: Basic azprCg==')).toBe(MISSING)
  })

  test('spaces and the case of the scheme do not matter, but everything else does', async () => {
    const mine = keys.get('mine')!
    expect(await first(`authorization:bearer    ${mine}   `)).toBe('200')
    expect(await first(`AUTHORIZATION: BEARER\t${mine}`)).toBe('200')
    expect(await first(`x-api-key:   ${mine}\t `)).toBe('200')
    for (const key of [
      mine.toLowerCase(),
      mine.toUpperCase(),
      `"${mine}"`,
      `${mine},`,
      `${mine} ${mine}`,
      `Bearer ${mine}`,
      encodeURIComponent(`${mine} `),
      `${mine}${'A'.repeat(6_000)}`,
      'A'.repeat(6_000),
      `tg_${'A'.repeat(53)}`,
      'k k',
      'K',
      'kk',
    ]) {
      expect([key, await first(`Authorization: Bearer ${key}`)]).toEqual([key, WRONG])
      expect([key, await first(`X-API-Key: ${key}`)]).toEqual([key, WRONG])
    }
    expect(await first(`Authorization: Bearer ${mine}`, `Authorization: Bearer ${mine}`)).toBe(
      WRONG,
    )
    expect(await first(`X-API-Key: ${mine}`, `X-API-Key: ${mine}`)).toBe(WRONG)
    expect(await first(`Authorization:${mine}`)).toBe(MISSING)
  })

  test('only the holder of the whole key learns that it has expired', async () => {
    const { body } = await ask('POST', '/mcp/kept', here, `X-API-Key: ${keys.get('expired')}`)
    expect(JSON.parse(body).error.message).toMatch(/^This key has expired/)
  })
})

describe('a refusal', () => {
  const refusedBy = async (...more: string[]) => ask('POST', '/mcp/freeoff', here, ...more)

  test('has a null id in the legacy era, and no id in the modern era', async () => {
    const error = { code: 4030, message: 'This endpoint is switched off. Ask its operator.' }
    const legacy = await refusedBy('MCP-Protocol-Version: 2025-11-25')
    expect(JSON.parse(legacy.body)).toEqual({ jsonrpc: '2.0', id: null, error })
    const modern = await refusedBy('MCP-Protocol-Version: 2026-07-28')
    expect(JSON.parse(modern.body)).toEqual({ jsonrpc: '2.0', error })
  })

  test('is a stream if the client accepts nothing else', async () => {
    const { status, head, body } = await refusedBy('Accept: text/event-stream')
    expect([status, /^content-type: text\/event-stream/im.test(head)]).toEqual([403, true])
    expect(body).toMatch(/^event: message\ndata: \{.*4030.*\}\n\n/m)
    const both = await refusedBy('Accept: application/json, text/event-stream')
    expect(both.head).toMatch(/^content-type: application\/json/im)
  })
})

describe('a secret URL', () => {
  const NO_URL =
    'There is no endpoint at this URL. Check that you copied all of it, or ask for a new one.'
  const at = async (path: string, ...more: string[]) => {
    const answer = await ask('POST', path, here, 'Accept: application/json', ...more)
    expectNoKey(answer)
    return answer
  }
  const by = (column: string) => `/k/${keys.get(column)}`

  test('opens exactly what its key opens, and does not explain refusals', async () => {
    for (const column of COLUMNS.filter((it) => it !== 'nobody')) {
      for (const name of ['', '/open', '/closed', '/kept', '/free', '/off', '/freeoff', '/none']) {
        const row = Object.fromEntries(MATRIX)[`POST /mcp${name}`]!
        const good = row[column] !== undefined && column !== 'operator' && column !== 'wrong'
        const answer = await at(`${by(column).replaceAll(' ', '%20')}/mcp${name}`)
        expect([column, name, outcomeOf(answer)]).toEqual([column, name, good ? row[column] : NONE])
        expect(answer.head).toMatch(/^referrer-policy: no-referrer/im)
        if (!good) expect(JSON.parse(answer.body).error.message).toBe(NO_URL)
      }
    }
    expect(logOf(worker)).toBe('')
  })

  test('has only one valid form', async () => {
    const key = keys.get('mine')!
    const opens = async (path: string) => (await at(path)).status
    expect(await opens(`/k/${key}/mcp/kept`)).toBe(200)
    expect(await opens(`/k/${key}/mcp/kept/`)).toBe(200)
    expect(await opens(`/k/${key}/mcp/kept?x=/y`)).toBe(200)
    expect(await opens(`/k/${key.replaceAll('_', '%5f')}/mcp/ke%70t`)).toBe(200)
    for (const path of [
      `//k/${key}/mcp/kept`,
      `/k//${key}/mcp/kept`,
      `/k/${key}//mcp/kept`,
      `/k/${key}/mcp//kept`,
      `/k/${key}/mcp/kept//`,
      `/k/${key}/mcp/../doctor`,
      `/k/${key}/mcp/%2e%2e/doctor/kept`,
      `/k/${key}/mcp%2fkept`,
      `/k/${key}/mcp/kept/more`,
      `/k/${key}/mcp/kept/x/../..`,
      `/k/${key}/mcp/x/../kept`,
      `/K/${key}/mcp/kept`,
      `/k/${key}`,
      `/k/${key}/`,
      '/k/',
      `/k/${key}/doctor/kept`,
      `/k/${key}/record/kept/demo/products/1`,
      `/k/${key}/sse`,
      `/k/${key}/api/endpoints`,
      `/k/${key}/k/${key}/mcp/kept`,
      `/k/${key}%20/mcp/kept`,
      `/k/%20${key}/mcp/kept`,
      `/k/${key}%00/mcp/kept`,
      `/k/${key}é/mcp/kept`,
      `/k/${key};x/mcp/kept`,
      `/k/${key.toLowerCase()}/mcp/kept`,
      `/k/${key.toUpperCase()}/mcp/kept`,
      `/k/${key}${'A'.repeat(5_000)}/mcp/kept`,
      '/k/tg_x/mcp/open',
      '/k/x/mcp/open',
      '/k/%zz/mcp/open',
      '/k/k/mcp/open',
    ]) {
      // Node rejects bytes that are not ASCII before our code runs.
      const none = onNode && path.includes('é') ? 400 : 404
      expect([path, await opens(path)]).toEqual([path, none])
    }
    expect(logOf(worker)).toBe('')
  })

  test('takes precedence over keys in headers', async () => {
    const kept = '/mcp/kept'
    for (const good of ['Authorization: Bearer k', `X-API-Key: ${keys.get('mine')}`]) {
      expect(outcomeOf(await at(by('forged') + kept, good))).toBe(NONE)
      expect(outcomeOf(await at(by('other') + kept, good))).toBe(NONE)
    }
    expect((await at(by('mine') + kept, 'Authorization: Bearer nonsense')).status).toBe(200)
  })

  test('works from any page, which can also read a refusal', async () => {
    const origin = 'Origin: http://evil.example'
    for (const [column, status] of [
      ['mine', 200],
      ['forged', 404],
    ] as const) {
      const answer = await at(`${by(column)}/mcp/kept`, origin)
      expect(answer.status).toBe(status)
      expect(answer.head).toMatch(/access-control-allow-origin: http:\/\/evil.example/i)
      const asked = await ask('OPTIONS', `${by(column)}/mcp/kept`, here, origin)
      expect([asked.status, asked.body]).toEqual([204, ''])
    }
    // With the key, any host is accepted.
    expect((await ask('POST', `${by('mine')}/mcp/kept`, 'evil.example')).status).toBe(200)
  })

  test('answers other methods like its endpoint', async () => {
    for (const method of ['GET', 'HEAD', 'DELETE', 'PUT']) {
      const status = async (column: string) =>
        (await ask(method, `${by(column)}/mcp/kept`, here)).status
      expect([method, await status('mine'), await status('forged')]).toEqual([method, 405, 404])
    }
  })

  test('shows a person a page without the key', async () => {
    const html = 'Accept: text/html'
    const page = await ask('GET', `${by('mine')}/mcp/kept`, here, html)
    expect(page.status).toBe(200)
    expect(page.head).toMatch(/^referrer-policy: no-referrer/im)
    expect(page.body).toContain('/k/KEY/mcp/kept')
    expectNoKey(page)
    expect((await ask('GET', `${by('forged')}/mcp/open`, here, html)).status).toBe(404)
  })
})

const initialize = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  },
})

describe('a session', () => {
  const send = (method: string, path: string, body: string, ...more: string[]) => {
    const head = [`${method} ${path} HTTP/1.1`, `Host: ${here}`, 'Content-Type: application/json']
    return worker.send([...head, 'Accept: application/json', ...more], body)
  }
  const open = async (path: string, ...more: string[]) => {
    const { head } = await send('POST', path, initialize, ...more)
    return `Mcp-Session-Id: ${/^mcp-session-id: (\S+)/im.exec(head)?.[1]}`
  }

  test('belongs to its key, whichever way the key is sent', async () => {
    const [mine, all] = [keys.get('mine'), keys.get('all')]
    const id = await open('/mcp/kept', `X-API-Key: ${mine}`)
    const status = async (path: string, ...more: string[]) =>
      (await send('POST', path, ping, id, ...more)).status
    expect(await status('/mcp/kept', `Authorization: Bearer ${mine}`)).toBe(200)
    expect(await status(`/k/${mine}/mcp/kept`)).toBe(200)
    expect(await status('/mcp/kept', `Authorization: Bearer ${all}`)).toBe(404)
    expect(await status(`/k/${all}/mcp/kept`)).toBe(404)
    expect(await status('/mcp/closed', `Authorization: Bearer ${mine}`)).toBe(404)
    expect(await status('/mcp/kept', 'Authorization: Bearer k')).toBe(404)
    expect(await status('/mcp/kept')).toBe(401)
    expect((await send('DELETE', `/k/${all}/mcp/kept`, '', id)).status).toBe(404)
    expect((await send('DELETE', `/k/${mine}/mcp/kept`, '', id)).status).toBe(204)
    expect(await status('/mcp/kept', `X-API-Key: ${mine}`)).toBe(404)
  })

  test('cannot be reached with the internal headers of its Durable Object', async () => {
    const mine = `X-API-Key: ${keys.get('mine')}`
    const id = await open('/mcp/kept', mine)
    for (const told of [
      { as: 'secret' },
      { as: 'hub' },
      { as: 'session', caller: { subject: 'key' } },
    ]) {
      const header = `X-MCP-Internal: ${encodeURIComponent(JSON.stringify(told))}`
      const { status, body } = await send('POST', '/mcp/kept', ping, id, mine, header)
      expect([status, JSON.parse(body)]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }])
    }
  })

  test('has no key in the message URL of the SSE transport', async () => {
    const { body } = await ask('GET', '/sse', here, `X-API-Key: ${keys.get('mine')}`)
    expect(body).toMatch(/event: endpoint\r?\ndata: \/sse\?sessionId=[\w.%-]+\r?\n/)
    expect(body).not.toContain('tg_')
  })
})

test('the doctor inspects up to twenty endpoints of the registry, and counts the rest', async () => {
  const many = await startPlainWorker({ TIDEGATE_KEY: 'k' }, REGISTRY_WORKER)
  try {
    const rows = rowsOf(many)
    for (let i = 10; i < 33; i++) await rows.endpoint(`shop-${i}`)
    const head = ['GET /doctor HTTP/1.1', 'Host: localhost', 'Authorization: Bearer k']
    const json = JSON.parse((await many.send([...head, 'Accept: application/json'])).body)
    const names = json.databases.map((it: { endpoint: string }) => it.endpoint)
    expect([names.length, names[0], names.at(-1), json.more]).toEqual([21, 'demo', 'shop-29', 3])
    expect((await many.send(head)).body).toMatch(/^3 more endpoints: open \/doctor\/NAME/m)
    // The first one is at /mcp, and the demo is no longer shown.
    const page = await many.send(['GET / HTTP/1.1', 'Host: localhost'])
    expect(page.body).toContain('It needs a key')
    expect(page.body).not.toMatch(/shop|Demo/)
  } finally {
    await many.stop()
  }
})
