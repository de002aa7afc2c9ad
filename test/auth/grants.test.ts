import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type App, authorization } from '../support/authorization.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2027, 0, 1) })
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Server = ReturnType<typeof authorization>

async function signIn(server: Server, app: App, name: string): Promise<string> {
  const { json } = await server.exchange(app, await server.allow(app, { name }))
  return json.access_token
}

/** Every grant, page by page. */
async function all(server: Server, limit: number, person?: string) {
  const pages = []
  let after: string | undefined
  do {
    const page = await server.take('grants', { after, limit, person })
    expect(page.entries.length).toBeLessThanOrEqual(limit)
    pages.push(page.entries)
    after = page.next
  } while (after !== undefined)
  return pages.flat()
}

describe('grants', () => {
  test('are listed page by page, for everyone or for one person', async () => {
    const server = authorization()
    const app = await server.register()
    for (let i = 0; i < 7; i++) await signIn(server, app, i % 3 ? 'ada@example.com' : `${i}@b.c`)
    for (const limit of [1, 2, 3, 7, 8]) {
      const listed = await all(server, limit)
      expect(new Set(listed.map(({ id }) => id)).size).toBe(7)
      const own = await all(server, limit, 'Ada@Example.com')
      expect(own.map(({ person }) => person)).toEqual(Array(4).fill('ada@example.com'))
      expect(await all(server, limit, 'nobody')).toEqual([])
    }
    const [entry] = await all(server, 1, '0@b.c')
    expect(entry).toEqual({
      id: expect.stringMatching(/^gr_[\w-]{16}$/),
      person: '0@b.c',
      client: 'An app',
      endpoints: ['shop'],
      scopes: ['db:read'],
      createdAt: Date.now(),
      usedAt: Date.now(),
      expiresAt: Date.now() + 90 * 86_400_000,
    })
    expect((await server.take('grants', { limit: 1 })).total).toBe(7)
  })

  test('are revoked one at a time, and the revocation is recorded', async () => {
    const server = authorization()
    const app = await server.register()
    const tokens = [await signIn(server, app, 'ada'), await signIn(server, app, 'ada')]
    const [first] = await all(server, 10)
    expect(await server.take('revoke', { id: first!.id })).toBe(true)
    expect(await server.take('revoke', { id: first!.id })).toBe(false)
    for (const id of ['gr_0000000000000000', 'gr_________________', '', ':', 'grant:'])
      expect(await server.take('revoke', { id })).toBe(false)
    const good = await Promise.all(tokens.map((it) => server.isGood(it)))
    expect(good.sort()).toEqual([false, true])
    expect(await server.take('events', { limit: 10 })).toMatchObject([
      { kind: 'grant revoked', person: 'ada', client: 'An app' },
    ])
  })

  test('end only after the sessions of a person who has left', async () => {
    const server = authorization()
    const app = await server.register()
    await signIn(server, app, 'ada')
    const store = await server.store()
    await store.put('session:a', JSON.stringify({ person: { id: 'test ada', name: 'ada' } }))
    let left = 0
    let after: string | undefined
    do {
      left = store.count('session:')
      const step = await server.take('revokeOf', { person: 'ada', after })
      if (step.grants > 0) break
      after = step.next
    } while (after !== undefined)
    expect([left, store.count('grant:')]).toEqual([0, 0])
  })

  test('end only for the person who has left, along with sessions and codes', async () => {
    const server = authorization()
    const app = await server.register()
    const left = [await signIn(server, app, 'Ada@x.y'), await signIn(server, app, 'ada@x.y')]
    const stays = await signIn(server, app, 'bob@x.y')
    await server.take('makeCode', { person: 'ada@x.y' })
    await server.take('makeCode', { person: 'bob@x.y' })
    await server.take('makeCode', {})
    const store = await server.store()
    for (const name of ['ada@x.y', 'bob@x.y'])
      await store.put(`session:${name}`, JSON.stringify({ person: { id: name, name } }), {
        expirationTtl: 60,
      })
    let grants = 0
    let after: string | undefined
    do {
      const done: { grants: number; next?: string | undefined } = await server.take('revokeOf', {
        person: 'ada@x.y',
        after,
      })
      grants += done.grants
      after = done.next
    } while (after !== undefined)
    expect(grants).toBe(2)
    for (const it of left) expect(await server.isGood(it)).toBe(false)
    expect(await server.isGood(stays)).toBe(true)
    const { keys } = await store.list({})
    const kinds = keys.map(({ name }) => name.split(':')[0])
    expect(kinds).toEqual(['client', 'code', 'code', 'grant', 'session', 'token'])
    expect(await store.get('session:bob@x.y')).not.toBe(null)
  })
})
