import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cameFrom } from '../support/came-from.ts'
import { chromiumForTests } from '../support/chromium.ts'
import { Operator, openConsole, operatorAt, tokenIn } from '../support/operator.ts'
import { askApi, operated } from '../support/registry-api.ts'
import { watchedBrowser } from '../support/watched-browser.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

describe('the Console’s door', () => {
  let worker: RunningWorker
  beforeAll(async () => {
    worker = await startWorker({
      ...operated,
      TIDEGATE_PASSPHRASE: 'a heron waits where slow water turns',
      OPERATORS: 'ada@example.com, operator',
    })
  })
  afterAll(() => worker.close())

  const stranger = () => new Operator(worker.url)

  test('sends strangers to the sign-in, and back again afterward', async () => {
    const { status, location } = await stranger().open('/console/activity?tool=query')
    expect([status, location]).toEqual([
      303,
      '/signin/operator?to=%2Fconsole%2Factivity%3Ftool%3Dquery',
    ])
    const ada = await operatorAt(worker.url)
    expect((await ada.open(location!)).location).toBe('/console/activity?tool=query')
  })

  test.each([
    'https://evil.example/console',
    '//evil.example/console',
    '/authorize',
    '/consoles',
    '/console/../mcp',
    '\\\\evil.example\\console',
    'javascript:alert(1)',
    `/console/${'a'.repeat(3_000)}`,
  ])('never redirects to %s', async (to) => {
    const ada = await operatorAt(worker.url)
    const { location } = await ada.open(`/signin/operator?${new URLSearchParams({ to })}`)
    expect(location).toBe('/console')
  })

  test('refuses a wrong key, and after ten of them every key from that network', async () => {
    const guesser = new Operator(worker.url, cameFrom('192.0.2.7'))
    const { status, words } = await guesser.signIn('not the key')
    expect([status, words]).toEqual([403, expect.stringContaining('That is not the admin key')])
    for (let i = 0; i < 9; i++) await guesser.signIn(`not the key ${i}`)
    const last = await guesser.signIn()
    expect([last.status, last.words]).toEqual([
      429,
      expect.stringContaining('Too many failed attempts'),
    ])
    expect((await guesser.open('/console')).status).toBe(303)
  })

  test('sets a cookie that scripts cannot read and other sites do not send', async () => {
    const ada = new Operator(worker.url)
    const page = await fetch(`${worker.url}/signin/operator`)
    const token = tokenIn(await page.text())
    const cookie = page.headers.getSetCookie()[0]!.split(';')[0]!
    const answer = await fetch(`${worker.url}/signin/operator`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: ada.origin },
      body: new URLSearchParams({ form: token, key: operated.TIDEGATE_KEY }),
    })
    const set = answer.headers.getSetCookie().join()
    // This machine has no https, so the prefix and `Secure` would keep browsers from sending the cookie.
    expect(set).toMatch(
      /^tidegate-operator=\w{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/,
    )
  })

  test('rejects a form without the browser’s token or from another site', async () => {
    const ada = await operatorAt(worker.url)
    const home = { origin: ada.origin, 'sec-fetch-site': 'same-origin' }
    const token = tokenIn((await ada.open('/console')).text)
    const sent = async (fields: Record<string, string>, headers: Record<string, string>) =>
      (await ada.send('/console/nothing', fields, headers)).status
    expect(await sent({ form: token }, home)).toBe(404)
    expect(await sent({}, home)).toBe(403)
    expect(await sent({ form: 'a'.repeat(43) }, home)).toBe(403)
    expect(await sent({ form: token }, { origin: 'https://evil.example' })).toBe(403)
    expect(await sent({ form: token }, { 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await sent({ form: token }, { ...home, 'content-type': 'text/plain' })).toBe(400)
    expect(await sent({ form: token, text: 'a'.repeat(1024 * 1024) }, home)).toBe(413)
  })

  test("changes nothing and runs nothing for a program that has only the operator's cookies", async () => {
    const ada = await operatorAt(worker.url)
    const thief = new Operator(worker.url)
    // Browsers send them to every port of this machine.
    for (const [name, value] of ada.cookies) thief.cookies.set(name, value)
    const form = tokenIn((await thief.open('/console/access')).text)
    const keys = async () => (await askApi(worker, 'GET', '/api/keys')).json.keys
    const before = await keys()
    const made = { form, label: 'of a thief', which: 'all' }
    const at = '/console/endpoints/demo/workbench'
    for (const wrong of [{}, { proof: '' }, { proof: form }, { 'operator-key': 'a guess' }]) {
      const { status, words } = await thief.send('/console/access/keys/new', { ...made, ...wrong })
      expect([wrong, status, words]).toEqual([
        wrong,
        403,
        expect.stringContaining('Nothing has changed'),
      ])
      const run = { form, tool: 'query', 'a.sql': "select 'ran' as it", ...wrong }
      expect([(await thief.send(at, run)).status, wrong]).toEqual([403, wrong])
    }
    expect(await keys()).toEqual(before)
    expect((await ada.send('/console/access/keys/new', { ...made, label: 'hers' })).status).toBe(
      201,
    )
  })

  test('asks a browser without a proof for the admin key, then processes the form', async () => {
    const ada = await operatorAt(worker.url)
    ada.proof = undefined
    const form = tokenIn((await ada.open('/console/access')).text)
    const fields = { form, label: '<her "laptop">', which: 'all' }
    const asked = await ada.send('/console/access/keys/new', fields)
    expect(asked.text).toContain('action="/console/access/keys/new"')
    expect(asked.text).toContain('name="label" value="&lt;her &quot;laptop&quot;&gt;"')
    const given = { ...fields, 'operator-key': operated.TIDEGATE_KEY }
    expect((await ada.send('/console/access/keys/new', given)).status).toBe(201)
  })

  test('limits wrong admin keys on Console pages, too', async () => {
    const ada = await operatorAt(worker.url)
    const guesser = new Operator(worker.url, cameFrom('192.0.2.77'))
    for (const [name, value] of ada.cookies) guesser.cookies.set(name, value)
    const form = tokenIn((await guesser.open('/console')).text)
    let status = 403
    for (let i = 0; i < 1_000 && status === 403; i++) {
      const guess = { form, 'operator-key': `guess ${i}` }
      status = (await guesser.send('/console/nothing', guess)).status
    }
    expect(status).toBe(429)
  })

  test.each(['..%2Fkeys', '%2e%2e%2fkeys', 'a%20b', '%3Fa', '%00', 'a%0D%0Ab', 'nothing'])(
    'does not find an endpoint named %s',
    async (name) => {
      const ada = await operatorAt(worker.url)
      for (const page of ['schema', 'workbench', 'activity', 'access', 'settings']) {
        const { status } = await ada.open(`/console/endpoints/${name}/${page}`)
        expect([page, status]).toEqual([page, 404])
      }
      expect((await ada.open(`/console/endpoints/${name}`)).location).toBe(
        `/console/endpoints/${encodeURIComponent(decodeURIComponent(name))}/schema`,
      )
    },
  )

  test('closes again after the operator has signed out', async () => {
    const ada = await operatorAt(worker.url)
    const cookies = new Map(ada.cookies)
    await ada.submit('/signout', { question: '/signin/operator?' })
    for (const [name, value] of cookies) ada.cookies.set(name, value)
    expect((await ada.open('/console')).status).toBe(303)
    const { status } = await ada.submit('/console/nothing')
    expect(status).toBe(403)
  })

  /** A visitor who signed in with a code that was made for them. */
  async function signedIn(person: string) {
    const { json } = await askApi(worker, 'POST', '/api/signin-codes', { person })
    const visitor = new Operator(worker.url)
    const form = tokenIn((await visitor.open('/signin')).text)
    await visitor.send('/signin', { form, passphrase: json.code })
    return visitor
  }

  test('opens for a person whom OPERATORS lists, and shows their name', async () => {
    const ada = await signedIn('Ada@example.com')
    const { status, words } = await ada.open('/console')
    expect([status, words]).toEqual([200, expect.stringContaining('Ada@example.com')])
  })

  test('records the name of the person who makes a change', async () => {
    const ada = await signedIn('Ada@example.com')
    const form = tokenIn((await ada.open('/console/access')).text)
    const fields = { form, label: 'laptop', which: 'all' }
    expect((await ada.send('/console/access/keys/new', fields)).status).toBe(201)
    const { json } = await askApi(worker, 'GET', '/api/changes?limit=1')
    expect(json.changes).toMatchObject([
      { by: 'Ada@example.com', what: 'made key laptop for all endpoints' },
    ])
  })

  test('records the name of the person who runs a tool, and shows their own runs', async () => {
    const ada = await signedIn('Ada@example.com')
    const at = '/console/endpoints/demo/workbench'
    const form = tokenIn((await ada.open(at)).text)
    const run = (who: Operator, sql: string, token: object = {}) =>
      who.submit(at, { ...token, tool: 'query', 'a.sql': sql })
    expect((await run(ada, "select 'hers' as it", { form })).words).toContain('hers')
    const key = await operatorAt(worker.url)
    expect((await run(key, 'select 1 as two, 2 as one')).words).toContain('two')
    const recorded = async () => {
      const { json } = await askApi(worker, 'GET', '/api/records?endpoint=demo')
      return json.records.map((it: { caller: string; client: { name: string } }) => [
        it.caller,
        it.client.name,
      ])
    }
    await expect.poll(async () => (await recorded()).length, { timeout: 60_000 }).toBe(2)
    expect(new Set(await recorded())).toEqual(
      new Set([
        ['Ada@example.com', 'tidegate-console'],
        ['key', 'tidegate-console'],
      ]),
    )
    const [hers, others] = [await ada.open(at), await key.open(at)].map(
      ({ words }) => words.split('History')[1],
    )
    expect([hers, hers]).toEqual([
      expect.stringContaining('select ? as it'),
      expect.not.stringContaining('as two'),
    ])
    expect(others).toContain('as two')
  })

  test('stays closed for everybody else who signs in, and says why', async () => {
    const bob = await signedIn('bob@example.com')
    const { location } = await bob.open('/console')
    const { words } = await bob.open(location!)
    expect(words).toContain('You are signed in as bob@example.com')
    expect(words).toContain('OPERATORS must list it')
  })

  test('never mistakes a person for the holder of the admin key', async () => {
    const { status } = await (await signedIn('Operator')).open('/console')
    expect(status).toBe(303)
  })

  test('does not treat the operator’s key as a sign-in for apps', async () => {
    const ada = await operatorAt(worker.url)
    expect((await ada.open('/signin')).words).not.toContain('You are signed in')
  })
})

const browser = await chromiumForTests()
afterAll(() => browser?.close())

test.skipIf(!browser)('a link with somebody else’s proof does not replace a proof', async () => {
  const worker = await startWorker(operated)
  const { page, faults, leave } = await watchedBrowser(browser!, worker.url)
  const kept = () => page.evaluate(() => localStorage.getItem('tidegate-proof'))
  await openConsole(page, worker.url)
  await expect.poll(kept, { timeout: 30_000 }).toMatch(/^\w{43}$/)
  const own = await kept()
  for (const path of ['/console/access', '/']) {
    await page.goto(`${worker.url}${path}#proof=${'a'.repeat(43)}`)
    await page.waitForURL(worker.url + path)
    expect(await kept()).toBe(own)
  }
  // A later session has its own proof, which replaces the first.
  await page.context().clearCookies()
  await openConsole(page, worker.url)
  await expect.poll(kept, { timeout: 30_000 }).not.toBe(own)
  const sent = page.evaluate(
    "new FormData(document.querySelector('form[method=post]')).get('proof')",
  )
  expect(await sent).toBe(await kept())
  expect(faults).toEqual([])
  await leave()
  await worker.close()
})

test('without secrets, the Console redirects to the setup page', async () => {
  const worker = await startWorker({})
  const { status, location } = await new Operator(worker.url).open('/console')
  expect([status, location]).toEqual([303, '/setup'])
  await worker.close()
})
