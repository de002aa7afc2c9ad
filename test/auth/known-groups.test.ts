import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { UnknownGroups } from '../../src/auth/sign-in/person.ts'
import { authorization } from '../support/authorization.ts'

const HOUR = 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2027, 0, 1) })
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

/** A server, and an app that acts for a person whom a provider described like this. */
async function signedIn(provided?: Parameters<ReturnType<typeof authorization>['allow']>[1]) {
  const server = authorization()
  const app = await server.register()
  const { json } = await server.exchange(app, await server.allow(app, provided))
  return { server, app, access: json.access_token as string, refresh: json.refresh_token as string }
}

const byProvider = (more: object = {}) => ({
  provided: { groups: ['staff'], groupsAt: Date.now(), ...more },
})

describe('a grant for a person from a provider', () => {
  test('ends after a day if groups matter, though the app refreshes it every hour', async () => {
    const { server, app, ...tokens } = await signedIn(byProvider())
    server.nameGroups()
    let { access, refresh } = tokens
    for (let hour = 1; hour < 24; hour++) {
      pass(HOUR - 1_000)
      const { status, json } = await server.refresh(app, refresh)
      expect([hour, status]).toEqual([hour, 200])
      access = json.access_token
      refresh = json.refresh_token
      expect(await server.isGood(access)).toBe(true)
    }
    const [entry] = (await server.take('grants', { limit: 10 })).entries
    expect(entry!.expiresAt).toBe(Date.UTC(2027, 0, 2))
    pass(HOUR + 60_000)
    expect(await server.take('granted', { token: access })).toBeUndefined()
    const last = await server.refresh(app, refresh)
    expect(last).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    expect(last.json.error_description).toContain('more than a day ago. Sign in again.')
    expect((await server.take('grants', { limit: 10 })).entries).toEqual([])
    const [event] = await server.take('events', { limit: 1 })
    expect(event).toMatchObject({
      kind: 'grant revoked',
      why: expect.stringContaining('a day ago'),
    })
  })

  test('does not repeat a refresh response once the day is over', async () => {
    const { server, app, refresh } = await signedIn(byProvider())
    server.nameGroups()
    pass(24 * HOUR - 10_000)
    expect((await server.refresh(app, refresh)).status).toBe(200)
    pass(20_000)
    expect((await server.refresh(app, refresh)).status).toBe(400)
  })

  test('explains why an access token that has not expired is refused after the day', async () => {
    const { server, access } = await signedIn(byProvider({ groupsAt: Date.now() - 23.9 * HOUR }))
    server.nameGroups()
    expect(await server.isGood(access)).toBe(true)
    pass(0.5 * HOUR)
    expect(await server.take('granted', { token: access })).toMatchObject({
      refused: expect.stringContaining('Sign in again.'),
    })
  })

  test('starts its day when the app gets it if the age of the groups is unknown', async () => {
    const { server, app, refresh } = await signedIn(byProvider({ groupsAt: undefined }))
    server.nameGroups()
    pass(23 * HOUR)
    const { status, json } = await server.refresh(app, refresh)
    expect(status).toBe(200)
    pass(2 * HOUR)
    expect((await server.refresh(app, json.refresh_token)).status).toBe(400)
  })

  test('is refused if a clock that was ahead dated its groups', async () => {
    const { server, access } = await signedIn(
      byProvider({ groupsAt: Date.now() + 365 * 24 * HOUR }),
    )
    server.nameGroups()
    expect(await server.isGood(access)).toBe(false)
  })

  test('lasts as long as usual while no rule names a group', async () => {
    const { server, app, refresh } = await signedIn(byProvider())
    pass(40 * 24 * HOUR)
    const { status, json } = await server.refresh(app, refresh)
    expect([status, await server.isGood(json.access_token)]).toEqual([200, true])
    // Now a rule names a group.
    server.nameGroups()
    expect(await server.isGood(json.access_token)).toBe(false)
    expect((await server.refresh(app, json.refresh_token)).status).toBe(400)
  })

  test.each<UnknownGroups>(['missing', 'odd', 'cut', 'left out'])(
    'is refused if groups matter and the person’s are %s',
    async (unknownGroups) => {
      const { server, app, access, refresh } = await signedIn(byProvider({ unknownGroups }))
      expect(await server.isGood(access)).toBe(true)
      server.nameGroups()
      expect(await server.take('granted', { token: access })).toMatchObject({
        refused: expect.stringMatching(/^Groups decide here who may see what, and .*\.$/),
      })
      expect((await server.refresh(app, refresh)).status).toBe(400)
    },
  )
})

test('a grant made with the passphrase does not depend on groups', async () => {
  const { server, app, refresh } = await signedIn()
  server.nameGroups()
  pass(40 * 24 * HOUR)
  const { status, json } = await server.refresh(app, refresh)
  expect([status, await server.isGood(json.access_token)]).toEqual([200, true])
})
