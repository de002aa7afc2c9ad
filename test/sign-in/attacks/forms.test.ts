import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  type App,
  Browser,
  broughtBack,
  decide,
  formOf,
  handleIn,
  hiddenIn,
  PASSPHRASE,
  person,
  question,
  register,
  type Scene,
  startScene,
} from './scene.ts'

let scene: Scene
let browser: Browser
let app: App
beforeAll(async () => {
  scene = await startScene()
  browser = await person(scene)
  app = await register(scene)
})
afterAll(() => scene.stop())

/** The headers that a browser sends with a form from another site. */
const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://localhost:1', 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  { origin: 'https://127.0.0.1.evil.example', 'sec-fetch-site': '' },
]

const codeIn = ({ headers }: Answer) =>
  /[?&]code=/.test(headers.get('location') ?? '') ? 'a code' : 'none'

describe('a form from another site', () => {
  test.each(FOREIGN)('signs nobody in: %j', async (headers) => {
    const stranger = new Browser(scene)
    const { path } = question(app)
    const form = hiddenIn(await stranger.ask('GET', path))
    form.set('passphrase', PASSPHRASE)
    const answer = await stranger.ask('POST', path, { form, headers })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
    expect(handleIn(await stranger.ask('GET', path))).toBe('')
  })

  test.each(FOREIGN)('decides nothing: %j', async (headers) => {
    const { path } = question(app)
    const page = await browser.ask('GET', path)
    for (const ticks of [{}, { decision: 'deny' }]) {
      const answer = await browser.ask('POST', path, { form: formOf(page, ticks), headers })
      expect([answer.status, answer.headers.get('location')]).toEqual([403, null])
    }
    // The person can still decide.
    expect(codeIn(await browser.post(path, formOf(page)))).toBe('a code')
  })

  test('signs nobody out', async () => {
    for (const headers of FOREIGN) {
      for (const path of ['/signout', '/signin', '/signin/out']) {
        await browser.ask('POST', path, { form: {}, headers })
      }
    }
    expect(handleIn(await browser.ask('GET', question(app).path))).not.toBe('')
  })

  test('with another content type causes no server error', async () => {
    const { path } = question(app)
    const page = await browser.ask('GET', path)
    const form = formOf(page)
    const own = { origin: scene.origin, 'sec-fetch-site': 'same-origin' }
    const json = JSON.stringify(Object.fromEntries(form))
    const multipart = [...form]
      .map(
        ([name, value]) =>
          `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      .join('')
    for (const [type, body] of [
      ['application/json', json],
      ['text/plain', json],
      ['text/plain', `${form}`],
      ['', `${form}`],
      ['multipart/form-data; boundary=x', `${multipart}--x--\r\n`],
      ['multipart/form-data', 'x'],
      ['application/x-www-form-urlencoded', '\ufffd%ff%'],
    ] as const) {
      const headers = { ...own, 'content-type': type }
      const answer = await browser.ask('POST', path, { body, headers })
      expect([type, answer.status < 500]).toEqual([type, true])
      if (type !== 'multipart/form-data; boundary=x')
        expect([type, codeIn(answer)]).toEqual([type, 'none'])
    }
    expect(scene.log()).not.toMatch(/Something went wrong/)
  })
})

describe('a decision', () => {
  test('cannot be made by a link', async () => {
    const { path } = question(app)
    const page = await browser.ask('GET', path)
    for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS', 'DELETE', 'PATCH']) {
      const answer = await browser.ask(method, `${path}&${formOf(page)}`)
      expect([method, codeIn(answer)]).toEqual([method, 'none'])
    }
    for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
      const headers = { [name]: 'POST' }
      expect(codeIn(await browser.ask('GET', `${path}&${formOf(page)}`, { headers }))).toBe('none')
    }
  })

  test('can be made only in the browser that opened the page', async () => {
    const { path } = question(app)
    const page = await browser.ask('GET', path)
    const other = await person(scene)
    const mine = await other.ask('GET', path)
    const form = formOf(mine)
    form.set('handle', handleIn(page))
    const answer = await other.post(path, form)
    expect([answer.status, codeIn(answer)]).toEqual([400, 'none'])
    expect(codeIn(await browser.post(path, formOf(page)))).toBe('a code')
  })

  test('can be made only once', async () => {
    const { path } = question(app)
    const page = await browser.ask('GET', path)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => browser.post(path, formOf(page))),
    )
    expect(answers.filter((it) => codeIn(it) === 'a code').length).toBeLessThanOrEqual(1)
    expect(codeIn(await browser.post(path, formOf(page)))).toBe('none')
  })

  test('applies to the page that was shown, whatever the form’s URL says', async () => {
    const other = await register(scene, { redirect_uris: ['https://evil.example/callback'] })
    const page = await browser.ask('GET', question(app, { state: 'shown' }).path)
    const answer = await browser.post(question(other, { state: 'evil' }).path, formOf(page))
    if (codeIn(answer) === 'a code') {
      expect(answer.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:9999\/callback\?/)
      expect(broughtBack(answer).get('state')).toBe('shown')
    } else expect(answer.headers.get('location')).toBe(null)
  })

  test('cannot be made without a sign-in', async () => {
    const { path } = question(app)
    const page = await browser.ask('GET', path)
    const stranger = new Browser(scene)
    for (const form of [formOf(page), formOf(page, { decision: 'deny' })]) {
      const answer = await stranger.post(path, form)
      expect(answer.headers.get('location')).toBe(null)
    }
  })

  test('with an invented, cut or missing handle is rejected', async () => {
    const { path } = question(app)
    const page = await browser.ask('GET', path)
    const handle = handleIn(page)
    for (const it of ['', 'x', handle.slice(1), `${handle}A`, '%00', 'x'.repeat(60_000)]) {
      const form = formOf(page)
      form.set('handle', it)
      const answer = await browser.post(path, form)
      expect([it.slice(0, 50), answer.status, codeIn(answer)]).toEqual([
        ...[it.slice(0, 50), it.length > 50_000 && answer.status === 413 ? 413 : 400, 'none'],
      ])
    }
  })

  test('grants no right that does not exist', async () => {
    for (const scopes of [['db:write'], ['*'], ['db:read', 'admin'], ['db:read db:write'], ['"']]) {
      const answer = await decide(browser, question(app), { scopes })
      expect([scopes, codeIn(answer)]).toEqual([scopes, 'none'])
    }
  })
})

describe('a session', () => {
  test('cannot be opened with an invented cookie', async () => {
    const cookies = [...browser.cookies]
    const { path } = question(app)
    for (const value of ['', 'x', 'A'.repeat(43), '../x', 'passphrase', '%', "' or 1=1 --"]) {
      const stranger = new Browser(scene)
      for (const [name] of cookies) stranger.cookies.set(name, value)
      const answer = await stranger.ask('GET', path)
      expect([value, answer.status, handleIn(answer)]).toEqual([value, 200, ''])
    }
  })

  test('cannot be taken over with a cookie that the attacker set before', async () => {
    const victim = new Browser(scene)
    const { path } = question(app)
    const planted = 'B'.repeat(43)
    for (const [name] of browser.cookies) victim.cookies.set(name, planted)
    const form = hiddenIn(await victim.ask('GET', path))
    form.set('passphrase', PASSPHRASE)
    await victim.post(path, form)
    const attacker = new Browser(scene)
    for (const [name] of browser.cookies) attacker.cookies.set(name, planted)
    expect(handleIn(await attacker.ask('GET', path))).toBe('')
  })

  test('has neither the passphrase nor a name in its cookies', () => {
    const text = JSON.stringify([...browser.cookies])
    expect(text).not.toMatch(/seven|otters|passphrase/i)
  })

  test('opens no endpoint and no API', async () => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie }
    expect((await scene.tools(undefined, '/mcp', { headers })).status).toBe(401)
    expect((await scene.ask('GET', '/api/endpoints', { headers })).status).toBe(401)
  })
})

test('no page can be framed, runs a script, loads anything or is cached', async () => {
  const { path } = question(app)
  const pages = [
    await new Browser(scene).ask('GET', path),
    await browser.ask('GET', path),
    await browser.ask('GET', question({ ...app, client_id: 'nobody' }).path),
    await browser.post(path, { passphrase: 'wrong' }),
    await browser.ask('POST', path, { form: {}, headers: FOREIGN[0]! }),
    await browser.ask('GET', `${path}&state=twice`),
    await browser.ask('PUT', path),
    await new Browser(scene).ask('GET', '/signin'),
    await new Browser(scene).ask('GET', '/signin/callback?code=x&state=y'),
  ]
  for (const { headers, text } of pages) {
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("base-uri 'none'")
    expect(policy).not.toMatch(/script-src|img-src (?!data:|'none')|\*/)
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toContain('no-store')
    expect(headers.get('referrer-policy')).toMatch(/^(?:no-referrer|same-origin)$/)
    expect(headers.get('content-type')).toMatch(/^text\/html; charset=utf-8$/i)
    expect(text).not.toMatch(/<script|<iframe|<img|<object|<link|<base|\son\w+=|javascript:/i)
    expect(text).not.toContain(PASSPHRASE)
  }
})
