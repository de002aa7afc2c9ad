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

/** Decides on a page. */
const decide = (url: string, page: Shown, more: Record<string, string | readonly string[]> = {}) =>
  visitor.send(url, {
    handle: fieldOf(page, 'handle'),
    scope: 'db:read',
    decision: 'allow',
    ...more,
  })

/** The endpoints of a page, and which are ticked. */
const endpointsOn = ({ text }: Shown) =>
  [...text.matchAll(/name="endpoint" value="([^"]*)"( checked)?/g)].map(([, name, ticked]) =>
    ticked ? `${name} ticked` : name,
  )

describe('the page of consent', () => {
  test('says who asks, where the answer goes, as whom, what may be read and how long', async () => {
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
      'not used for 90 days',
      'ends within 10 seconds',
      'Not you? Sign out',
    ]) {
      expect(words).toContain(said)
    }
  })

  test('offers all endpoints at /mcp, with the first one ticked', async () => {
    expect(endpointsOn(await visitor.open(await ask()))).toEqual(['shop ticked', 'ledger'])
  })

  test('names the tools that are listed, and not free SQL where it is turned off', async () => {
    const { words } = await visitor.open(await ask({ path: '/mcp/ledger' }))
    expect(words).toMatch(/\blist_tables, describe_table, query_table(?!,)/)
  })

  test('tells who may read nothing so, and the operator what to type', async () => {
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

  test('offers the one endpoint that was asked for by its name', async () => {
    const page = await visitor.open(await ask({ path: '/mcp/ledger' }))
    expect(endpointsOn(page)).toEqual(['ledger ticked'])
  })

  test('writes nothing of a stranger as HTML, and bounds it', async () => {
    const name = `"><script>alert(1)</script>' ${'x'.repeat(5_000)}`
    const { text, words } = await visitor.open(await ask({ metadata: { client_name: name } }))
    expect(text).not.toContain('<script')
    expect(text).not.toContain('<i>Ledger')
    expect(words).toContain('"><script>alert(1)</script>')
    expect(text.length).toBeLessThan(20_000)
  })

  test('shows a name without what turns a line around or is not seen', async () => {
    const name = 'A\u202eb\u200b\u0000c\n\n d\u2066e'
    const { text, words } = await visitor.open(await ask({ metadata: { client_name: name } }))
    expect(words).toContain('Abc de asks to read')
    expect(text).not.toMatch(/[\u202e\u200b\u2066\0]/)
  })

  test('refuses first where nobody vouches for the app', async () => {
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
  ])('warns of an app that is called like another: %s', async (client_name, isWarned) => {
    const metadata = { client_name, redirect_uris: ['https://evil.example/callback'] }
    const { text } = await visitor.open(await ask({ metadata }))
    expect(/class="note wrong"/.test(text)).toBe(isWarned)
  })

  test('takes no notice of a name whose address is its own', async () => {
    const metadata = { client_name: 'Claude', redirect_uris: ['https://claude.ai/api/callback'] }
    expect((await visitor.open(await ask({ metadata }))).text).not.toContain('class="note wrong"')
  })

  test('runs nothing, loads nothing, and is not framed or kept', async () => {
    const { headers, text } = await visitor.open(await ask())
    const nonce = /<style nonce="(\w{22})">/.exec(text)?.[1]
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'nonce-${nonce}'; frame-ancestors 'none'; base-uri 'none'`,
    )
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).not.toMatch(/<script|\son\w+=|<img|<link|src=|url\(/)
    // A popup of an app has to stay the app's.
    expect(headers.get('cross-origin-opener-policy')).toBe(null)
    expect(text).toMatch(/<html lang="en">/)
  })
})

describe('a decision', () => {
  test('goes to the app, with a code or with a refusal', async () => {
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
    'needs an endpoint that is offered: %j',
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

  test('counts once, in the browser that was asked', async () => {
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

  test('of a browser that is not signed in any more begins with the sign-in', async () => {
    const question = await ask()
    const answer = await someone().send(question, { handle: 'x', decision: 'allow' })
    expect(answer.location).toBe(null)
    expect(answer.text).toContain('name="passphrase"')
  })
})

describe('a question', () => {
  test('for an endpoint that is not there names those that are', async () => {
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
    ['an app that is not known', { client_id: 'nobody' }, /not known here/],
    ['no app', { client_id: '' }, /malformed/],
    [
      'an address that is not registered',
      { redirect_uri: 'https://evil.example/' },
      /not registered/,
    ],
    ['an address like another', { redirect_uri: `${CALLBACK}/../x` }, /./],
  ])('of %s gets a page that says what to do', async (_, more, said) => {
    const { status, location, words, reference } = await visitor.open(await ask(more))
    expect([status, location]).toEqual([400, null])
    expect(words).toMatch(said)
    if (!/two ways/.test(words)) expect(reference).toMatch(/^\w{8}$/)
  })

  test('that is wrong is told to the app, once somebody is signed in', async () => {
    const question = await ask({ code_challenge: '' })
    expect((await someone().open(question)).text).toContain('name="passphrase"')
    const { status, location } = await visitor.open(question)
    expect(status).toBe(303)
    expect(new URL(location!).searchParams.get('error')).toBe('invalid_request')
  })

  test('with prompt=login asks to sign in again, once', async () => {
    const question = await ask({ prompt: 'login' })
    const who = await person()
    expect((await who.open(question)).text).toContain('name="passphrase"')
    const { location } = await who.send(question, { passphrase: PASSPHRASE })
    expect(location).not.toContain('prompt')
    expect((await who.open(location!)).text).toContain('name="handle"')
  })

  test('with prompt=consent is asked like all others', async () => {
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

describe('what is not as it should be', () => {
  test('a path that is none of ours, and a method', async () => {
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
