import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cameFrom } from '../../support/came-from.ts'
import { askApi, operated } from '../../support/registry-api.ts'
import { CALLBACK, fieldOf, questionOf, type Shown, Visitor } from '../../support/visitor.ts'
import { type RunningWorker, startWorker } from '../../support/worker.ts'

const PASSPHRASE = 'seven otters guard the quiet harbor'

const databases = { demo: { url: 'demo:' } }

let worker: RunningWorker
let visitor: Visitor
let addresses = 0

beforeAll(async () => {
  worker = await startWorker({
    ...operated,
    TIDEGATE_PASSPHRASE: PASSPHRASE,
    ENDPOINTS: JSON.stringify([
      { name: 'shop', title: 'Shop', databases },
      { name: 'ledger', title: '<i>Ledger</i>', databases, sql: false },
    ]),
  })
  visitor = await person()
})
afterAll(() => worker?.close())

const someone = () => new Visitor(worker.url, cameFrom(`198.51.100.${++addresses}`))

async function person(): Promise<Visitor> {
  const who = someone()
  const { status } = await who.send('/signin', { passphrase: PASSPHRASE })
  expect(status).toBe(303)
  return who
}

const ask = (more: Parameters<typeof questionOf>[1] = {}) => questionOf(worker.url, more)

/** Submits a decision on a page. */
const decide = (url: string, page: Shown, more: Record<string, string | readonly string[]> = {}) =>
  visitor.send(url, {
    handle: fieldOf(page, 'handle'),
    scope: 'db:read',
    decision: 'allow',
    ...more,
  })

/** The endpoints on a page, with the ticked ones marked. */
const endpointsOn = ({ text }: Shown) =>
  [...text.matchAll(/name="endpoint" value="([^"]*)"( checked)?/g)].map(([, name, ticked]) =>
    ticked ? `${name} ticked` : name,
  )

describe('the consent page', () => {
  test('shows the app, its callback address, the person, the rights and the duration', async () => {
    const metadata = { client_name: 'Notes helper' }
    const { status, words } = await visitor.open(await ask({ metadata }))
    expect(status).toBe(200)
    for (const said of [
      'Notes helper asks to read your databases',
      'its name is not verified',
      '127.0.0.1 (this computer)',
      'Signed in as passphrase',
      'Read the databases',
      'It can never write',
      'list_tables',
      'ends after 90 days without use',
      'ends within 10 seconds',
      'Not you? Sign out',
    ]) {
      expect(words).toContain(said)
    }
  })

  test('offers all endpoints at /mcp, with the first one ticked', async () => {
    expect(endpointsOn(await visitor.open(await ask()))).toEqual(['shop ticked', 'ledger'])
  })

  test('lists the available tools, without free-form SQL if it is turned off', async () => {
    const { words } = await visitor.open(await ask({ path: '/mcp/ledger' }))
    expect(words).toMatch(/\blist_tables, describe_table, query_table(?!,)/)
  })

  test('says that a person may use no endpoint, and what the operator must type', async () => {
    const eve = 'eve@example.com'
    const group = { name: 'visitors', people: [eve], endpoints: {} }
    expect((await askApi(worker, 'POST', '/api/groups', group)).status).toBe(201)
    const { json } = await askApi(worker, 'POST', '/api/signin-codes', { person: eve })
    const who = someone()
    await who.send('/signin', { passphrase: json.code })
    const { status, words } = await who.open(await ask())
    expect(status).toBe(403)
    expect(words).toContain('no endpoint that you may use')
    expect(words).toContain(`npx tidegate endpoint add NAME --to ${worker.url} `)
  })

  test('offers only the endpoint that was requested by name', async () => {
    const page = await visitor.open(await ask({ path: '/mcp/ledger' }))
    expect(endpointsOn(page)).toEqual(['ledger ticked'])
  })

  test('escapes and bounds text from a stranger', async () => {
    const name = `"><script>alert(1)</script>' ${'x'.repeat(5_000)}`
    const { text, words } = await visitor.open(await ask({ metadata: { client_name: name } }))
    expect(text).not.toContain('<script')
    expect(text).not.toContain('<i>Ledger')
    expect(words).toContain('"><script>alert(1)</script>')
    expect(text.length).toBeLessThan(20_000)
  })

  test('shows a name without its invisible and text-reversing characters', async () => {
    const name = 'A\u202eb\u200b\u0000c\n\n d\u2066e'
    const { text, words } = await visitor.open(await ask({ metadata: { client_name: name } }))
    expect(words).toContain('Abc de asks to read')
    expect(text).not.toMatch(/[\u202e\u200b\u2066\0]/)
  })

  test('puts the refusing button first if nobody vouches for the app', async () => {
    const { text } = await visitor.open(await ask())
    expect(text.indexOf('value="deny"')).toBeLessThan(text.indexOf('value="allow"'))
    expect(text).toMatch(/class="main" name="decision" value="deny"/)
  })

  test.each([
    ['Claude', true],
    ['C1aude  Desktop', true],
    ['CHAT-GPT', true],
    ['Сlaude', true],
    ['Cursor', true],
    ['Notes helper', false],
  ])('warns only about an app that is named like another: %s', async (client_name, isWarned) => {
    const metadata = { client_name, redirect_uris: ['https://evil.example/callback'] }
    const { text } = await visitor.open(await ask({ metadata }))
    expect(/class="note wrong"/.test(text)).toBe(isWarned)
  })

  test('shows no warning for a known name at its own address', async () => {
    const metadata = { client_name: 'Claude', redirect_uris: ['https://claude.ai/api/callback'] }
    expect((await visitor.open(await ask({ metadata }))).text).not.toContain('class="note wrong"')
  })

  test('runs no scripts, loads nothing, and cannot be framed or cached', async () => {
    const { headers, text } = await visitor.open(await ask())
    const nonce = /<style nonce="(\w{22})">/.exec(text)?.[1]
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'nonce-${nonce}'; frame-ancestors 'none'; base-uri 'none'`,
    )
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).not.toMatch(/<script|\son\w+=|<img|<link|src=|url\(/)
    // An app's popup has to stay under the app's control.
    expect(headers.get('cross-origin-opener-policy')).toBe(null)
    expect(text).toMatch(/<html lang="en">/)
  })
})

describe('a decision', () => {
  test('goes to the app with a code or an error', async () => {
    for (const [decision, told] of [
      ['allow', 'code'],
      ['deny', 'error'],
    ] as const) {
      const question = await ask()
      const page = await visitor.open(question)
      const { status, location } = await decide(question, page, { decision, endpoint: 'shop' })
      expect(status).toBe(303)
      expect(location!.startsWith(`${CALLBACK}?`)).toBe(true)
      const { searchParams } = new URL(location!)
      expect(searchParams.get(told)).toBeTruthy()
      expect([searchParams.get('state'), searchParams.get('iss')]).toEqual([
        'the state',
        worker.url,
      ])
    }
  })

  test.each([[[]], [['nowhere']], [['Shop']]])(
    'must include an offered endpoint: %j',
    async (endpoint) => {
      const question = await ask()
      const page = await visitor.open(question)
      const again = await decide(question, page, { endpoint })
      expect([again.status, again.location]).toEqual([400, null])
      expect(again.words).toContain('Nothing is ticked')
      expect(again.text).toMatch(/role="alert"/)
      expect((await decide(question, again, { endpoint: 'ledger' })).status).toBe(303)
    },
  )

  test('counts only once, in the browser that opened the page', async () => {
    const question = await ask()
    const page = await visitor.open(question)
    const form = { handle: fieldOf(page, 'handle'), endpoint: 'shop', decision: 'allow' }
    const elsewhere = await (await person()).send(question, form)
    const first = await visitor.send(question, form)
    const second = await visitor.send(question, form)
    expect([elsewhere.status, first.status, second.status]).toEqual([400, 303, 400])
    for (const { words, text, reference } of [elsewhere, second]) {
      expect(words).toContain('used already, is older than ten minutes, or was opened in another')
      expect(text).toContain('<a href="/authorize?')
      expect(reference).toBeTruthy()
    }
  })

  test('from a browser that is no longer signed in leads to the sign-in', async () => {
    const question = await ask()
    const answer = await someone().send(question, { handle: 'x', decision: 'allow' })
    expect(answer.location).toBe(null)
    expect(answer.text).toContain('name="passphrase"')
  })
})

describe('an authorization request', () => {
  test('for a missing endpoint lists the existing endpoints', async () => {
    const question = await ask({ path: '/mcp/nowhere' })
    const page = await visitor.open(question)
    expect(page.status).toBe(403)
    expect(page.words).toContain('There is no endpoint nowhere here')
    expect(page.words).toContain(`${worker.url}/mcp/ledger`)
    expect(endpointsOn(page)).toEqual([])
    const back = await decide(question, page, { decision: 'deny' })
    expect(back.location).toContain('error=access_denied')
    const forced = await visitor.send(question, {
      handle: fieldOf(await visitor.open(question), 'handle'),
      endpoint: ['nowhere', 'shop'],
      decision: 'allow',
    })
    expect([forced.status, forced.location]).toEqual([403, null])
  })

  test.each([
    ['an unknown app', { client_id: 'nobody' }, /not known here/],
    ['no app', { client_id: '' }, /malformed/],
    [
      'an address that is not registered',
      { redirect_uri: 'https://evil.example/' },
      /not registered/,
    ],
    ['an address like the registered one', { redirect_uri: `${CALLBACK}/../x` }, /./],
  ])('with %s gets a page that says what to do', async (_, more, said) => {
    const { status, location, words, reference } = await visitor.open(await ask(more))
    expect([status, location]).toEqual([400, null])
    expect(words).toMatch(said)
    if (!/ambiguous/.test(words)) expect(reference).toMatch(/^\w{8}$/)
  })

  test('with a fault is reported to the app once somebody is signed in', async () => {
    const question = await ask({ code_challenge: '' })
    expect((await someone().open(question)).text).toContain('name="passphrase"')
    const { status, location } = await visitor.open(question)
    expect(status).toBe(303)
    expect(new URL(location!).searchParams.get('error')).toBe('invalid_request')
  })

  test('with prompt=login asks the person to sign in again, once', async () => {
    const question = await ask({ prompt: 'login' })
    const who = await person()
    expect((await who.open(question)).text).toContain('name="passphrase"')
    const { location } = await who.send(question, { passphrase: PASSPHRASE })
    expect(location).not.toContain('prompt')
    expect((await who.open(location!)).text).toContain('name="handle"')
  })

  test('with prompt=consent gets the usual page', async () => {
    expect((await visitor.open(await ask({ prompt: 'consent' }))).status).toBe(200)
  })

  test('with prompt=none is answered without a page', async () => {
    const question = await ask({ prompt: 'none' })
    for (const [who, error] of [
      [visitor, 'interaction_required'],
      [someone(), 'login_required'],
    ] as const) {
      const { status, location } = await who.open(question)
      expect([status, location!.startsWith(`${CALLBACK}?`)]).toEqual([303, true])
      const { searchParams } = new URL(location!)
      expect(Object.fromEntries(searchParams)).toEqual({
        error,
        state: 'the state',
        iss: worker.url,
      })
    }
  })

  test('with prompt=none sends no stranger to an address that anybody can register', async () => {
    const redirect_uris = ['https://anybody.example/']
    const question = await ask({ prompt: 'none', metadata: { redirect_uris } })
    const { status, location, text } = await someone().open(question)
    expect([status, location]).toEqual([200, null])
    expect(text).toContain('name="passphrase"')
  })
})

describe('a link to an address that anybody can register', () => {
  const redirect_uris = ['https://anybody.example/back']
  const elsewhere = { metadata: { client_name: 'A stranger', redirect_uris } }

  /** A named person, signed in with a code that was made for them. */
  async function named(): Promise<Visitor> {
    const made = await askApi(worker, 'POST', '/api/signin-codes', { person: 'ada@example.com' })
    const who = someone()
    expect((await who.send('/signin', { passphrase: made.json.code })).status).toBe(303)
    return who
  }

  /** Faults that the library and our own rules report to the app's address. */
  const WRONG: readonly Record<string, string>[] = [
    { response_type: 'token' },
    { code_challenge_method: 'plain' },
    { code_challenge: '' },
    { resource: 'https://elsewhere.example/mcp' },
    { scope: 'no such scope' },
    { scope: '"' },
  ]

  test.each(WRONG)('redirects nobody there because of a fault: %j', async (wrong) => {
    const question = await ask(elsewhere)
    const url = new URL(question, worker.url)
    for (const [name, value] of Object.entries(wrong)) url.searchParams.set(name, value)
    for (const prompt of ['', 'none', 'login', 'consent']) {
      if (prompt) url.searchParams.set('prompt', prompt)
      for (const who of [visitor, await named(), someone()]) {
        const { status, location, text, words } = await who.open(url.pathname + url.search)
        expect([prompt, location]).toEqual([prompt, null])
        if (status === 200) continue
        expect(status).toBe(400)
        if (!words.includes('Its answer goes to')) continue
        expect(words).toContain('Its answer goes to anybody.example.')
        expect(text).toContain('href="https://anybody.example/back?error=')
      }
    }
  })

  test('shows that address first, even with prompt=none, until the app is allowed', async () => {
    const question = await ask(elsewhere)
    const silent = `${question}&prompt=none`
    const ada = await named()
    const page = await ada.open(silent)
    expect([page.status, page.location]).toEqual([200, null])
    expect(page.words).toContain('The answer goes to anybody.example')
    const done = await ada.send(silent, {
      ...{ handle: fieldOf(page, 'handle'), scope: 'db:read', decision: 'allow' },
      endpoint: 'shop',
    })
    expect(done.location).toMatch(/^https:\/\/anybody\.example\/back\?.*code=/)
    expect((await ada.open(silent)).location).toContain('error=interaction_required')
    const fault = new URL(question, worker.url)
    fault.searchParams.set('code_challenge', '')
    const known = await ada.open(fault.pathname + fault.search)
    expect(known.location).toMatch(/^https:\/\/anybody\.example\/back\?error=/)
    // This does not hold for another app, or for people who share a passphrase.
    expect((await ada.open(`${await ask(elsewhere)}&prompt=none`)).location).toBeNull()
    expect((await visitor.open(silent)).location).toBeNull()
  })
})

describe('an unexpected request', () => {
  test('gets 404 for an unknown path, and 405 for another method', async () => {
    for (const path of ['/signin/other', '/signout']) {
      const { status, text } = await visitor.open(path)
      expect([path, status]).toEqual([path, 404])
      expect(text).toContain('<h1>')
    }
    const put = await fetch(`${worker.url}/signin`, { method: 'PUT' })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    await put.body?.cancel()
  })
})
