import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tidegate } from '../support/command-line.ts'
import { startNodeWorker } from '../support/node-worker.ts'
import { type PlainWorker, startPlainWorker } from '../support/plain-worker.ts'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { HELLO, registeredApp, send } from '../support/sign-in.ts'
import { startWorker } from '../support/worker.ts'

/** The real time after which revoked access must be refused. */
const BOUND_MS = 10_000

const PASSPHRASE = 'tulip harbor seven lanterns'

let worker: PlainWorker
let origin: string
beforeAll(async () => {
  const databases = { demo: { url: 'demo:' } }
  const endpoints = ['shop', 'stock'].map((name) => ({ name, title: name, databases }))
  const ENDPOINTS = JSON.stringify(endpoints)
  worker = await startPlainWorker({ ...operated, TIDEGATE_PASSPHRASE: PASSPHRASE, ENDPOINTS })
  origin = `http://127.0.0.1:${worker.port}`
})
afterAll(() => worker.stop())

const ask = (method: string, path: string, body?: unknown) =>
  askApi({ url: origin }, method, path, body)

/** Opens a session with a token, and a stream that stays open. */
async function session(token: string) {
  const answer = await send(`${origin}/mcp`, token, 'initialize', HELLO)
  await answer.text()
  const headers = { 'mcp-session-id': answer.headers.get('mcp-session-id')! }
  const stream = await fetch(`${origin}/mcp`, {
    headers: { ...headers, authorization: `Bearer ${token}`, accept: 'text/event-stream' },
  })
  const ended = stream.text().catch(() => undefined)
  const list = async () => {
    const answer = await send(`${origin}/mcp`, token, 'tools/list', {}, headers)
    await answer.text()
    return answer.status
  }
  return { status: stream.status, ended, list }
}

test('a revoked grant is refused within ten seconds, and its stream ends', async () => {
  const app = await registeredApp(origin, PASSPHRASE)
  const [mine, other] = [await app.signIn(), await app.signIn()]
  const [first, second] = [await session(mine.access), await session(other.access)]
  expect([first.status, await first.list(), second.status, await second.list()]).toEqual(
    Array(4).fill(200),
  )
  const { json } = await ask('GET', '/api/grants')
  expect(json).toMatchObject({ total: 2, grants: [{ person: 'passphrase' }, {}] })
  const ids: string[] = json.grants.map(({ id }: { id: string }) => id)
  const id = ids.find((it) => mine.access.includes(it.slice(3)))
  expect((await ask('DELETE', `/api/grants/${id}`)).status).toBe(204)
  expect((await ask('DELETE', `/api/grants/${id}`)).status).toBe(404)
  expect(await app.refresh(mine.refresh)).toMatchObject({
    status: 400,
    json: { error: 'invalid_grant' },
  })
  await sleep(BOUND_MS)
  expect([await first.list(), await second.list()]).toEqual([401, 200])
  await first.ended
  expect(await Promise.race([second.ended, Promise.resolve('open')])).toBe('open')
  expect((await app.refresh(other.refresh)).status).toBe(200)
})

test('a grant for a deleted endpoint does not cover its namesake', async () => {
  const make = () => {
    const databases = { demo: { url: 'demo:' } }
    return ask('POST', '/api/endpoints', { name: 'crm', title: 'CRM', databases })
  }
  expect((await make()).status).toBe(201)
  const app = await registeredApp(origin, PASSPHRASE)
  const [one, all] = [await app.signIn('/mcp/crm'), await app.signIn()]
  const status = async (token: string, path = '/mcp/crm') =>
    (await send(`${origin}${path}`, token, 'initialize', HELLO)).status
  expect([await status(one.access), await status(all.access)]).toEqual([200, 200])

  expect((await ask('DELETE', '/api/endpoints/crm')).status).toBe(204)
  expect((await make()).status).toBe(201)
  const refreshed = (await app.refresh(all.refresh)).json.access_token
  for (const it of [one.access, all.access, refreshed]) expect(await status(it)).toBe(401)
  expect(await status(refreshed, '/mcp')).toBe(200)
  expect(await status((await app.signIn('/mcp/crm')).access)).toBe(200)
})

test('grants that a person makes while the operator ends all of theirs are ended, too', async () => {
  const databases = { demo: { url: 'demo:' } }
  const ENDPOINTS = JSON.stringify([{ name: 'shop', title: 'Shop', databases }])
  // On Node, where the requests of one object are served in between each other.
  const node = await startNodeWorker({ ...operated, TIDEGATE_PASSPHRASE: PASSPHRASE, ENDPOINTS })
  const person = 'mallory@example.com'
  try {
    for (let round = 0; round < 12; round++) {
      const { json } = await askApi(node, 'POST', '/api/signin-codes', { person })
      const app = await registeredApp(node.url, json.code)
      const asked = []
      for (let i = 0; i < 3; i++) asked.push(await app.ready())
      const allowed = Promise.allSettled(asked.map((allow) => allow()))
      const ended = await askApi(node, 'DELETE', `/api/grants?person=${person}`)
      expect(ended.status).toBe(200)
      await allowed
      const { json: left } = await askApi(node, 'GET', `/api/grants?person=${person}`)
      expect(left.grants).toEqual([])
    }
  } finally {
    await node.close()
  }
})

describe('the sign-in API', () => {
  test('creates a code for a person, and ends all of their grants and sessions', async () => {
    const { status, json } = await ask('POST', '/api/signin-codes', { person: 'ada@example.com' })
    expect(status).toBe(201)
    expect(json.code).toMatch(/^(?:[A-Z2-9]{4}-){3}[A-Z2-9]{4}$/)
    expect(Date.parse(json.expiresAt)).toBeGreaterThan(Date.now())
    const app = await registeredApp(origin, json.code)
    const tokens = await app.signIn()
    await app.signIn('/mcp/shop')
    const listed = await ask('GET', '/api/grants?person=ADA@example.com')
    expect(listed.json.grants.map(({ person }: { person: string }) => person)).toEqual([
      'ada@example.com',
      'ada@example.com',
    ])
    const ended = await ask('DELETE', '/api/grants?person=ada@example.com')
    expect([ended.status, ended.json]).toEqual([200, { revoked: 2 }])
    expect((await app.refresh(tokens.refresh)).json.error).toBe('invalid_grant')
    // Their browser is no longer signed in, and the code has been used.
    await expect(app.signIn()).rejects.toThrow()
    const { json: events } = await ask('GET', '/api/signin-events?limit=2')
    expect(events.events).toHaveLength(2)
    expect(events.events.map(({ kind }: { kind: string }) => kind)).not.toContain(undefined)
    expect(JSON.stringify(events)).not.toContain(json.code)
  })

  test.each([
    ['POST', '/api/signin-codes', { person: 'group:analysts' }, 'person'],
    ['POST', '/api/signin-codes', { person: 'Group:analysts' }, 'person'],
    ['POST', '/api/signin-codes', { person: 'key:x' }, 'person'],
    ['POST', '/api/signin-codes', { person: 'a\nb' }, 'person'],
    ['POST', '/api/signin-codes', { who: 'ada' }, 'who'],
    ['POST', '/api/keys', { label: 'x', endpoints: ['*'], person: 'group:analysts' }, 'person'],
    ['GET', '/api/grants?cursor=x', undefined, 'cursor'],
    ['GET', '/api/grants?limit=201', undefined, 'limit'],
    ['DELETE', '/api/grants', undefined, 'person'],
    ['GET', '/api/signin-events?limit=2001', undefined, 'limit'],
  ])('refuses %s %s %j', async (method, path, body, field) => {
    const { status, json } = await ask(method, path, body)
    expect(status).toBe(422)
    expect(json.error).toMatchObject({ code: 'invalid', message: expect.stringContaining(field) })
  })

  test('accepts a provider group as a member of a group', async () => {
    const group = { name: 'analysts', people: ['group:analysts'], endpoints: { stock: {} } }
    expect((await ask('POST', '/api/groups', group)).status).toBe(201)
    await ask('DELETE', '/api/groups/analysts')
  })

  test('returns 404 for an ID that belongs to no grant', async () => {
    for (const id of ['x', 'gr_0000000000000000', 'gr_%2e%2e', 'grant:x'])
      expect((await ask('DELETE', `/api/grants/${id}`)).status).toBe(404)
  })

  test('is open only to the operator', async () => {
    const path = `${origin}/api/grants`
    expect((await fetch(path)).status).toBe(401)
    const app = await registeredApp(origin, PASSPHRASE)
    const { access } = await app.signIn()
    expect((await fetch(path, { headers: { authorization: `Bearer ${access}` } })).status).toBe(401)
  })

  test('says what to set if nobody can sign in', async () => {
    const plain = await startWorker({ TIDEGATE_KEY: OPERATOR_KEY })
    try {
      for (const [method, path] of [
        ['GET', '/api/grants'],
        ['POST', '/api/signin-codes'],
        ['GET', '/api/signin-events'],
        ['DELETE', '/api/grants?person=ada'],
      ]) {
        const { status, json } = await askApi(
          plain,
          method!,
          path!,
          method === 'POST' ? {} : undefined,
        )
        expect(status).toBe(503)
        expect(json.error.message).toContain('TIDEGATE_PASSPHRASE')
      }
      expect((await askApi(plain, 'GET', '/api/status')).json).not.toHaveProperty('signInsToReseal')
    } finally {
      await plain.close()
    }
  })
})

const form = { 'content-type': 'application/x-www-form-urlencoded' }

test.each([
  ['/token', `code=${'x'.repeat(65 * 1024)}`, 413],
  ['/token', new Uint8Array([255]), 400],
  ['/register', `{"client_name":"${'x'.repeat(65 * 1024)}"}`, 413],
  ['/register', new Uint8Array([255]), 400],
])(
  'a body sent to %s that is too long or not text is refused with an OAuth error',
  async (path, body, status) => {
    const answer = await fetch(origin + path, { method: 'POST', headers: form, body })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({
      error: 'invalid_request',
      error_description: expect.stringMatching(/^The body .*\.$/),
    })
  },
)

describe('the command line', () => {
  const run = (...args: string[]) =>
    tidegate(args, { vars: { TIDEGATE_KEY: OPERATOR_KEY, TIDEGATE_URL: origin } })

  test('creates a code, lists and revokes grants, and shows the events', async () => {
    const made = await run('signin-code', '--person', 'eve@example.com')
    expect(made.code).toBe(0)
    expect(made.stdout).toMatch(/^(?:[A-Z2-9]{4}-?){4}\n$/)
    expect(made.stderr).toContain('It works once, until ')
    const app = await registeredApp(origin, made.stdout.trim())
    const [first] = [await app.signIn(), await app.signIn(), await app.signIn()]

    const listed = await run('grant', 'list', '--person', 'eve@example.com', '--json')
    const ids: string[] = JSON.parse(listed.stdout).map(({ id }: { id: string }) => id)
    expect(ids).toHaveLength(3)
    const text = await run('grant', 'list')
    for (const id of ids) expect(text.stdout).toMatch(new RegExp(`^${id} +eve@example\\.com`, 'm'))

    const id = ids.find((it) => first!.access.includes(it.slice(3)))!
    expect(await run('grant', 'revoke', id)).toMatchObject({ code: 3 })
    expect((await app.refresh(first!.refresh)).status).toBe(200)
    expect(await run('grant', 'revoke', id, '--yes')).toMatchObject({
      code: 0,
      stdout: `Ended ${id}. Takes effect everywhere within 10 seconds.\n`,
    })
    expect((await app.refresh(first!.refresh)).status).toBe(400)
    const gone = await run('grant', 'revoke', id, '--yes')
    expect(gone).toMatchObject({ code: 1, stderr: 'The grant does not exist.\n' })
    expect(await run('grant', 'revoke', '--person', 'eve@example.com', '--yes')).toMatchObject({
      code: 0,
      stdout: 'Ended 2 grants of eve@example.com. Takes effect everywhere within 10 seconds.\n',
    })
    for (const args of [[], [id, '--person', 'eve@example.com'], [id, id]])
      expect(await run('grant', 'revoke', ...args, '--yes')).toMatchObject({ code: 2, stdout: '' })

    const events = await run('signin-events', '--last', '2')
    expect(events.stdout.trimEnd().split('\n')).toHaveLength(3)
    expect(events.stdout).toMatch(/grant revoked +eve@example\.com .*The operator revoked it\./)
    expect(await run('signin-events', '--last', 'x')).toMatchObject({ code: 2 })
  })

  test('reseals the stored sign-in values, and counts them', async () => {
    const { json } = await ask('GET', '/api/status')
    expect(json.signInsToReseal).toBe(0)
    expect(await run('reseal')).toMatchObject({
      code: 0,
      stdout: 'Encrypted 0 credentials, and 0 sign-in values, again.\n',
    })
  })
})
