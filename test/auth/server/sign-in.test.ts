import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cameFrom } from '../../support/came-from.ts'
import { operated } from '../../support/registry-api.ts'
import { fieldOf, questionOf, Visitor } from '../../support/visitor.ts'
import { type RunningWorker, startWorker } from '../../support/worker.ts'

const PASSPHRASE = 'seven otters guard the quiet harbor'

let worker: RunningWorker
let visitor: Visitor
let question: string
let addresses = 0

beforeAll(async () => {
  worker = await startWorker({ ...operated, TIDEGATE_PASSPHRASE: PASSPHRASE })
  question = await questionOf(worker.url)
})
afterAll(() => worker?.close())

/** A visitor with their own IP address. */
const someone = () => {
  addresses++
  return new Visitor(worker.url, cameFrom(`198.51.100.${addresses}`))
}
beforeEach(() => {
  visitor = someone()
})

const signIn = (who: Visitor, passphrase = PASSPHRASE) => who.send(question, { passphrase })

/** Gives a Worker's authorization server an order, as its API does. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape
async function order(it: RunningWorker, name: string, input: object): Promise<any> {
  const env: unknown = await it.env()
  const { AUTHORIZATION } = env as { AUTHORIZATION: DurableObjectNamespace }
  const object: unknown = AUTHORIZATION.get(AUTHORIZATION.idFromName('authorization'))
  return (object as { take(...asked: unknown[]): Promise<unknown> }).take(name, input)
}

/** Returns whether a visitor is shown the consent page, and so is signed in. */
const isAsked = async (who: Visitor) => (await who.open(question)).text.includes('name="handle"')

describe('the passphrase', () => {
  test('signs a person in, and returns them to the same request', async () => {
    expect((await visitor.open(question)).text).toContain('name="passphrase"')
    const { status, location } = await signIn(visitor)
    expect([status, location]).toEqual([303, question])
    expect(await isAsked(visitor)).toBe(true)
  })

  test('can have whitespace around it', async () => {
    expect((await signIn(visitor, ` ${PASSPHRASE}\n`)).status).toBe(303)
  })

  test.each(['', 'wrong', PASSPHRASE.slice(1), PASSPHRASE.toUpperCase(), 'x'.repeat(2_000)])(
    'is requested again, with a reference, after a wrong entry: %.20s',
    async (wrong) => {
      const { status, location, text, reference } = await signIn(visitor, wrong)
      expect([status, location]).toEqual([403, null])
      expect(text).toMatch(/role="alert"/)
      expect(reference).toMatch(/^\w{8}$/)
      expect(text).not.toContain(PASSPHRASE)
      expect(await isAsked(visitor)).toBe(false)
    },
  )

  test('is refused only from a network that has sent ten wrong ones', async () => {
    for (let i = 0; i < 10; i++) expect((await signIn(visitor, 'wrong')).status).toBe(403)
    const refused = await signIn(visitor)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.words).toMatch(/Try again in \d+ minutes/)
    expect((await signIn(someone())).status).toBe(303)
  })

  test('is refused from a whole household, which has an IPv6 /64', async () => {
    const from = (host: string) => new Visitor(worker.url, cameFrom(`2001:db8:1:2:${host}`))
    for (let i = 0; i < 10; i++) await signIn(from(`a:b:c:${i}`), 'wrong')
    expect((await signIn(from('9:9:9:9'))).status).toBe(429)
  })

  test('can be entered wrong only ten times, even simultaneously', async () => {
    const tries = Array.from({ length: 30 }, () => signIn(visitor, 'wrong'))
    const answers = (await Promise.all(tries)).map(({ status }) => status)
    expect(answers.filter((it) => it === 403)).toHaveLength(10)
    expect(answers.filter((it) => it === 429)).toHaveLength(20)
  })

  test('can be entered correctly any number of times', async () => {
    for (let i = 0; i < 12; i++) expect((await signIn(visitor)).status).toBe(303)
  })
})

describe('a session', () => {
  test('is a cookie that no script can read and that lasts twelve hours', async () => {
    const { headers } = await signIn(visitor)
    const [session] = headers.getSetCookie().filter((it) => it.includes('session'))
    expect(session).toMatch(/HttpOnly; SameSite=Lax; Max-Age=43200$/)
    expect(session).toMatch(/Path=\//)
  })

  test('is replaced by each sign-in, and the previous session ends', async () => {
    await signIn(visitor)
    const before = new Map(visitor.cookies)
    await signIn(visitor)
    expect(visitor.cookies.get('tidegate-session')).not.toBe(before.get('tidegate-session'))
    expect(await isAsked(visitor)).toBe(true)
    const old = someone()
    for (const [name, value] of before) old.cookies.set(name, value)
    expect(await isAsked(old)).toBe(false)
  })

  test('never reuses a cookie value that the browser brought along', async () => {
    visitor.cookies.set('tidegate-session', 'x'.repeat(43))
    await signIn(visitor)
    expect(visitor.cookies.get('tidegate-session')).not.toBe('x'.repeat(43))
  })

  test('ends when the person signs out, and the same request follows', async () => {
    await signIn(visitor)
    const page = await visitor.open(question)
    const before = new Map(visitor.cookies)
    const out = await visitor.send('/signout', { question: fieldOf(page, 'question') })
    expect([out.status, out.location]).toEqual([303, question])
    expect(visitor.cookies.has('tidegate-session')).toBe(false)
    const old = someone()
    for (const [name, value] of before) old.cookies.set(name, value)
    expect(await isAsked(old)).toBe(false)
  })

  test.each(['https://evil.example/', '//evil.example', '/mcp', ''])(
    'never redirects to the address in a sign-out form: %s',
    async (address) => {
      const { location } = await visitor.send('/signout', { question: address })
      expect(new URL(location!, worker.url).origin).toBe(worker.url)
      expect(location).toMatch(/^\/(?:authorize\?|signin$)/)
    },
  )

  test('that the browser did not keep is explained on the sign-in page', async () => {
    const before = await visitor.open(question, { 'sec-fetch-site': 'cross-site' })
    expect(before.words).not.toContain('does not keep cookies')
    const { location } = await signIn(visitor)
    visitor.cookies.clear()
    const again = await visitor.open(location!, { 'sec-fetch-site': 'same-origin' })
    expect(again.text).toContain('name="passphrase"')
    expect(again.words).toContain(
      'If you have just signed in, your browser does not keep cookies here',
    )
    // This browser keeps cookies, and the person signed out.
    const out = await visitor.send('/signout', { question: '' })
    const page = await visitor.open(out.location!, { 'sec-fetch-site': 'same-origin' })
    expect(page.words).not.toContain('does not keep cookies')
  })

  test('can begin at /signin, without an app', async () => {
    expect((await visitor.open('/signin')).text).toContain('name="passphrase"')
    const { location } = await visitor.send('/signin', { passphrase: PASSPHRASE })
    expect(location).toBe('/signin')
    expect((await visitor.open('/signin')).words).toContain('You are signed in as passphrase')
  })
})

describe('a form', () => {
  const foreign = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ]
  test.each(foreign)('from another page does nothing: %j', async (headers) => {
    await visitor.open(question)
    for (const [path, fields] of [
      [question, { passphrase: PASSPHRASE }],
      [question, { way: 'provider' }],
      ['/signin', { passphrase: PASSPHRASE }],
      ['/signout', {}],
    ] as const) {
      const answer = await visitor.send(path, { ...fields }, headers)
      expect([path, answer.status, answer.location]).toEqual([path, 403, null])
      expect(answer.headers.getSetCookie().filter((it) => it.includes('session'))).toEqual([])
    }
  })

  test('from a browser that sends no origin needs the page’s token', async () => {
    const page = await visitor.open(question)
    const form = { passphrase: PASSPHRASE }
    expect((await visitor.send(question, form, {})).status).toBe(403)
    expect((await visitor.send(question, { ...form, form: 'x'.repeat(43) }, {})).status).toBe(403)
    expect(
      (await someone().send(question, { ...form, form: fieldOf(page, 'form') }, {})).status,
    ).toBe(403)
    expect(
      (await visitor.send(question, { ...form, form: fieldOf(page, 'form') }, {})).status,
    ).toBe(303)
  })

  test('that is too long or malformed is refused', async () => {
    const long = await visitor.send(question, { passphrase: 'x'.repeat(70_000) })
    expect([long.status, long.words.includes('This form is not valid here')]).toEqual([413, true])
    const form = { origin: worker.url, 'content-type': 'application/x-www-form-urlencoded' }
    const body = new Uint8Array([0xff, 0xfe])
    const bytes = await fetch(worker.url + question, { method: 'POST', headers: form, body })
    expect([bytes.status, bytes.headers.get('content-type')]).toEqual([
      400,
      'text/html; charset=utf-8',
    ])
    await bytes.body?.cancel()
    const headers = { origin: worker.url, 'content-type': 'application/json' }
    const other = await fetch(worker.url + question, { method: 'POST', headers, body: '{}' })
    expect(other.status).toBe(400)
    await other.body?.cancel()
  })
})

test.each(['/signin/', '/authorize/', '/sign%69n'])(
  '%s gets a page that says that there is nothing here',
  async (path) => {
    const { status, text, words } = await visitor.open(path)
    expect([status, text.startsWith('<!doctype html>')]).toEqual([404, true])
    expect(words).toContain('There is nothing to sign in to at this URL')
  },
)

describe('a code', () => {
  const make = async (person?: string): Promise<string> =>
    (await order(worker, 'makeCode', { person })).code

  test('signs in one person, once, under the name that it was made for', async () => {
    const code = await make('ada@example.com')
    expect((await signIn(visitor, code.toLowerCase())).status).toBe(303)
    expect((await visitor.open(question)).words).toContain('ada@example.com')
    expect((await signIn(someone(), code)).status).toBe(403)
  })

  test('signs in only one of several people who use it at the same time', async () => {
    const code = await make()
    const visitors = Array.from({ length: 8 }, () => someone())
    const answers = await Promise.all(visitors.map((it) => signIn(it, code)))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
  })
})

test('sign-ins and refusals are recorded, with the reference from the page', async () => {
  const { reference } = await signIn(visitor, 'wrong')
  await signIn(visitor)
  const page = await visitor.open(question)
  const decide = (decision: string) =>
    visitor.send(question, { handle: fieldOf(page, 'handle'), endpoint: 'demo', decision })
  await decide('allow')
  const [allowed, signedIn, refused] = await order(worker, 'events', { limit: 3 })
  expect(allowed).toMatchObject({ kind: 'app allowed', person: 'passphrase', client: 'An app' })
  expect(signedIn).toMatchObject({ kind: 'signed in', person: 'passphrase' })
  expect(refused).toMatchObject({ kind: 'sign-in refused', reference })
})

test('after three hundred wrong passphrases from many networks, only codes work', async () => {
  const crowded = await startWorker({ ...operated, TIDEGATE_PASSPHRASE: PASSPHRASE })
  const from = (network: number, text: string) =>
    new Visitor(crowded.url, cameFrom(`203.0.${network}.1`)).send('/signin', {
      passphrase: text,
    })
  for (let network = 0; network < 30; network++) {
    await Promise.all(Array.from({ length: 10 }, () => from(network, 'wrong')))
  }
  const refused = await from(99, PASSPHRASE)
  expect(refused.status).toBe(429)
  expect(refused.words).toContain('only one-time codes are accepted')
  const { code } = await order(crowded, 'makeCode', {})
  expect((await from(99, code)).status).toBe(303)
  await crowded.close()
})
