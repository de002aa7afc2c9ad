import '../../support/workers-module.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isWithdrawn, READ_FROM, reasonOf } from '../../../src/auth/server/library-sentences.ts'
import { authorization, ORIGIN, REDIRECT } from '../../support/authorization.ts'

const { libraryFor } = await import('../../../src/auth/server/library.ts')
const { AuthorizationError, CimdFetchError } = await import('@cloudflare/workers-oauth-provider')

const ROOT = join(import.meta.dirname, '../../..')
const NAME = '@cloudflare/workers-oauth-provider'
const DOCUMENT = 'https://app.example/client.json'

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('the messages match the installed version, which is pinned', () => {
  expect(readJson(`node_modules/${NAME}/package.json`).version).toBe(READ_FROM)
  expect(readJson('package.json').devDependencies[NAME]).toBe(READ_FROM)
})

/** The library, an app that is registered with it, and the app's requests. */
async function asking() {
  const server = authorization()
  const { id } = await server.register()
  const env = { TIDEGATE_KEY: 'key-of-the-operator' }
  const library = await libraryFor(ORIGIN, undefined, env)
  const store = await server.store()
  const api = library.getOAuthApi({ OAUTH_KV: store })
  const ask = (more: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      ...{ response_type: 'code', client_id: id, redirect_uri: REDIRECT, scope: 'db:read' },
      ...{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256', ...more },
    })
    return api.parseAuthRequest(new Request(`${ORIGIN}/authorize?${query}`))
  }
  return { api, store, ask }
}

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

/** The reason for which the library refuses, as read from its message. */
async function reasonBy(work: Promise<unknown>) {
  const error = await thrownBy(work)
  expect(error).toBeInstanceOf(AuthorizationError)
  return reasonOf((error as InstanceType<typeof AuthorizationError>).description)
}

describe('the library reports about a request', () => {
  test('that the app is unknown, or names another address', async () => {
    const { ask } = await asking()
    expect(await reasonBy(ask({ client_id: 'nobody' }))).toBe('client_unknown')
    for (const redirect_uri of ['https://other.example/', 'javascript:alert(1)', '']) {
      expect(await reasonBy(ask({ redirect_uri }))).toBe('redirect_uri_foreign')
    }
    expect(await reasonBy(ask({ client_id: '' }))).toBe('malformed')
  })

  test('that its page has ended after a wrong handle or cookie, or a second use', async () => {
    const { api, ask } = await asking()
    const { handle, headers } = await api.beginConsent(await ask())
    const cookie = headers.get('set-cookie')!.split(';')[0]!
    const deny = (said: string, at = handle) =>
      api.denyConsent(new Request(ORIGIN, { method: 'POST', headers: { cookie: said } }), at)
    const [name] = cookie.split('=')
    expect(await reasonBy(deny(cookie, ''))).toBe('page_over')
    expect(await reasonBy(deny(''))).toBe('page_over')
    expect(await reasonBy(deny(`${name}=${'0'.repeat(64)}`))).toBe('page_over')
    await deny(cookie)
    expect(await reasonBy(deny(cookie))).toBe('page_over')
  })
})

describe('the library reports about a document', () => {
  test.each([
    ['does not exist', () => new Response('', { status: 404 }), true],
    ['is gone', () => new Response('', { status: 410 }), true],
    ['is another app’s', () => document({ client_id: 'https://other.example/client.json' }), true],
    ['is temporarily unavailable', () => new Response('', { status: 503 }), false],
    ['is forbidden to us', () => new Response('', { status: 403 }), false],
    ['is an HTML page', () => new Response('<h1>Maintenance</h1>'), false],
  ])('that it %s', async (_, answer, withdrawn) => {
    vi.stubGlobal('fetch', async () => answer())
    const { ask } = await asking()
    const error = await thrownBy(ask({ client_id: DOCUMENT }))
    expect(error).toBeInstanceOf(CimdFetchError)
    expect(isWithdrawn((error as InstanceType<typeof CimdFetchError>).detail)).toBe(withdrawn)
  })
})

const document = (more: object) =>
  Response.json({ client_id: DOCUMENT, client_name: 'App', redirect_uris: [REDIRECT], ...more })
