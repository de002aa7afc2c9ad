import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startIdentityProvider } from '../../servers/identity-provider.ts'
import {
  type App,
  Browser,
  CALLBACK,
  codeFor,
  exchange,
  handleIn,
  hiddenIn,
  PASSPHRASE,
  type Browser as Person,
  person,
  question,
  refresh,
  register,
  type Scene,
  startScene,
  type Tokens,
  tokens,
} from './scene.ts'

let scene: Scene
let browser: Person
let app: App
let given: Tokens
beforeAll(async () => {
  scene = await startScene()
  browser = await person(scene)
  app = await register(scene)
  given = await tokens(scene, browser, app)
})
afterAll(() => scene.stop())

/** An address from which no other request came. */
let addresses = 0
const from = (address = ++addresses) => ({
  'cf-connecting-ip': `198.${18 + (address >> 16)}.${(address >> 8) & 255}.${address & 255}`,
})

/** Sends many requests, some at a time. */
async function flood<T>(count: number, send: (i: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  let next = 0
  const line = async () => {
    while (next < count) answers.push(await send(next++))
  }
  await Promise.all(Array.from({ length: 32 }, line))
  return answers
}

const registration = JSON.stringify({
  client_name: 'An app',
  redirect_uris: [CALLBACK],
  token_endpoint_auth_method: 'none',
})

async function registerFrom(address: Record<string, string>): Promise<number> {
  const headers = { 'content-type': 'application/json', ...address }
  const sent = { method: 'POST', headers, body: registration }
  const answer = await fetch(`${scene.origin}/register`, sent)
  await answer.arrayBuffer()
  return answer.status
}

test('one network cannot keep others from going to the provider', async () => {
  const provider = await startIdentityProvider()
  const other = await startScene({
    SIGN_IN_ISSUER: provider.issuer,
    SIGN_IN_CLIENT_ID: provider.clientId,
    SIGN_IN_CLIENT_SECRET: provider.clientSecret,
    SIGN_IN_ALLOW: '*',
  })
  try {
    const { path } = question(app)
    const own = { origin: other.origin, 'sec-fetch-site': 'same-origin' }
    const go = async (address: Record<string, string>) =>
      (
        await other.ask('POST', path, {
          form: { way: 'provider' },
          headers: { ...own, ...address },
        })
      ).status
    const one = from()
    // Nothing is stored for unfinished sign-ins, so nothing can be filled up.
    const statuses = await flood(400, () => go(one))
    expect(new Set(statuses)).toEqual(new Set([303]))
    expect(await go(from())).toBe(303)
  } finally {
    await other.stop()
    await provider.close()
  }
})

describe('guessing', () => {
  const guess = async (address: Record<string, string>, passphrase: string) => {
    const stranger = new Browser(scene)
    const { path } = question(app)
    const form = hiddenIn(await stranger.ask('GET', path))
    form.set('passphrase', passphrase)
    const headers = { origin: scene.origin, 'sec-fetch-site': 'same-origin', ...address }
    const answer = await stranger.ask('POST', path, { form, headers })
    return answer.status
  }

  test('the passphrase or a code is stopped per network, even if simultaneous', async () => {
    const one = from()
    const statuses = await flood(100, (i) =>
      guess(one, i % 2 ? `guess ${i}` : 'ABCD-EFGH-JKLM-NPQR'),
    )
    expect(statuses.filter((it) => it !== 429).length).toBeLessThanOrEqual(32)
    expect(statuses.filter((it) => it === 303)).toEqual([])
    // The right passphrase is refused, too. Otherwise, the response would reveal it.
    expect(await guess(one, PASSPHRASE)).toBe(429)
    expect(await guess(from(), PASSPHRASE)).toBe(303)
  })

  test('from an IPv6 network counts as one source', async () => {
    const statuses = await flood(60, (i) =>
      guess({ 'cf-connecting-ip': `2001:db8:1:2::${i.toString(16)}` }, `guess ${i}`),
    )
    expect(statuses).toContain(429)
  })

  test('tokens is stopped per network, and a valid token still works', async () => {
    const one = from()
    const made = (i: number) => `${'A'.repeat(43)}:${'B'.repeat(16)}:${`${i}`.padStart(32, 'C')}`
    const statuses = await flood(
      300,
      async (i) => (await scene.tools(made(i), '/mcp', { headers: one })).status,
    )
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    expect((await scene.tools(given.access_token, '/mcp', { headers: from() })).status).toBe(200)
  })

  test('names does not reveal which endpoints exist', async () => {
    const answers = await flood(50, async (i) => {
      const path = `/mcp/${['shop', 'books', `none-${i}`][i % 3]}`
      const { status, headers, text } = await scene.tools(undefined, path, { headers: from() })
      const challenge = headers.get('www-authenticate')!.replace(path, '')
      return JSON.stringify([status, challenge, text])
    })
    expect(new Set(answers).size).toBe(1)
  })
})

describe('a body that is too large is refused, with or without its length', () => {
  const large = `${'x'.repeat(2_000_000)}`

  test.each(['/register', '/token', '/authorize', '/signin', '/signout'])('%s', async (path) => {
    for (const chunked of [false, true]) {
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
        const headers = { 'content-type': type }
        const answer = await scene.ask('POST', path, { body: large, chunked, headers })
        expect([path, chunked, answer.status]).toEqual([path, chunked, 413])
        expect(answer.text.length).toBeLessThan(10_000)
      }
    }
  })

  test('and so is a registration with too many entries', async () => {
    const uris = Array.from({ length: 10_000 }, (_, i) => `https://app.example/${i}`)
    const many = { redirect_uris: uris }
    expect((await scene.ask('POST', '/register', { json: many })).status).toBe(413)
    for (const metadata of [
      { redirect_uris: uris.slice(0, 1_500) },
      { client_name: 'x'.repeat(60_000) },
      { contacts: uris.slice(0, 1_500) },
      { client_uri: `https://app.example/${'x'.repeat(60_000)}` },
      { redirect_uris: [`https://app.example/${'x'.repeat(60_000)}`] },
    ]) {
      const headers = from()
      const json = { redirect_uris: [CALLBACK], ...metadata }
      const { status } = await scene.ask('POST', '/register', { json, headers })
      expect([Object.keys(metadata), [201, 400].includes(status)]).toEqual([
        ...[Object.keys(metadata), true],
      ])
    }
  })

  test('and a deeply nested or invalid body gets a client error', async () => {
    for (const body of [
      '['.repeat(30_000),
      `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
      `{"redirect_uris":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      `{"a":`.repeat(10_000),
      'null',
      '"x"',
      '1e999',
      '{"__proto__":{"redirect_uris":["https://app.example/"]}}',
      '\u0000',
      '',
    ]) {
      const answer = await scene.ask('POST', '/register', { body, headers: from() })
      expect([body.slice(0, 30), answer.status]).toEqual([body.slice(0, 30), 400])
      expect(answer.json.error).toMatch(/^invalid_/)
    }
  })
})

describe('long strings', () => {
  test('in a request cause no large page and no server error', async () => {
    const long = 'x'.repeat(5_000)
    for (const more of [
      { state: long },
      { scope: long },
      { scope: Array.from({ length: 1_000 }, (_, i) => `s${i}`).join(' ') },
      { resource: `${scene.origin}/mcp/${long}` },
      { client_id: long },
      { redirect_uri: `https://app.example/${long}` },
      { nonce: long },
    ]) {
      const { status, text } = await browser.ask('GET', question(app, more).path)
      expect([Object.keys(more), status < 500]).toEqual([Object.keys(more), true])
      expect(text.length).toBeLessThan(60_000)
    }
  })

  test('in a code exchange cause no server error', async () => {
    const asked = question(app)
    const code = await codeFor(browser, asked)
    const long = 'x'.repeat(20_000)
    for (const more of [
      { code: long },
      { client_id: long },
      { code_verifier: long },
      { redirect_uri: long },
      { resource: long },
      { scope: long },
      { grant_type: long },
    ]) {
      const { status } = await exchange(scene, app, asked, code, more)
      expect([Object.keys(more), status < 500]).toEqual([Object.keys(more), true])
    }
  })
})

// This runs last, since it leaves no room for another app. Ten thousand end the same way, in a minute.
describe('thousands of registrations', () => {
  test('from one network are stopped, while others can register', async () => {
    const one = from()
    const statuses = await flood(200, () => registerFrom(one))
    expect(statuses.filter((it) => it === 201).length).toBeLessThanOrEqual(100)
    expect(new Set(statuses)).toEqual(new Set([201, 429]))
    expect(await registerFrom(from())).toBe(201)
  })

  test('from many networks do not fill the storage or end a sign-in', async () => {
    const statuses = await flood(3_000, () => registerFrom(from()))
    expect(statuses.filter((it) => ![201, 429, 503].includes(it))).toEqual([])
    // The app in use keeps its tokens.
    expect((await scene.tools(given.access_token)).status).toBe(200)
    const refreshed = await refresh(scene, app, given.refresh_token)
    expect(refreshed.status).toBe(200)
    expect(handleIn(await browser.ask('GET', question(app).path))).not.toBe('')
  })
})

test('no flood caused a server error', () => {
  expect(scene.log()).not.toMatch(/Something went wrong|Uncaught/)
})
