import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cameFrom } from '../support/came-from.ts'
import { Operator, operatorAt, tokenIn } from '../support/operator.ts'
import { askApi, operated } from '../support/registry-api.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

describe('the door of the Console', () => {
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

  test('leads everybody else to the sign-in, and from there back', async () => {
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
  ])('leads nobody to %s', async (to) => {
    const ada = await operatorAt(worker.url)
    const { location } = await ada.open(`/signin/operator?${new URLSearchParams({ to })}`)
    expect(location).toBe('/console')
  })

  test('refuses a wrong key, and after ten of them every key of that network', async () => {
    const guesser = new Operator(worker.url, cameFrom('192.0.2.7'))
    const { status, words } = await guesser.signIn('not the key')
    expect([status, words]).toEqual([403, expect.stringContaining('That is not the key')])
    for (let i = 0; i < 9; i++) await guesser.signIn(`not the key ${i}`)
    const last = await guesser.signIn()
    expect([last.status, last.words]).toEqual([
      429,
      expect.stringContaining('too many wrong tries'),
    ])
    expect((await guesser.open('/console')).status).toBe(303)
  })

  test('gives a cookie that no script reads, and that other sites do not send', async () => {
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
    // On this machine there is no https, and the name and `Secure` would keep browsers from sending it.
    expect(set).toMatch(
      /^tidegate-operator=\w{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/,
    )
  })

  test('takes no form without the token of the browser, nor from another site', async () => {
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

  test.each(['..%2Fkeys', '%2e%2e%2fkeys', 'a%20b', '%3Fa', '%00', 'a%0D%0Ab', 'nothing'])(
    'takes %s for the name of nothing',
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

  test('is closed again after the operator has signed out', async () => {
    const ada = await operatorAt(worker.url)
    const cookies = new Map(ada.cookies)
    await ada.submit('/signout', { question: '/signin/operator?' })
    for (const [name, value] of cookies) ada.cookies.set(name, value)
    expect((await ada.open('/console')).status).toBe(303)
    const { status } = await ada.submit('/console/nothing')
    expect(status).toBe(403)
  })

  /** Somebody who signed in by a code that was made for them. */
  async function signedIn(person: string) {
    const { json } = await askApi(worker, 'POST', '/api/signin-codes', { person })
    const visitor = new Operator(worker.url)
    const form = tokenIn((await visitor.open('/signin')).text)
    await visitor.send('/signin', { form, passphrase: json.code })
    return visitor
  }

  test('opens for a person whom OPERATORS names, and says who they are', async () => {
    const ada = await signedIn('Ada@example.com')
    const { status, words } = await ada.open('/console')
    expect([status, words]).toEqual([200, expect.stringContaining('Ada@example.com')])
  })

  test('leaves the name of who changes something in the record of changes', async () => {
    const ada = await signedIn('Ada@example.com')
    const form = tokenIn((await ada.open('/console/access')).text)
    const fields = { form, label: 'laptop', which: 'all' }
    expect((await ada.send('/console/access/keys/new', fields)).status).toBe(201)
    const { json } = await askApi(worker, 'GET', '/api/changes?limit=1')
    expect(json.changes).toMatchObject([
      { by: 'Ada@example.com', what: 'made key laptop for all endpoints' },
    ])
  })

  test('stays closed for everybody else who signed in, and says why', async () => {
    const bob = await signedIn('bob@example.com')
    const { location } = await bob.open('/console')
    const { words } = await bob.open(location!)
    expect(words).toContain('You are signed in as bob@example.com')
    expect(words).toContain('OPERATORS has to name it')
  })

  test('takes nobody for whoever has the key, whose changes the record calls those of operator', async () => {
    const { status } = await (await signedIn('Operator')).open('/console')
    expect(status).toBe(303)
  })

  test('takes the key of the operator for no grant to an app', async () => {
    const ada = await operatorAt(worker.url)
    expect((await ada.open('/signin')).words).not.toContain('You are signed in')
  })
})

test('without secrets, the Console leads to what is to be set', async () => {
  const worker = await startWorker({})
  const { status, location } = await new Operator(worker.url).open('/console')
  expect([status, location]).toEqual([303, '/setup'])
  await worker.close()
})
