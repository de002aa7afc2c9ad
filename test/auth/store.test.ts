import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { NotedEvent } from '../../src/auth/server/events.ts'
import type { Orders } from '../../src/auth/server/orders.ts'
import { authorization, ORIGIN } from '../support/authorization.ts'
import { SimulatedObject } from '../support/objects.ts'
import { SECRET } from '../support/registry-api.ts'

const { Events } = await import('../../src/auth/server/events.ts')

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const OTHER_SECRET = 'Yp7Kd2mVx9Qa4Ws8Zr3Tn6Bh1Jc5Lf0G'
const THIRD_SECRET = 'qN5uE8rT2wX7zA4cV9bM3kL6jH1gF0dS'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2027, 0, 1) })
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Server = ReturnType<typeof authorization>

/** Lets time pass, and rings the alarms that come due. */
async function pass({ object }: Server, ms: number): Promise<void> {
  const until = Date.now() + ms
  while (object.alarmAt !== undefined && object.alarmAt <= until) {
    vi.setSystemTime(Math.max(object.alarmAt, Date.now()))
    await object.alarm()
  }
  vi.setSystemTime(until)
}

const keysOf = async (server: Server, prefix = '') =>
  (await (await server.store()).list({ prefix })).keys.map(({ name }) => name)

async function signedIn(server: Server) {
  const app = await server.register('client_secret_post')
  const { json } = await server.exchange(app, await server.allow(app))
  return { app, access: json.access_token as string, refresh: json.refresh_token as string }
}

const from = (address: string) => ({ 'cf-connecting-ip': address })

/** Tries to register an app, and returns the status. */
async function tried(server: Server, headers: Record<string, string> = {}): Promise<number> {
  const metadata = { redirect_uris: ['http://127.0.0.1/'], token_endpoint_auth_method: 'none' }
  return (await server.post('/register', JSON.stringify(metadata), headers)).status
}

describe('registrations', () => {
  test('are limited to thirty an hour from one network, even if simultaneous', async () => {
    const server = authorization()
    const many = await Promise.all(
      Array.from({ length: 40 }, (_, i) => tried(server, from(`2001:db8:1:2::${i + 1}`))),
    )
    expect(many.filter((it) => it === 201)).toHaveLength(30)
    expect(many.filter((it) => it === 429)).toHaveLength(10)
    expect(await tried(server, from('2001:db8:1:3::1'))).toBe(201)
    const refused = await server.post('/register', '{}', from('2001:db8:1:2::77'))
    expect(refused.headers.get('retry-after')).toBe('3600')
    expect(refused.json.error_description).toBe(
      'Too many apps registered from this network. Try again in an hour.',
    )
    await pass(server, HOUR)
    expect(await tried(server, from('2001:db8:1:2::1'))).toBe(201)
  })

  test('are limited to three hundred an hour from all networks in one site', async () => {
    const server = authorization()
    const outcomes: number[] = []
    for (let i = 0; i < 310; i++)
      outcomes.push(await tried(server, from(`2001:db8:1:${i.toString(16)}::1`)))
    expect(outcomes.indexOf(429)).toBe(300)
    expect(await tried(server, from('2001:db8:2::1'))).toBe(201)
  })

  test('that nobody uses are limited to 2,000, and the busiest site gives way', async () => {
    const server = authorization()
    const own = await server.register('none', from('192.0.2.1'))
    const known = async () => (await server.store()).has(`client:${own.id}`)
    const outcomes: number[] = []
    for (let i = 0; i < 2_500; i++)
      outcomes.push(await tried(server, from(`10.${i % 9}.1.${(i >> 4) & 255}`)))
    expect(outcomes.filter((it) => it === 201)).toHaveLength(2_500)
    expect(await (await server.store()).count('client:')).toBe(2_000)
    expect(await known()).toBe(true)
    await pass(server, 30 * DAY + HOUR)
    expect(await keysOf(server)).toEqual([])
    expect(server.object.stored).toBe(0)
  })

  test('that are refused are not counted', async () => {
    const server = authorization()
    for (let i = 0; i < 50; i++) {
      const { status } = await server.post('/register', '{}', from('192.0.2.1'))
      expect(status).toBe(400)
    }
    expect(server.object.stored).toBe(0)
    expect(await tried(server, from('192.0.2.1'))).toBe(201)
  })

  test.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
    ['a plain-text form', { 'content-type': 'text/plain' }, 400],
    [
      'a page that is navigated to',
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' },
      400,
    ],
    ['a page that cannot read the response', { 'sec-fetch-mode': 'no-cors' }, 400],
    ['a preflighted page', { 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'cross-site' }, 201],
    ['a program', { 'content-type': 'application/json; charset=utf-8' }, 201],
  ])('are checked by their kind: %s', async (_, headers, status) => {
    const server = authorization()
    expect(await tried(server, headers)).toBe(status)
    expect(await (await server.store()).count('client:')).toBe(status === 201 ? 1 : 0)
  })

  test('from more than ten thousand networks are counted in a bounded table', async () => {
    const server = authorization()
    const store = await server.store()
    for (let i = 0; i < 12_000; i++) store.tally(`registrations ${i}`, 3_600)
    expect(server.object.stored).toBe(10_000)
    expect(store.tally('registrations 11999', 3_600)).toBe(2)
    await server.register()
    await pass(server, HOUR)
    expect(store.tally('registrations 11999', 3_600)).toBe(1)
    await pass(server, 30 * DAY + HOUR)
    expect(server.object.stored).toBe(0)
  })

  test('expire after a month if nobody uses them, or a year after their last grant', async () => {
    const server = authorization()
    const unused = await server.register('client_secret_post')
    const { app, refresh } = await signedIn(server)
    // Many apps register when they start, and people sign in with them later.
    await pass(server, 29 * DAY)
    expect((await server.exchange(unused, 'x')).json.error).toBe('invalid_grant')
    await pass(server, DAY + MINUTE)
    expect((await server.exchange(unused, 'x')).json.error).toBe('invalid_client')
    expect((await server.exchange(app, 'x')).json.error).toBe('invalid_grant')
    let token = refresh
    for (let i = 0; i < 8; i++) {
      await pass(server, (i === 0 ? 50 : 88) * DAY)
      const { status, json } = await server.refresh(app, token)
      expect(status).toBe(200)
      token = json.refresh_token
    }
    await pass(server, 182 * DAY)
    expect((await server.refresh(app, token)).json.error).toBe('invalid_grant')
    await pass(server, 366 * DAY)
    expect((await server.refresh(app, token)).json.error).toBe('invalid_client')
    expect(server.object.stored).toBe(0)
  })

  test('have a secret without an expiry date, which would make apps register again', async () => {
    const server = authorization()
    const body = JSON.stringify({ redirect_uris: ['http://127.0.0.1/'] })
    const { status, json } = await server.post('/register', body)
    expect(status).toBe(201)
    expect(json.client_secret_expires_at).toBe(0)
    const open = { redirect_uris: ['http://127.0.0.1/'], token_endpoint_auth_method: 'none' }
    const { json: own } = await server.post('/register', JSON.stringify(open))
    expect(Object.keys(own).filter((it) => it.startsWith('client_secret'))).toEqual([])
  })

  test('are refused if they are too long, even without a content length', async () => {
    const server = authorization()
    const body = JSON.stringify({ client_name: 'x'.repeat(64 * 1024) })
    expect(await server.post('/register', body)).toMatchObject({
      status: 413,
      json: { error_description: 'The body must have at most 64 KiB.' },
    })
    const stream = new Response(body).body!
    const init = { method: 'POST', body: stream, duplex: 'half' } as RequestInit
    const answer = await server.object.fetch(new Request(`${ORIGIN}/register`, init))
    expect(answer.status).toBe(413)
  })
})

describe('after the secret is changed', () => {
  test('everything works with the previous secret, and after resealing without it', async () => {
    const server = authorization()
    const { app, access, refresh } = await signedIn(server)
    const code = await server.allow(app)
    server.deploy({ TIDEGATE_SECRET: OTHER_SECRET, TIDEGATE_SECRET_PREVIOUS: SECRET })
    expect(await server.isGood(access)).toBe(true)
    const { status, json } = await server.refresh(app, refresh)
    expect(status).toBe(200)
    expect((await server.exchange(app, code)).status).toBe(200)

    const { toReseal } = await server.take('sealing', undefined)
    expect(toReseal).toBeGreaterThan(0)
    let done = 0
    let after: string | undefined = ''
    do {
      const step: Awaited<ReturnType<Orders['reseal']>> = await server.take('reseal', {
        after,
        limit: 1,
      })
      done += step.resealed
      after = step.next
    } while (after !== undefined)
    expect(done).toBe(toReseal)
    expect(await server.take('sealing', undefined)).toEqual({ toReseal: 0 })

    server.deploy({ TIDEGATE_SECRET_PREVIOUS: '' })
    expect(await server.isGood(access)).toBe(true)
    expect((await server.refresh(app, json.refresh_token)).status).toBe(200)
  })

  test('data that neither secret opens counts as gone, and people sign in again', async () => {
    const server = authorization()
    const { app, access, refresh } = await signedIn(server)
    server.deploy({ TIDEGATE_SECRET: OTHER_SECRET, TIDEGATE_SECRET_PREVIOUS: THIRD_SECRET })
    expect(await server.isGood(access)).toBe(false)
    expect((await server.refresh(app, refresh)).json.error).toBe('invalid_client')
    expect(await server.take('grants', { limit: 10 })).toMatchObject({ entries: [] })
    expect(await server.take('reseal', { after: '', limit: 100 })).toMatchObject({ resealed: 0 })
    const again = await signedIn(server)
    expect(await server.isGood(again.access)).toBe(true)
    expect((await server.take('grants', { limit: 10 })).entries).toHaveLength(1)
    // The original secret is set again, and the data that it sealed is still there.
    server.deploy({ TIDEGATE_SECRET: SECRET, TIDEGATE_SECRET_PREVIOUS: OTHER_SECRET })
    for (const it of [access, again.access]) expect(await server.isGood(it)).toBe(true)
  })
})

describe('a grant', () => {
  test('lasts 90 days from its last use, even across restarts', async () => {
    const server = authorization()
    const { app, refresh } = await signedIn(server)
    let token = refresh
    for (let i = 0; i < 6; i++) {
      await pass(server, 89 * DAY)
      server.object.evict()
      const { status, json } = await server.refresh(app, token)
      expect(status).toBe(200)
      token = json.refresh_token
      const [entry] = (await server.take('grants', { limit: 1 })).entries
      expect(entry).toMatchObject({ usedAt: Date.now(), expiresAt: Date.now() + 90 * DAY })
      expect(entry!.createdAt).toBe(Date.UTC(2027, 0, 1))
    }
    await pass(server, 90 * DAY)
    expect((await server.refresh(app, token)).json.error).toBe('invalid_grant')
    expect((await server.take('grants', { limit: 1 })).total).toBe(0)
  })

  test('lasts as many days as SIGN_IN_DAYS says', async () => {
    const server = authorization({ SIGN_IN_DAYS: '365' })
    const { app, refresh } = await signedIn(server)
    await pass(server, 364 * DAY)
    const { status, json } = await server.refresh(app, refresh)
    expect(status).toBe(200)
    await pass(server, 364 * DAY)
    expect((await server.refresh(app, json.refresh_token)).status).toBe(200)
  })

  test('takes a bounded number of rows, however often it is refreshed', async () => {
    const server = authorization()
    const { app, refresh } = await signedIn(server)
    let token = refresh
    for (let i = 0; i < 300; i++) {
      await pass(server, HOUR)
      token = (await server.refresh(app, token)).json.refresh_token
    }
    expect(server.object.stored).toBeLessThan(6)
    expect(server.object.mostBytes).toBeLessThan(8 * 1024)
  })
})

describe('the sweep', () => {
  test('removes entries that expire soon, even if a lasting entry was there first', async () => {
    const server = authorization()
    const { app } = await signedIn(server)
    await pass(server, DAY)
    // Only a grant and a registration are left, so the alarm is far away.
    expect(server.object.alarmAt).toBeGreaterThan(Date.now() + 30 * DAY)
    for (let i = 0; i < 5; i++) await server.register()
    await server.exchange(app, await server.allow(app))
    expect(server.object.alarmAt).toBeLessThan(Date.now() + 2 * HOUR)
    await pass(server, 30 * DAY + HOUR)
    expect((await keysOf(server, 'client:')).length).toBe(1)
    expect((await keysOf(server, 'token:')).every((it) => it.endsWith(':rotation'))).toBe(true)
    await pass(server, 400 * DAY)
    expect(server.object.stored).toBe(0)
    expect(server.object.alarmAt).toBe(undefined)
  })

  test('runs again after a failed sweep', async () => {
    const server = authorization()
    await server.register()
    // As if the sweep had been tried and given up.
    server.object.alarmAt = undefined
    vi.setSystemTime(Date.now() + 31 * DAY)
    await server.register()
    expect(server.object.alarmAt).toBeGreaterThan(Date.now())
    await pass(server, 31 * DAY)
    expect(server.object.stored).toBe(0)
  })
})

test('the record keeps the last 2,000 events, each of a bounded length', async () => {
  const object = new SimulatedObject('events', ({ storage }) => ({
    async fetch() {
      const events = new Events(storage.sql)
      for (let i = 0; i < 2_010; i++)
        events.note({ kind: 'signed in', person: `${i} ${'x'.repeat(500)}` })
      return Response.json(events.last(5_000))
    },
  }))
  const events = (await (await object.fetch(new Request(ORIGIN))).json()) as NotedEvent[]
  expect(events).toHaveLength(2_000)
  expect(object.stored).toBe(2_000)
  expect(events[0]!.person).toMatch(/^2009 x{200,300}…$/)
  expect(events.at(-1)!.person).toMatch(/^10 /)
})

test('events that strangers cause are merged, and push out no other events', async () => {
  const why = 'That is not the passphrase.'
  const object = new SimulatedObject('events', ({ storage }) => ({
    async fetch() {
      const events = new Events(storage.sql)
      events.note({ kind: 'app allowed', person: 'Ada', client: 'Claude' })
      const own = events.noteOfStranger({ kind: 'sign-in refused', why }, '192.0.2.1')
      const again = events.noteOfStranger({ kind: 'sign-in refused', why }, '192.0.2.99')
      for (let i = 0; i < 3_000; i++) {
        const network = `2001:db8:1:${i.toString(16)}`
        events.noteOfStranger({ kind: 'sign-in refused', person: `${i}@example.com`, why }, network)
      }
      return Response.json({ own, again, list: events.last(5_000) })
    },
  }))
  const answer = await object.fetch(new Request(ORIGIN))
  type Noted = { own: string; again: string; list: NotedEvent[] }
  const { own, again, list } = (await answer.json()) as Noted
  expect(list).toHaveLength(22)
  expect(list.find(({ kind }) => kind === 'app allowed')).toMatchObject({ person: 'Ada' })
  expect(again).toBe(own)
  expect(list.find(({ reference }) => reference === own)!.why).toBe(`${why} 2 times.`)
})
