import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeProvider, startIdentityProvider } from '../../servers/identity-provider.ts'
import { askApi, operated } from '../../support/registry-api.ts'
import { fieldOf, questionOf, type Shown, Visitor } from '../../support/visitor.ts'
import { type RunningWorker, startWorker } from '../../support/worker.ts'

let provider: FakeProvider
let worker: RunningWorker
let visitor: Visitor
let question: string

beforeAll(async () => {
  provider = await startIdentityProvider()
  worker = await startWorker({
    ...operated,
    SIGN_IN_ISSUER: provider.issuer,
    SIGN_IN_CLIENT_ID: provider.clientId,
    SIGN_IN_CLIENT_SECRET: provider.clientSecret,
    SIGN_IN_ALLOW: 'ada@example.com',
    ACCESS_TEAM: provider.issuer,
    ACCESS_AUDIENCE: 'the application',
    ENDPOINTS: JSON.stringify([
      { name: 'shop', title: 'Shop', databases: { demo: { url: 'demo:' } } },
      { name: 'ledger', title: 'Ledger', databases: { demo: { url: 'demo:' } } },
    ]),
  })
  const group = { name: 'keepers', people: ['group:keepers'], endpoints: { ledger: {} } }
  const { status, text } = await askApi(worker, 'POST', '/api/groups', group)
  if (status !== 201) throw new Error(`${status} ${text}`)
  question = await questionOf(worker.url)
})
afterAll(async () => {
  await worker?.close()
  await provider?.close()
})
beforeEach(() => {
  visitor = new Visitor(worker.url)
  Object.assign(provider.behaviour, { claims: { groups: [] }, callback: {}, trouble: {} })
})

/** Goes to the provider, which sends the browser back at once. Returns the callback URL. */
async function goAndComeBack(who = visitor, at = question): Promise<string> {
  const { status, location } = await who.send(at, { way: 'provider' })
  expect([status, location?.startsWith(`${provider.issuer}/authorize?`)]).toEqual([303, true])
  const back = await fetch(location!, { redirect: 'manual' })
  return back.headers.get('location')!
}

const isAsked = ({ text }: Shown) => text.includes('name="handle"')

describe('a provider', () => {
  test('appears as a button on the page, next to one-time codes', async () => {
    const { text, words } = await visitor.open(question)
    expect(words).toContain(`Continue with ${new URL(provider.issuer).host}`)
    expect(text).toContain('name="way" value="provider"')
    expect(words).toContain('One-time code')
    expect(words).not.toContain('Passphrase')
  })

  test('signs a person in, and returns them to the same request', async () => {
    const callback = await goAndComeBack()
    expect(new URL(callback).pathname).toBe('/signin/callback')
    const { status, location } = await visitor.open(callback)
    expect([status, location]).toEqual([303, question])
    const page = await visitor.open(question)
    expect(isAsked(page)).toBe(true)
    expect(page.words).toContain('ada@example.com')
    expect([...visitor.cookies.keys()].filter((it) => it.includes('way-back'))).toEqual([])
  })

  test('ignores return addresses in the query', async () => {
    for (const path of ['/signin', '/signin?to=https://evil.example', '/signin?client_id=1']) {
      const callback = await goAndComeBack(visitor, path)
      const more = `${callback}&to=https://evil.example&redirect_uri=https://evil.example`
      expect((await visitor.open(more)).location).toBe('/signin')
    }
  })

  test('completes a sign-in once, in the browser that started it', async () => {
    const callback = await goAndComeBack()
    const stranger = await new Visitor(worker.url).open(callback)
    expect([stranger.status, stranger.location]).toEqual([403, null])
    expect(stranger.words).toContain('not started in this browser')
    expect(stranger.reference).toBeTruthy()
    const before = new Map(visitor.cookies)
    const liar = new Visitor(worker.url)
    for (const [name] of before) liar.cookies.set(name, 'x'.repeat(43))
    expect((await liar.open(callback)).words).toContain('not started in this browser')
    expect((await visitor.open(callback)).status).toBe(303)
    const again = new Visitor(worker.url)
    for (const [name, value] of before) again.cookies.set(name, value)
    const second = await again.open(callback)
    expect(second.status).toBe(403)
    expect(second.words).toContain('This sign-in has ended.')
  })

  test('keeps unfinished sign-ins in cookies whose total size is bounded', async () => {
    const crowd = new Visitor(worker.url)
    for (let i = 0; i < 400; i++)
      expect((await crowd.send('/signin', { way: 'provider' })).status).toBe(303)
    const size = [...crowd.cookies].reduce(
      (sum, [name, value]) => sum + name.length + value.length,
      0,
    )
    expect(size).toBeLessThan(14_000)
    const callback = await goAndComeBack(crowd)
    expect((await crowd.open(callback)).status).toBe(303)
  })

  test('restores a long request, and refuses an overlong request', async () => {
    const long = `${question}&more=${'x'.repeat(5_000)}`
    const callback = await goAndComeBack(visitor, long)
    expect((await visitor.open(callback)).location).toContain('x'.repeat(5_000))
    const endless = `${question}&more=${'x'.repeat(9_000)}`
    const refused = await visitor.send(endless, { way: 'provider' })
    expect([refused.status, refused.words]).toEqual([403, expect.stringContaining('is too long')])
  })

  test('can be used in two tabs at once', async () => {
    const [first, second] = [await goAndComeBack(), await goAndComeBack()]
    expect((await visitor.open(first)).status).toBe(303)
    expect((await visitor.open(second)).status).toBe(303)
  })

  test.each(['', '?state=', '?code=x', `?state=${'0'.repeat(64)}&code=x`, '?state=__proto__'])(
    'does not accept an invented callback: %s',
    async (query) => {
      const { status, location } = await visitor.open(`/signin/callback${query}`)
      expect([status, location]).toEqual([403, null])
    },
  )

  test('that refuses or is down leads to a page that says so', async () => {
    provider.behaviour.callback = {
      code: undefined,
      error: 'access_denied',
      error_description: '<b>',
    }
    const refused = await visitor.open(await goAndComeBack())
    expect([refused.status, refused.location]).toEqual([403, null])
    expect(refused.text).not.toContain('<b>&')
    expect(refused.words).toContain('Sign in another way')
    // The app's request is still there.
    const next = /<a href="([^"]*)"/.exec(refused.text)?.[1]?.replaceAll('&#38;', '&')
    expect(next).toBe(question)
    provider.behaviour.callback = {}
    const callback = await goAndComeBack()
    provider.behaviour.trouble = { '/token': 'error' }
    const down = await visitor.open(callback)
    expect([down.status, Boolean(down.reference)]).toEqual([403, true])
    expect((await visitor.open(callback)).words).toContain('or the browser does not keep cookies')
  })
})

describe('a person from a provider', () => {
  const signIn = async (claims: object, who = visitor) => {
    provider.behaviour.claims = { groups: [], ...claims }
    await who.open(await goAndComeBack(who))
    return who.open(question)
  }
  const eve = { email: 'eve@example.com' }

  test('must be listed or in a group, and is otherwise referred to the operator', async () => {
    const page = await signIn(eve)
    expect([page.status, isAsked(page)]).toEqual([403, false])
    expect(page.words).toContain('You are signed in as eve@example.com')
    expect(page.words).toContain('Ask the operator')
    expect(page.words).toContain('SIGN_IN_ALLOW')
    expect(page.reference).toBeTruthy()
    expect((await visitor.open(question)).reference).toBe(page.reference)
    const out = await visitor.send('/signout', { question: fieldOf(page, 'question') })
    expect(out.location).toBe(question)
    expect((await visitor.open(question)).text).toContain('name="passphrase"')
  })

  test.each([
    ['does not send their groups', { groups: undefined }, 'does not send yours'],
    ['sends them in an odd form', { groups: { staff: true } }, 'cannot be read'],
    ['sends more than are read', { groups: Array.from({ length: 201 }, (_, i) => `${i}`) }, '200'],
    ['says that they are elsewhere', { _claim_names: ['groups'] }, 'more groups than'],
  ])('is refused if groups matter and the provider %s', async (_, claims, words) => {
    provider.behaviour.claims = claims
    // This includes people whom SIGN_IN_ALLOW lists.
    const page = await visitor.open(await goAndComeBack())
    expect([page.status, page.words]).toEqual([403, expect.stringContaining(words)])
    expect(page.reference).toBeTruthy()
    expect((await visitor.open(question)).text).toContain('name="passphrase"')
  })

  test('is shown that their approval lasts for a day', async () => {
    expect((await signIn({ groups: ['keepers'] })).words).toContain('This lasts for a day')
  })

  test('can use only the endpoints of their group', async () => {
    const page = await signIn({ ...eve, groups: ['keepers'] })
    expect(page.status).toBe(200)
    expect(page.text).toContain('name="endpoint" value="ledger"')
    expect(page.text).not.toContain('value="shop"')
    const forced = await visitor.send(question, {
      handle: fieldOf(page, 'handle'),
      endpoint: 'shop',
      decision: 'allow',
    })
    expect([forced.status, forced.location]).toEqual([400, null])
  })
})

test('a consent page cannot allow an app for another person who signed in later', async () => {
  await visitor.open(await goAndComeBack())
  const page = await visitor.open(question)
  const decision = {
    handle: fieldOf(page, 'handle'),
    as: fieldOf(page, 'as'),
    endpoint: 'ledger',
    decision: 'allow',
  }
  // In another tab, a second person signs in, who may use the endpoint, too.
  provider.behaviour.claims = { sub: '2', email: 'bob@example.com', groups: ['keepers'] }
  await visitor.open(await goAndComeBack())
  const again = await visitor.send(question, decision)
  expect([again.status, again.location]).toEqual([400, null])
  expect(again.words).toContain('It acts as bob@example.com')
  expect(again.words).toContain('Somebody else has signed in')
  const as = fieldOf(again, 'as')
  const decided = { ...decision, handle: fieldOf(again, 'handle'), as }
  expect((await visitor.send(question, decided)).status).toBe(303)
})

describe('Cloudflare Access', () => {
  const assertion = (more = {}) =>
    provider.sign({
      ...{ sub: 'ada', email: 'ada@example.com', groups: [] },
      ...{ aud: ['the application'], ...more },
    })

  test('needs no sign-in page', async () => {
    const headers = { 'cf-access-jwt-assertion': await assertion() }
    const page = await visitor.open(question, headers)
    expect(isAsked(page)).toBe(true)
    const form = { handle: fieldOf(page, 'handle'), endpoint: 'shop', decision: 'allow' }
    const ours = { origin: worker.url, 'sec-fetch-site': 'same-origin' }
    const answer = await visitor.send(question, form, { ...headers, ...ours })
    expect(new URL(answer.location!).searchParams.has('code')).toBe(true)
  })

  test('signs out the people whom it let in, since it would let them in again', async () => {
    visitor.cookies.set('CF_Authorization', await assertion())
    const page = await visitor.open(question)
    expect(isAsked(page)).toBe(true)
    const out = await visitor.send('/signout', { question: fieldOf(page, 'question') })
    expect([out.status, out.location]).toEqual([303, '/cdn-cgi/access/logout'])
  })

  test('cannot repeat a sign-in, so prompt=login leads to the consent page', async () => {
    const headers = { 'cf-access-jwt-assertion': await assertion() }
    expect(isAsked(await visitor.open(`${question}&prompt=login`, headers))).toBe(true)
  })

  test('admits only people whom SIGN_IN_ALLOW or a group lists', async () => {
    const headers = { 'cf-access-jwt-assertion': await assertion({ email: 'eve@example.com' }) }
    const page = await visitor.open(question, headers)
    expect([page.status, isAsked(page)]).toEqual([403, false])
  })

  test('vouches for groups for only a day, even if its assertion is valid for longer', async () => {
    const hours = async (age: number) => {
      const iat = Math.floor(Date.now() / 1_000) - age * 3_600
      const headers = { 'cf-access-jwt-assertion': await assertion({ iat }) }
      return isAsked(await visitor.open(question, headers))
    }
    expect([await hours(23), await hours(25)]).toEqual([true, false])
    expect(worker.logs().join()).toContain('/cdn-cgi/access/logout')
  })

  test('is ignored if its assertion is malformed or for another application', async () => {
    for (const text of ['x', await assertion({ aud: ['other'] })]) {
      const page = await visitor.open(question, { 'cf-access-jwt-assertion': text })
      expect(page.text).toContain('name="passphrase"')
    }
  })
})
