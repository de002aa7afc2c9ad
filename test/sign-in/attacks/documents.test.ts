import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { document, type Internet, startInternet } from '../requirements/internet.ts'
import {
  type Browser,
  broughtBack,
  CALLBACK,
  decide,
  exchange,
  handleIn,
  person,
  question,
  type Scene,
  startScene,
} from './scene.ts'

let internet: Internet
let scene: Scene
let browser: Browser
beforeAll(async () => {
  internet = await startInternet()
  scene = await startScene({}, internet.address)
  browser = await person(scene)
})
afterAll(async () => {
  await scene.stop()
  internet.close()
})

let count = 0
/** Publishes an app's document, and returns the app. */
function publish(more: object = {}, host = 'app.example', headers: Record<string, string> = {}) {
  const path = `${host}/${++count}.json`
  const client_id = `https://${path}`
  const whole = { client_id, client_name: 'An app', redirect_uris: [CALLBACK], ...more }
  internet.sites.set(path, document(whole, 200, headers))
  return { client_id, redirect_uris: [CALLBACK] }
}

const open = (client_id: string) =>
  browser.ask('GET', question({ client_id, redirect_uris: [CALLBACK] }).path)

async function expectRefused(client_id: string, allowed = [400]): Promise<void> {
  const { status, headers, text } = await open(client_id)
  const place = client_id.slice(0, 100)
  expect([place, allowed.includes(status), headers.get('location')]).toEqual([place, true, null])
  expect(text).not.toContain('name="handle"')
}

test('a document on a public host is read', async () => {
  expect(handleIn(await open(publish().client_id))).not.toBe('')
})

test('a site that this deployment cannot reach is not reported as the app’s fault', async () => {
  internet.sites.set('down.example', (_, answer) => void answer.destroy())
  const { status, text, headers } = await open('https://down.example/app.json')
  expect([status, headers.get('location')]).toEqual([503, null])
  expect(text).toContain('this deployment could not reach that address')
  expect(text).not.toContain('malformed')
})

describe('nobody can make the server request', () => {
  test.each([
    'https://127.0.0.1/x.json',
    'https://127.1/x.json',
    'https://2130706433/x.json',
    'https://0x7f000001/x.json',
    'https://0177.0.0.1/x.json',
    'https://0/x.json',
    'https://0.0.0.0/x.json',
    'https://10.0.0.1/x.json',
    'https://172.16.0.1/x.json',
    'https://192.168.1.1/x.json',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/x.json',
    'https://1.1.1.1/x.json',
    'https://[::1]/x.json',
    'https://[::]/x.json',
    'https://[::ffff:127.0.0.1]/x.json',
    'https://[::ffff:7f00:1]/x.json',
    'https://[fd00::1]/x.json',
    'https://[fe80::1]/x.json',
    'https://[64:ff9b::7f00:1]/x.json',
    'https://①②⑦.0.0.1/x.json',
    'https://127。0。0。1/x.json',
    'https://127.0.0.1./x.json',
    'https://localhost/x.json',
    'https://LOCALHOST/x.json',
    'https://localhost./x.json',
    'https://a.localhost/x.json',
    'https://router/x.json',
    'https://db.internal/x.json',
    'https://metadata.google.internal/x.json',
    'https://printer.local/x.json',
    'https://nas.lan/x.json',
    'https://box.home.arpa/x.json',
    'https://wiki.corp/x.json',
    'https://hidden.onion/x.json',
  ])('a private network: %s', async (client_id) => {
    const { length } = internet.asked
    await expectRefused(client_id)
    expect(internet.asked.slice(length)).toEqual([])
  })

  test.each([
    'https://app.example:22/x.json',
    'https://app.example:8443/x.json',
    'https://app.example:80/x.json',
    'https://user@app.example/x.json',
    'https://user:secret@app.example/x.json',
    'https://app.example@evil.example/../x.json',
    'https://app.example/x.json#x',
    'https://app.example/x.json#',
    'https://app.example/a/../x.json',
    'https://app.example/%2E%2e/x.json',
    'https://app.example/x.json\r\nHost: evil.example',
    'https://app.example/x.json\u0000',
    'https://app.example/ x.json',
    'https://app.example\\x.json',
    'https:/app.example/x.json',
    'https:app.example/x.json',
    'HTTPS://app.example/x.json',
    'https://APP.example/x.json',
    'https://app.example',
    'https://',
    'https:///x.json',
    'http://app.example/x.json',
    'ftp://app.example/x.json',
    'file:///etc/passwd',
    'data:application/json,{}',
    'javascript:alert(1)',
    `https://app.example/${'x'.repeat(7_000)}`,
  ])('a URL that no document can have: %j', async (client_id) => {
    const { length } = internet.asked
    await expectRefused(client_id)
    // A long URL can be requested, because it is on its own host.
    if (client_id.length < 1_000) expect(internet.asked.slice(length)).toEqual([])
  })

  test('a second host, by a redirect', async () => {
    const target = publish()
    for (const status of [301, 302, 303, 307, 308]) {
      for (const location of [
        target.client_id,
        'https://127.0.0.1/x.json',
        'http://169.254.169.254/latest/meta-data',
        'https://elsewhere.example/x.json',
        '//elsewhere.example/x.json',
      ]) {
        const path = `redirects.example/${++count}.json`
        internet.sites.set(path, document({}, status, { location }))
        const { length } = internet.asked
        await expectRefused(`https://${path}`)
        expect(internet.asked.slice(length)).toEqual([path])
      }
    }
  })

  test('a second host, for an app’s keys', async () => {
    for (const jwks_uri of [
      'https://127.0.0.1/keys.json',
      'https://[::1]/keys.json',
      'https://db.internal/keys.json',
      'https://app.example:8443/keys.json',
      'https://user@app.example/keys.json',
      'http://app.example/keys.json',
    ]) {
      const signing = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri }
      await expectRefused(publish(signing).client_id)
    }
    expect(internet.asked.filter((it) => it.includes('keys.json'))).toEqual([])
  })

  test('anything before somebody signs in, or for an invented code', async () => {
    const { client_id } = publish()
    const { length } = internet.asked
    const asked = question({ client_id, redirect_uris: [CALLBACK] })
    await scene.ask('GET', asked.path)
    const app = { client_id, redirect_uris: [CALLBACK] }
    for (const code of ['x', `${'A'.repeat(43)}:${'A'.repeat(16)}:${'A'.repeat(32)}`]) {
      const answer = await exchange(scene, app, asked, code)
      expect([400, 401]).toContain(answer.status)
    }
    const revoked = { token: 'x', client_id }
    await scene.ask('POST', '/token', { form: revoked })
    await scene.ask('POST', '/token', {
      form: { token: 'x' },
      headers: { authorization: `Basic ${btoa(`${encodeURIComponent(client_id)}:x`)}` },
    })
    expect(internet.asked.slice(length)).toEqual([])
  })

  test('a page for a picture', async () => {
    const logo = 'https://tracker.example/logo.png'
    const more = { logo_uri: logo, client_uri: 'https://tracker.example/', tos_uri: logo }
    const { text } = await open(publish(more).client_id)
    expect(text).not.toMatch(/<img|url\(|logo\.png/)
    expect(internet.asked.filter((it) => it.startsWith('tracker'))).toEqual([])
  })
})

describe('a document', () => {
  test.each([
    [{ client_id: 'https://other.example/1.json' }],
    [{ client_id: undefined }],
    [{ client_id: ['https://app.example/1.json'] }],
    [{ client_name: '' }],
    [{ client_name: 7 }],
    [{ client_name: { toString: 'x' } }],
    [{ redirect_uris: [] }],
    [{ redirect_uris: CALLBACK }],
    [{ redirect_uris: ['javascript:alert(1)'] }],
    [{ client_secret: 'a secret that all can read' }],
    [{ token_endpoint_auth_method: 'client_secret_post' }],
    [{ token_endpoint_auth_method: 'private_key_jwt' }],
    [
      {
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] },
      },
    ],
    [{ grant_types: ['implicit'] }],
    [{ response_types: ['token'] }],
    [{ __proto__: null, constructor: { prototype: {} }, client_name: null }],
  ])('that lacks a valid identity or sign-in method is rejected: %j', async (more) => {
    await expectRefused(publish(more).client_id)
  })

  test('that is large, slow to end, nested or not JSON is rejected', async () => {
    const sites: [string, Parameters<typeof internet.sites.set>[1]][] = [
      ['large', document({ x: 'x'.repeat(100_000) })],
      [
        'endless',
        (_, answer) => {
          answer.writeHead(200, { 'content-type': 'application/json' })
          const timer = setInterval(() => answer.write(' '.repeat(100_000)), 1)
          answer.on('close', () => clearInterval(timer))
        },
      ],
      ['nested', document(`{"client_id":${'['.repeat(2_000)}`)],
      ['nested-well', document(`{"x":${'['.repeat(2_000)}${']'.repeat(2_000)}}`)],
      ['text', document('not JSON')],
      ['page', document('<!doctype html><title>x</title>', 200, { 'content-type': 'text/html' })],
      ['bytes', document('\ufeff{"client_id":"\ud800"}')],
      ['empty', document('')],
      ['hangs-up', (_, answer) => void answer.destroy()],
      [
        'half',
        (_, answer) => {
          answer.writeHead(200, { 'content-length': '1000' })
          answer.write('{')
          answer.destroy()
        },
      ],
    ]
    for (const [name, site] of sites) {
      internet.sites.set(`broken.example/${name}.json`, site)
      // If the connection breaks before a response, the cause is unknown.
      const breaks = name === 'hangs-up' || name === 'half'
      await expectRefused(`https://broken.example/${name}.json`, breaks ? [400, 503] : [400])
    }
  })

  test('cannot claim the name of another host', async () => {
    const app = publish(
      { client_name: 'claude.ai', client_uri: 'https://claude.ai' },
      'evil.example',
    )
    const { text } = await open(app.client_id)
    expect(text).toContain('evil.example')
  })

  test('that has changed counts in its current form', async () => {
    const app = publish()
    const asked = question(app)
    const page = await browser.ask('GET', asked.path)
    expect(handleIn(page)).not.toBe('')
    const path = app.client_id.slice('https://'.length)
    const evil = ['https://evil.example/callback']
    internet.sites.set(path, document({ ...app, client_name: 'x', redirect_uris: evil }))
    const answer = await decide(browser, asked)
    expect(answer.headers.get('location')).toBe(null)
    await expectRefused(app.client_id)
  })

  test('that is gone stops its sign-ins, and redirects nobody', async () => {
    const app = publish()
    const asked = question(app)
    const brought = broughtBack(await decide(browser, asked))
    internet.sites.delete(app.client_id.slice('https://'.length))
    const answer = await exchange(scene, app, asked, brought.get('code') ?? '')
    expect([400, 401]).toContain(answer.status)
    await expectRefused(app.client_id)
  })
})

test('no log contains text from strangers', () => {
  expect(scene.log()).not.toMatch(/Something went wrong|evil|169\.254/)
})
