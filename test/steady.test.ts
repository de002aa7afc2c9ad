import { globSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { steadyNow } from '../src/ground/index.ts'
import { Background } from '../src/registry/background.ts'
import { directory } from '../src/registry/calls/directory.ts'
import { Misses } from '../src/registry/calls/misses.ts'
import { FakeRegistry, saidBy } from './registry/fake-registry.ts'

const HOUR = 3_600_000

/**
 * The files that read the wall clock in the rooms that decide about rights, with the reason: they store a time, compare
 * it with a time from storage or from another system, or show it to people.
 */
const WALL: Readonly<Record<string, string>> = {
  'src/auth/access-token.ts': 'the expiry of a token',
  'src/auth/key.ts': 'the expiry of a key',
  'src/auth/jwt.ts': 'when groups were read, by a token',
  'src/auth/sign-in/group-list.ts': 'when groups were read, stored',
  'src/auth/issuer/signed.ts': 'the times in a signed token',
  'src/door/deployment.ts': 'when a key was used, stored',
  'src/door/doctor/ready.ts': 'checks again after the clock was set back',
  'src/registry/calls/calls.ts': 'shown to people',
  'src/registry/limits/meter-book.ts': 'stored',
  'src/registry/limits/meters.ts': 'the day of UTC',
  'src/registry/state/noted-changes.ts': 'stored',
  'src/registry/records/record-log.ts': 'stored',
  'src/registry/state/restoring.ts': 'stored',
  'src/registry/traces/metrics.ts': 'sent to other systems',
}

test('only the listed files that decide about rights read the wall clock', () => {
  const read = globSync(['src/{door,auth,registry}/**/*.ts'])
    .map((path) => path.replaceAll('\\', '/'))
    // The operator's changes and the authorization server's storage have times of the wall clock.
    .filter((path) => !/^src\/(?:registry\/api|auth\/server)\//.test(path))
    .filter((path) => /\bDate\.now\b/.test(readFileSync(path, 'utf8')))
  expect(read.sort()).toEqual(Object.keys(WALL).sort())
})

describe('after the clock is set back by an hour', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const back = () => vi.setSystemTime(Date.now() - HOUR)

  test('the steady clock continues, at least an hour later than before', () => {
    const before = steadyNow()
    vi.setSystemTime(Date.now() + 500)
    expect(steadyNow() - before).toBe(500)
    back()
    expect(steadyNow() - before).toBeGreaterThanOrEqual(HOUR)
    const then = steadyNow()
    vi.setSystemTime(Date.now() + 500)
    expect(steadyNow() - then).toBe(500)
  })

  test('the registry is read again, so a revoked key is refused', async () => {
    const registry = new FakeRegistry()
    registry.change('endpoint', 'shop')
    registry.change('key', 'K')
    const { lookup } = directory(registry.ask, () => {})
    const ask = async () => {
      const found = lookup({ endpoint: 'shop', key: 'K' }).then(saidBy)
      await vi.advanceTimersByTimeAsync(1_000)
      return found
    }
    const first = await ask()
    registry.change('key', 'K')
    back()
    expect(await ask()).not.toEqual(first)
  })

  test('the call log continues, because background work still runs', async () => {
    let runs = 0
    const waiting: Promise<unknown>[] = []
    const background = new Background(
      async () => {
        runs++
        // The first run never ends, like work in an isolate whose request is over.
        if (runs === 1) await new Promise(() => {})
        return false
      },
      (work) => void waiting.push(work),
    )
    background.wake()
    await vi.advanceTimersByTimeAsync(1_000)
    back()
    await vi.advanceTimersByTimeAsync(10_000)
    background.wake()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(runs).toBe(2)
  })

  test('failed lookups of an address are forgotten after a minute', async () => {
    const misses = new Misses()
    for (let i = 0; i < 60; i++) misses.note('192.0.2.1')
    expect(misses.tooMany('192.0.2.1')).toBe(true)
    back()
    await vi.advanceTimersByTimeAsync(61_000)
    expect(misses.tooMany('192.0.2.1')).toBe(false)
  })
})
