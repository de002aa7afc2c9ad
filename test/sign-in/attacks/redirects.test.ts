import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  type App,
  type Browser,
  codeFor,
  decide,
  exchange,
  formOf,
  person,
  question,
  register,
  type Scene,
  startScene,
} from './scene.ts'

let scene: Scene
let browser: Browser
beforeAll(async () => {
  scene = await startScene()
  browser = await person(scene)
})
afterAll(() => scene.stop())

/** Expects a page that redirects the browser nowhere, and asks for no decision. */
function expectNoWay({ status, headers, text }: Answer): void {
  expect(headers.get('location')).toBe(null)
  expect(headers.get('refresh')).toBe(null)
  expect(text).not.toMatch(/name="handle"|http-equiv/i)
  expect([400, 403]).toContain(status)
}

describe('a code goes only where the app registered', () => {
  let remote: App
  let local: App
  let other: App
  beforeAll(async () => {
    remote = await register(scene, { redirect_uris: ['https://app.example/callback?keep=1'] })
    local = await register(scene, { redirect_uris: ['http://127.0.0.1:9999/callback'] })
    other = await register(scene, { redirect_uris: ['http://[::1]/cb', 'http://localhost/cb'] })
  })

  test.each([
    'https://app.example/callback',
    'https://app.example/callback?keep=1&more=1',
    'https://app.example/callback?keep=1#',
    'https://app.example/callback/more?keep=1',
    'https://app.example/callback/../evil?keep=1',
    'https://app.example/callback%2f..%2fevil?keep=1',
    'https://app.example//callback?keep=1',
    'https://app.example.evil.example/callback?keep=1',
    'https://app.example@evil.example/callback?keep=1',
    'https://evil.example\\@app.example/callback?keep=1',
    'https://evil.example/\\app.example/callback?keep=1',
    'https:\\\\app.example\\callback?keep=1',
    'https://app.example%2eevil.example/callback?keep=1',
    'https://app.example:444/callback?keep=1',
    'https://app%E3%80%82example/callback?keep=1',
    'https://ａpp.example/callback?keep=1',
    'https://APP.example/callback?keep=1',
    'https://sub.app.example/callback?keep=1',
    'http://app.example/callback?keep=1',
    '//app.example/callback?keep=1',
    '/callback?keep=1',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://app.example/callback?keep=1 ',
    'https://app.example/callback?keep=1\u0000',
    'https://app.example/callback?keep=1\r\nLocation: https://evil.example',
  ])('and on the web every character must match: %s', async (uri) => {
    expectNoWay(await browser.ask('GET', question(remote, { redirect_uri: uri }).path))
  })

  test.each([
    'http://127.0.0.1.evil.example:9999/callback',
    'http://127.0.0.1@evil.example:9999/callback',
    'http://127.0.0.1:9999@evil.example/callback',
    'http://127.0.0.1:9999\\@evil.example/callback',
    'http://127.0.0.1:9999.evil.example/callback',
    'http://127.0.0.1:/../evil/callback',
    'http://127.0.0.1:9999/callback/../evil',
    'http://127.0.0.1:9999/Callback',
    'http://127.0.0.1:9999/callback?x=1',
    'http://127.0.0.1:9999/callback#x',
    'http://user@127.0.0.1:9999/callback',
    'https://127.0.0.1:9999/callback',
    'http://localhost:9999/callback',
    'http://localhost.evil.example:9999/callback',
    'http://[::1]:9999/callback',
    'http://127.0.0.2:9999/callback',
    'http://127.1:9999/callback',
    'http://2130706433:9999/callback',
    'http://0x7f000001:9999/callback',
    'http://0.0.0.0:9999/callback',
    'http://[::ffff:127.0.0.1]:9999/callback',
    'http://127.0.0.1.:9999/callback',
    'http://①27.0.0.1:9999/callback',
  ])('and on this machine everything except the port must match: %s', async (uri) => {
    const answer = await browser.ask('GET', question(local, { redirect_uri: uri }).path)
    expectNoWay(answer)
  })

  test.each([
    'http://127.0.0.1:80/cb',
    'http://[::2]/cb',
    'http://[::1].evil.example/cb',
    'http://localhost.:80/cb',
    'http://localhost.localdomain/cb',
    'http://LOCALHOST.evil.example/cb',
  ])('and the registered host name must match: %s', async (uri) => {
    expectNoWay(await browser.ask('GET', question(other, { redirect_uri: uri }).path))
  })

  test('with any port on this machine', async () => {
    for (const uri of ['http://127.0.0.1:1/callback', 'http://127.0.0.1/callback']) {
      const answer = await decide(browser, question(local, { redirect_uri: uri }))
      expect(answer.headers.get('location')?.startsWith(`${uri}?code=`)).toBe(true)
    }
  })

  test('whatever redirect URI the decision form contains', async () => {
    const asked = question(remote)
    const page = await browser.ask('GET', asked.path)
    const form = formOf(page)
    form.append('redirect_uri', 'https://evil.example/')
    // The sender controls the query in the form's own URL, too.
    const path = question(local, { redirect_uri: 'http://127.0.0.1:4/callback' }).path
    const answer = await browser.post(path, form)
    const location = answer.headers.get('location')
    expect(location === null || location.startsWith('https://app.example/callback?keep=1')).toBe(
      true,
    )
  })

  test('and nowhere if the redirect URI or the client ID is repeated', async () => {
    const { path } = question(remote)
    for (const [name, value] of [
      ['redirect_uri', 'https://evil.example/'],
      ['redirect_uri', 'https://app.example/callback?keep=1'],
      ['client_id', local.client_id],
      ['client_id', remote.client_id],
    ] as const) {
      const more = `${name}=${encodeURIComponent(value)}`
      for (const twice of [`${path}&${more}`, path.replace('?', `?${more}&`)]) {
        expectNoWay(await browser.ask('GET', twice))
      }
    }
  })

  test.each(['state', 'scope', 'code_challenge', 'code_challenge_method', 'response_type', 'x'])(
    'and nowhere if any parameter is repeated: %s',
    async (name) => {
      const { path } = question(remote, { x: '1' })
      const value = new URLSearchParams(path.split('?')[1]).get(name)!
      expectNoWay(await browser.ask('GET', `${path}&${name}=${encodeURIComponent(value)}`))
      expectNoWay(await browser.ask('GET', `${path}&${name}=`))
    },
  )
})

describe('nobody can register as a redirect URI', () => {
  test.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://evil.example/x',
    'http://evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://localhost.evil.example/callback',
    'http://0.0.0.0/callback',
    'http://user:pass@127.0.0.1/callback',
    'https://user@evil.example/callback',
    'https://app.example/callback#fragment',
    'https://app.example/callback#',
    'https://app.example/\r\nSet-Cookie: a=b',
    '/callback',
    '//evil.example/callback',
    'not a url',
    '',
    'about:blank',
    'intent://x#Intent;end',
    'ws://evil.example/',
    'https:',
  ])('%j', async (uri) => {
    const { status, json } = await scene.ask('POST', '/register', {
      json: { redirect_uris: [uri], token_endpoint_auth_method: 'none' },
    })
    expect(status).toBe(400)
    expect(json.error).toMatch(/^invalid_(redirect_uri|client_metadata)$/)
    expect(json).not.toHaveProperty('client_id')
  })

  test('an empty or malformed list', async () => {
    for (const redirect_uris of [
      undefined,
      [],
      null,
      'https://app.example/',
      {},
      [1],
      [null],
      [[]],
    ]) {
      const { status } = await scene.ask('POST', '/register', { json: { redirect_uris } })
      expect([redirect_uris, status]).toEqual([redirect_uris, 400])
    }
  })
})

test('a code is exchanged only with the redirect URI to which it was sent', async () => {
  const app = await register(scene, {
    redirect_uris: ['http://127.0.0.1/callback', 'https://app.example/callback'],
  })
  for (const redirect_uri of [
    'https://app.example/callback',
    'http://127.0.0.1:2/callback',
    'http://127.0.0.1:1/callback/',
    'https://evil.example/',
  ]) {
    const asked = question(app, { redirect_uri: 'http://127.0.0.1:1/callback' })
    const code = await codeFor(browser, asked)
    const { status, json } = await exchange(scene, app, asked, code, { redirect_uri })
    expect([redirect_uri, status, json.access_token]).toEqual([redirect_uri, 400, undefined])
  }
})
