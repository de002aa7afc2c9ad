import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { directory, RegistryUnavailable } from '../../src/registry/calls/directory.ts'
import type { AskRegistry } from '../../src/registry/state/registry-state.ts'
import { FakeRegistry, saidBy, toldBy } from './fake-registry.ts'

/** The limit in the documentation. */
const BOUND_MS = 10_000

let registry: FakeRegistry
const log = vi.spyOn(console, 'error').mockImplementation(() => {})

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  log.mockClear()
  registry = new FakeRegistry()
  registry.change('endpoint', 'shop')
  registry.change('key', 'K')
})
afterEach(() => vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

function isolate(configured: readonly string[] = []) {
  const work: Promise<unknown>[] = []
  const it = directory(registry.ask, (more) => work.push(more), configured)
  /** Looks up an entry, and lets time pass until the result arrives. */
  const lookup = async (endpoint: string | null, key?: string) => {
    const answer = it.lookup({ endpoint, key }).then(saidBy, (error: unknown) => error)
    await pass(5_000)
    return answer
  }
  /** Looks up an entry that is known already, without letting time pass. */
  const at = async (endpoint: string | null, key?: string) => {
    let answer: unknown = 'not known'
    const take = (it: unknown) => {
      answer = it
    }
    void it.lookup({ endpoint, key }).then((found) => take(saidBy(found)), take)
    await pass(0)
    return answer
  }
  return { ask: it.lookup, forget: it.forget, lookup, at, work }
}

/** Lookups that return at once. */
const AT_ONCE = { there: 0, back: 0 }

describe('an isolate’s knowledge', () => {
  beforeEach(() => {
    registry.hop = AT_ONCE
  })

  test('is used for just less than ten seconds', async () => {
    const { at } = isolate()
    expect(await at('shop')).toBe('shop,1,,')
    await pass(BOUND_MS - 1)
    registry.hop = { there: 3_000, back: 0 }
    registry.change('endpoint', 'shop', true)
    expect(await at('shop')).toBe('shop,1,,')
    await pass(1)
    expect(await at('shop')).toBe('not known')
  })

  test('is requested once in five seconds, however many requests there are', async () => {
    const { at } = isolate()
    for (let second = 0; second < 60; second++) {
      for (let i = 0; i < 20; i++) await at('shop', 'K')
      await pass(1_000)
    }
    expect(registry.asked.length).toBeLessThanOrEqual(12)
    // Only the first lookup was about the endpoint. The others asked for changes.
    expect(registry.asked.filter((it) => it.endpoint !== undefined)).toHaveLength(1)
  })

  test('is dropped for a changed entry, and kept for other entries', async () => {
    registry.change('endpoint', 'other')
    registry.change('key', 'L')
    const { at } = isolate()
    for (const name of ['shop', 'other', null]) for (const key of ['K', 'L']) await at(name, key)
    const asked = registry.asked.length
    registry.change('key', 'L', true)
    await pass(6_000)
    await at('shop', 'K')
    expect(registry.asked).toHaveLength(asked + 1)
    await at('other', 'K')
    await at(null, 'K')
    expect(registry.asked).toHaveLength(asked + 1)
    expect(await at('shop', 'L')).toBe('shop,1,,')
    expect(registry.asked).toHaveLength(asked + 2)
  })

  test('is dropped at once where a change was made, and within ten seconds elsewhere', async () => {
    const [here, elsewhere] = [isolate(), isolate()]
    await here.at('shop', 'K')
    await elsewhere.at('shop', 'K')
    registry.change('key', 'K', true)
    here.forget()
    expect(await here.at('shop', 'K')).toBe('shop,1,,')
    await pass(BOUND_MS)
    expect(await elsewhere.at('shop', 'K')).toBe('shop,1,,')
  })

  test('does not come from a lookup that was under way when a change was made here', async () => {
    const here = isolate()
    registry.hop = { there: 0, back: 1_000 }
    const before = here.ask({ endpoint: 'shop', key: 'K' })
    await pass(500)
    registry.change('key', 'K', true)
    here.forget()
    registry.hop = AT_ONCE
    await pass(1_000)
    expect(saidBy(await before)).toBe('shop,1,2,')
    expect(await here.at('shop', 'K')).toBe('shop,1,,')
  })

  test('is as old as the lookup’s start', async () => {
    const { ask, at } = isolate()
    registry.hop = { there: 0, back: 2_000 }
    void ask({ endpoint: 'shop' })
    await pass(1)
    registry.change('endpoint', 'shop', true)
    await pass(BOUND_MS - 2)
    registry.hop = { there: 3_000, back: 0 }
    expect(await at('shop')).toBe('shop,1,,')
    await pass(1)
    expect(await at('shop')).toBe('not known')
  })

  test('never comes from an older result that arrives later', async () => {
    const { ask, at } = isolate()
    await at('shop')
    registry.hop = { there: 0, back: 2_000 }
    void ask({ endpoint: 'shop', key: 'K' })
    await pass(1)
    registry.change('key', 'K', true)
    registry.hop = AT_ONCE
    await at(null)
    await pass(4_000)
    expect(await at('shop', 'K')).toBe('shop,1,,')
  })

  test('does not survive a restore of the registry', async () => {
    registry.save()
    for (const name of ['other', 'more']) registry.change('endpoint', name)
    const { ask, at } = isolate()
    expect(await at('more')).toBe('more,4,,')
    // Sent to the previous instance, but answered by the next one.
    registry.hop = { there: 1_000, back: 1_000 }
    void ask({})
    await pass(1)
    registry.restore()
    registry.hop = AT_ONCE
    expect(await at('shop')).toBe('shop,1,,')
    registry.change('endpoint', 'shop')
    await pass(3_000)
    // The version is the same as once before the restart, but it is for another endpoint.
    expect(await at('more')).toBe(',,,')
    expect(await at('shop')).toBe('shop,5,,')
  })

  test('is not pushed out by invented names and keys', async () => {
    const { at } = isolate(['mine'])
    for (const name of ['shop', 'mine', null]) await at(name, 'K')
    for (let i = 0; i < 5_000; i++) {
      await at(`made-up-${i}`)
      await at('shop', `made-up-${i}`)
      await at(`made-up-${i}`, 'K')
      if (i % 100 === 0) await pass(10)
    }
    const asked = registry.asked.length
    for (const name of ['shop', 'mine', null]) expect(await at(name, 'K')).not.toBe('not known')
    expect(registry.asked).toHaveLength(asked)
    // Only a few hundred of them are remembered.
    await at('made-up-4999', 'K')
    expect(registry.asked).toHaveLength(asked)
    await at('made-up-1')
    expect(registry.asked).toHaveLength(asked + 1)
  })

  test('is not looked up for a network that keeps requesting missing entries', async () => {
    const known = directory(registry.ask as AskRegistry, () => {})
    const look = (endpoint: string, address: string) => known.lookup({ endpoint }, address)
    const asking = async (name: string, address: string) => {
      const answer = look(name, address)
      answer.catch(() => {})
      await pass(10)
      return answer.then(
        () => 'asked',
        (error: Error) => error.name,
      )
    }
    for (let i = 0; i < 60; i++) expect(await asking(`made-up-${i}`, 'bad')).toBe('asked')
    expect(await asking('another', 'bad')).toBe('TooManyMisses')
    expect(await asking('another', 'good')).toBe('asked')
    // A known entry is still answered.
    expect(await asking('another', 'bad')).toBe('asked')
    await pass(60_000)
    expect(await asking('one-more', 'bad')).toBe('asked')
  })

  test('is looked up again for a known caller, whatever else their network invented', async () => {
    const { ask } = isolate()
    const asking = (endpoint: string) =>
      ask({ endpoint, person: 'ada', memberOf: ['staff'] }, 'one network').then(
        () => 'asked',
        (error: Error) => error.constructor.name,
      )
    expect(await asking('shop')).toBe('asked')
    for (let i = 0; i < 60; i++) expect(await asking(`made-up-${i}`)).toBe('asked')
    await pass(BOUND_MS)
    expect([await asking('shop'), await asking('another')]).toEqual(['asked', 'TooManyMisses'])
  })

  test('takes no more memory if results are large', async () => {
    const title = 'x'.repeat(256 * 1024)
    const asked: string[] = []
    const none = { endpoints: [], keys: [] }
    const ask = (async (_: string, { endpoint, key }: { endpoint: string; key: string }) => {
      asked.push(key)
      const entry = { name: endpoint, value: { title } }
      return { instance: 'a', version: 1, changes: none, endpoint: entry, key: { id: key } }
    }) as unknown as AskRegistry
    const { lookup } = directory(ask, () => {})
    for (let i = 0; i < 100; i++) await lookup({ endpoint: 'shop', key: `K${i}` })
    asked.length = 0
    // The newest results are remembered, up to eight million characters.
    for (let i = 99; i >= 0; i--) await lookup({ endpoint: 'shop', key: `K${i}` })
    expect(asked.length).toBeGreaterThan(60)
    expect(asked.length).toBeLessThan(80)
    expect(asked[0]).toBe('K68')
  })

  test('takes no more memory if people are in many groups', async () => {
    const memberOf = Array.from({ length: 200 }, (_, i) => `${i}`.padEnd(200, 'x'))
    const asked: string[] = []
    const none = { endpoints: [], keys: [] }
    const ask = (async (_: string, { person }: { person: string }) => {
      asked.push(person)
      return { instance: 'a', version: 1, changes: none, endpoint: { name: 'shop' } }
    }) as unknown as AskRegistry
    const { lookup } = directory(ask, () => {})
    const look = (i: number) => lookup({ endpoint: 'shop', person: `p${i}`, memberOf })
    for (let i = 0; i < 400; i++) await look(i)
    asked.length = 0
    // This is eight million characters, with about forty thousand for each person.
    for (let i = 399; i >= 0; i--) await look(i)
    expect(asked.length).toBeGreaterThan(180)
    expect(asked.length).toBeLessThan(220)
  })

  test('includes that a name does not exist, until it does', async () => {
    const { at } = isolate()
    expect(await at('later', 'L')).toBe(',,,')
    const asked = registry.asked.length
    expect(await at('later', 'L')).toBe(',,,')
    expect(registry.asked).toHaveLength(asked)
    registry.change('endpoint', 'later')
    registry.change('key', 'L')
    await pass(BOUND_MS)
    expect(await at('later', 'L')).toBe('later,3,4,')
  })
})

describe('while the registry does not respond', () => {
  for (const [how, hop] of [
    ['fails', { there: 1, back: 1, fails: true }],
    ['hangs', { there: 3_600_000, back: 0 }],
  ] as const) {
    test(`known entries are used up to the limit, and then nothing is (it ${how})`, async () => {
      registry.hop = AT_ONCE
      const { at, lookup } = isolate()
      await at('shop', 'K')
      registry.hop = hop
      for (let second = 0; second < 10; second++) {
        expect(await at('shop', 'K')).toBe('shop,1,2,')
        await pass(1_000)
      }
      const began = Date.now()
      expect(await lookup('shop', 'K')).toBeInstanceOf(RegistryUnavailable)
      expect(await lookup('other')).toBeInstanceOf(RegistryUnavailable)
      expect(Date.now() - began).toBe(10_000)
      registry.hop = AT_ONCE
      expect(await at('shop', 'K')).toBe('shop,1,2,')
    })
  }

  test('the registry is asked again once a second, which is logged', async () => {
    registry.hop = AT_ONCE
    const { at, work } = isolate()
    await at('shop')
    await pass(5_001)
    registry.hop = { there: 0, back: 0, fails: true }
    for (let i = 0; i < 400; i++) {
      await at('shop')
      await pass(10)
    }
    expect(work).toHaveLength(4)
    expect(log).toHaveBeenCalledTimes(4)
  })

  test('a result that arrives too late is not used', async () => {
    registry.hop = { there: 0, back: 4_000 }
    const { at, lookup } = isolate()
    expect(await lookup('shop')).toBeInstanceOf(RegistryUnavailable)
    expect(await at('shop')).toBe('not known')
  })
})

// Only a few values, chosen so that limits are met exactly.
const ms = fc.constantFrom(0, 0, 1, 1_000, 2_500)

const look = fc.record({
  do: fc.constant('look' as const),
  where: fc.nat(1),
  endpoint: fc.constantFrom('a', 'b', null),
  key: fc.constantFrom('K', undefined),
})

const step = fc.oneof(
  { weight: 8, arbitrary: look },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(0, 1, 1_000, 2_500, 4_000, 5_001, 9_999),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      kind: fc.constantFrom('endpoint' as const, 'key' as const, 'group' as const),
      name: fc.constantFrom('a', 'b', 'K'),
      deleted: fc.boolean(),
      said: fc.constantFrom(null, null, 0),
    }),
  },
  fc.record({
    do: fc.constant('hop' as const),
    there: ms,
    back: ms,
    fails: fc.nat(5).map((it) => it === 0),
  }),
  fc.record({ do: fc.constant('save' as const) }),
  fc.record({ do: fc.constant('restore' as const) }),
)

test('all results were true within the last ten seconds, in any order of events', async () => {
  let answered = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      registry = new FakeRegistry()
      const isolates = [isolate(), isolate()]
      const said = [0, 0]
      const looks: Promise<void>[] = []
      for (const it of steps) {
        if (it.do === 'wait') await pass(it.ms)
        else if (it.do === 'hop') registry.hop = it
        else if (it.do === 'save') registry.save()
        else if (it.do === 'restore') registry.restore()
        else if (it.do === 'change') {
          registry.change(it.kind, it.kind === 'group' ? '' : it.name, it.deleted)
          if (it.said !== null) {
            isolates[it.said]!.forget()
            said[it.said] = registry.history.length - 1
          }
        } else {
          const asked = { endpoint: it.endpoint, key: it.key }
          // A change made in this isolate holds in it at once.
          const since = said[it.where]!
          const look = isolates[it.where]!.ask(asked).then(
            (found) => {
              answered++
              const from = Date.now() - BOUND_MS + 1
              const held = registry.history.filter(
                (_, i, all) => i >= since && (all[i + 1]?.at ?? from) >= from,
              )
              expect(held.map(({ truth }) => toldBy(truth, asked))).toContain(saidBy(found))
            },
            (error: unknown) => expect(error).toBeInstanceOf(RegistryUnavailable),
          )
          looks.push(look)
        }
      }
      await pass(20_000)
      await Promise.all(looks)
    }),
    { numRuns: 500 },
  )
  expect(answered).toBeGreaterThan(3_000)
})
