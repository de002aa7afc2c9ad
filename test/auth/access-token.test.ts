import '../support/workers-module.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RegistryUnavailable, TooManyMisses } from '../../src/registry/calls/directory.ts'

vi.mock('cloudflare:workers', () => ({ DurableObject: class {}, waitUntil() {} }))

const { grantedBy } = await import('../../src/auth/access-token.ts')

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2027, 0, 1) }))
afterEach(() => void vi.useRealTimers())

const RESOURCE = 'https://tidegate.example/mcp'
const tokenOf = (letter: string) => `${'u'.repeat(43)}:${'g'.repeat(16)}:${letter.repeat(32)}`

/** An isolate, and the valid tokens. */
function isolate() {
  const good = new Set<string>()
  const server = { isDown: false }
  const granted = {
    person: { id: 'ada', name: 'ada@example.com', groups: [] },
    allowed: true,
    scopes: ['db:read'],
    audience: RESOURCE,
    endpoints: ['shop'],
    expiresAt: Date.now() + 3_600_000,
  }
  async function take(_: string, { token }: { token: string }) {
    if (server.isDown) throw new Error('The object is gone.')
    return good.has(token) ? granted : undefined
  }
  const AUTHORIZATION = { idFromName: () => 'id', get: () => ({ take }) }
  const ask = grantedBy({ AUTHORIZATION } as never, async () => false)
  const isGood = async (token: string) =>
    (await ask(token, RESOURCE, '192.0.2.1').catch((error: Error) => error.constructor)) ?? 'none'
  return { good, server, granted, isGood }
}

test('a revoked token is refused promptly, even if the clock was set back meanwhile', async () => {
  const { good, granted, isGood } = isolate()
  const token = tokenOf('a')
  good.add(token)
  expect(await isGood(token)).toBe(granted)
  good.delete(token)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(await isGood(token)).toBe('none')
})

test('a once-valid token is checked again even if its network sent many invalid ones', async () => {
  const { good, server, granted, isGood } = isolate()
  const [mine, other, late] = ['a', 'b', 'c'].map(tokenOf) as [string, string, string]
  for (const it of [mine, other, late]) good.add(it)
  expect([await isGood(mine), await isGood(other)]).toEqual([granted, granted])
  for (let i = 0; i < 60; i++) expect(await isGood(tokenOf('x'))).toBe('none')
  expect([await isGood(tokenOf('x')), await isGood(late)]).toEqual([TooManyMisses, TooManyMisses])

  vi.setSystemTime(Date.now() + 9_001)
  server.isDown = true
  expect(await isGood(mine)).toBe(RegistryUnavailable)
  server.isDown = false
  good.delete(other)
  expect([await isGood(mine), await isGood(other)]).toEqual([granted, 'none'])
  // A token that has proved invalid counts like any other.
  expect(await isGood(other)).toBe(TooManyMisses)
})
