import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { directory } from '../../src/registry/directory.ts'
import type { Credential, EndpointEntry, Found } from '../../src/registry/entries.ts'
import { type AskReplica, Registry, registryIn, replicaIn } from '../../src/registry/registry.ts'
import { Objects, type SimulatedObject } from '../support/objects.ts'
// They are read now, so that nothing has to be read while time stands still.
import '../../src/registry/replica.ts'
import '../../src/registry/registry-state.ts'

const log = vi.spyOn(console, 'error').mockImplementation(() => {})
beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) })
  log.mockClear()
})
afterEach(() => vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

const credential = (id: string, endpoint: string, group?: string): Credential => ({
  ...{ id, endpoint, database: 'main', scheme: 'postgres', host: 'db.example', setAt: 1 },
  sealed: { keyId: 'old', iv: 'iv', text: `sealed ${id}` },
  ...(group && { group }),
})
const endpointOf = (name: string, at: number, id = `c-${name}`) =>
  ({
    ...{ name, active: true, credentials: { [id]: credential(id, name) } },
    value: { name, databases: { main: { url: `credential:${id}` } } },
    ...{ createdAt: at, changedAt: at },
  }) as unknown as EndpointEntry
const keyOf = (id: string, at: number) => ({
  ...{ id, hash: 'hash', label: id, endpoints: ['*'], scopes: ['db:read'] },
  ...{ createdAt: at, changedAt: at },
})
const groupOf = (name: string, at: number, keys = ['K']) => ({
  ...{ name, people: [], keys, changedAt: at },
  endpoints: { a: { databases: { main: { url: `credential:g-${name}` } } } },
  credentials: { [`g-${name}`]: credential(`g-${name}`, 'a', name) },
})

/** A registry and its replicas, in objects of their own. */
function deployment() {
  const objects: Objects = new Objects(
    (state) => new Registry(state, { REGISTRY: objects.binding }),
  )
  let stamp = 1
  const put = async (order: 'putEndpoint' | 'putKey' | 'putGroup', make: (at: number) => object) =>
    registryIn(objects.binding)(order, { entry: make(++stamp) } as never)
  const order = registryIn(objects.binding)
  /** Writes an entry over the one that is there. */
  const over = async (kind: 'endpoint' | 'key' | 'group', name: string, more: object = {}) => {
    const id = kind === 'key' ? { id: name } : { name }
    const now = (await order(kind, id as never)) as { changedAt: number } | undefined
    const make = { endpoint: endpointOf, key: keyOf, group: groupOf }[kind]
    const entry = { ...make(name, ++stamp), ...more }
    const as = { endpoint: 'putEndpoint', key: 'putKey', group: 'putGroup' } as const
    return order(as[kind], { entry, ...(now && { was: now.changedAt }) } as never)
  }
  const remove = (kind: 'endpoint' | 'key' | 'group', name: string) => {
    const as = { endpoint: 'deleteEndpoint', key: 'deleteKey', group: 'deleteGroup' } as const
    return order(as[kind], (kind === 'key' ? { id: name } : { name }) as never)
  }
  return {
    objects,
    order,
    put,
    over,
    remove,
    registry: () => objects.get('registry'),
    replica: (): { object: SimulatedObject; ask: AskReplica } => ({
      object: objects.get('replica-0'),
      ask: replicaIn(objects.binding, 1)!,
    }),
  }
}

const ASKED = ['a', 'b', 'c', null].flatMap((endpoint) =>
  [undefined, 'K', 'L'].map((key) => ({ since: 0, endpoint, key })),
)
const said = ({ endpoint, key, group, credentials, privateHosts }: Found) =>
  JSON.stringify({ endpoint, key, group, credentials, privateHosts })

/** A replica that is brought up to date says all that the registry says. */
async function expectSame({ order, replica }: ReturnType<typeof deployment>) {
  await pass(2_001)
  for (const asked of ASKED) {
    const [here, there] = [await replica().ask(asked), await order('lookup', asked)]
    expect(said(here!)).toBe(said(there!))
    expect([here!.version, here!.instance]).toEqual([there!.version, there!.instance])
  }
}

describe('a replica', () => {
  test('follows what is added, changed and removed, of each kind', async () => {
    const all = deployment()
    const { order, over, remove } = all
    await expectSame(all)
    for (const step of [
      () => over('endpoint', 'a'),
      () => over('endpoint', 'b'),
      () => over('key', 'K'),
      () => over('group', 'g'),
      () => over('endpoint', 'a', { active: false }),
      () => over('group', 'g', { keys: ['L'] }),
      () => over('key', 'L'),
      () => order('putSettings', { defaultEndpoint: 'b', privateHosts: ['db.internal'] }),
      () => order('putSettings', { defaultEndpoint: null }),
      async () => {
        const was = credential('g-g', 'a', 'g')
        const is = { ...was, sealed: { keyId: 'new', iv: 'iv', text: 'sealed again' } }
        expect(await order('reseal', { entries: [{ was, is }] })).toEqual({ done: 1 })
      },
      () => remove('endpoint', 'a'),
      () => over('endpoint', 'a'),
      () => remove('group', 'g'),
      () => remove('key', 'K'),
      () =>
        order('restore', {
          mode: 'replace',
          contents: {
            ...{ settings: { privateHosts: ['*'] }, groups: [groupOf('h', 90)] },
            ...{ endpoints: [endpointOf('c', 80)], keys: [keyOf('K', 80)] },
          },
        }),
    ]) {
      await step()
      await expectSame(all)
    }
    // Each was followed; all was copied at the start, and after the restore.
    const copies = log.mock.calls.length
    expect(copies).toBe(0)
  })

  test('says how old it is, and is never older', async () => {
    const all = deployment()
    const { over, remove, replica } = all
    await over('endpoint', 'a')
    const asked = { since: 0, endpoint: 'a' }
    expect(await replica().ask(asked)).toMatchObject({ age: 0, endpoint: { name: 'a' } })
    await pass(500)
    await remove('endpoint', 'a')
    await pass(1_500)
    expect(await replica().ask(asked)).toMatchObject({ age: 2_000, endpoint: { name: 'a' } })
    await pass(1)
    const found = await replica().ask(asked)
    expect([found!.age, found!.endpoint]).toEqual([0, undefined])
  })

  test('is as old as its question to the registry', async () => {
    const { over, registry, replica } = deployment()
    await over('endpoint', 'a')
    await replica().ask({ since: 0 })
    await pass(2_001)
    const { fetch } = registry()
    registry().fetch = async (request) => {
      const answer = await fetch.call(registry(), request)
      await new Promise((resolve) => setTimeout(resolve, 300))
      return answer
    }
    const answer = replica().ask({ since: 0, endpoint: 'a' })
    await pass(1_000)
    expect(await answer).toMatchObject({ age: 300 })
  })

  test('asks the registry once for all who ask it, and not more often than every two seconds', async () => {
    const { over, registry, replica } = deployment()
    await over('endpoint', 'a')
    await replica().ask({ since: 0, endpoint: 'a' })
    const before = registry().total.requests
    for (let i = 0; i < 40; i++) {
      await Promise.all(ASKED.map((it) => replica().ask(it)))
      await pass(250)
    }
    expect(registry().total.requests - before).toBeLessThanOrEqual(5)
  })

  test('hears when a key was used last, without a change', async () => {
    const { order, over, replica } = deployment()
    await over('key', 'K')
    const asked = { since: 0, endpoint: 'a', key: 'K' }
    const before = await replica().ask(asked)
    await order('keyUsed', { id: 'K', at: 77 })
    await pass(2_001)
    const after = await replica().ask(asked)
    expect([after!.key!.usedAt, after!.version]).toEqual([77, before!.version])
  })

  test('that was restarted goes on where it was', async () => {
    const all = deployment()
    for (let i = 0; i < 1_200; i++) await all.over('endpoint', `e${i}`)
    await all.over('endpoint', 'a')
    await expectSame(all)
    const { object } = all.replica()
    const before = object.total.rowsWritten
    object.evict()
    await all.remove('endpoint', 'a')
    await expectSame(all)
    expect(object.total.rowsWritten - before).toBeLessThan(20)
  })

  test('that missed more than a thousand changes, or was away for all of them, starts anew', async () => {
    const all = deployment()
    await all.over('endpoint', 'a')
    await all.over('endpoint', 'b')
    await expectSame(all)
    await all.remove('endpoint', 'b')
    for (let i = 0; i < 1_100; i++) await all.over('endpoint', 'a')
    await expectSame(all)
  })

  test('follows a few hundred large changes by pages', async () => {
    const all = deployment()
    await all.over('key', 'K')
    await expectSame(all)
    for (let i = 0; i < 900; i++) await all.over('endpoint', `e${i}`, { title: 'x'.repeat(9_000) })
    await all.over('endpoint', 'a')
    await expectSame(all)
  })

  for (const restarts of [true, false]) {
    test(`of a registry that was wiped starts anew (${restarts ? 'restarted' : 'not restarted'})`, async () => {
      const all = deployment()
      const { over, registry, replica } = all
      for (const it of ['a', 'b', 'c']) await over('endpoint', it)
      await expectSame(all)
      await wipe(registry())
      // As many changes, and others.
      for (const it of ['c', 'a', 'c']) await over('endpoint', it)
      if (restarts) replica().object.evict()
      await expectSame(all)
    })
  }

  test('that is restarted or cut off in the middle of a copy is never asked for half of it', async () => {
    const all = deployment()
    for (let i = 0; i < 1_300; i++) await all.over('endpoint', `e${i}`)
    await all.over('endpoint', 'a')
    await all.over('key', 'K')
    await all.over('group', 'g')
    const { object, ask } = all.replica()
    const { fetch } = all.registry()
    for (let fails = 1; fails < 8; fails++) {
      // The registry does not answer the n-th question.
      let asked = 0
      all.registry().fetch = (request) =>
        ++asked === fails ? Promise.reject(new Error('Gone.')) : fetch.call(all.registry(), request)
      expect(await ask({ since: 0, endpoint: 'a' })).toBeUndefined()
      // Nor is it tried again at once.
      expect(await ask({ since: 0, endpoint: 'a' })).toBeUndefined()
      expect(asked).toBe(fails)
      if (fails % 2 === 0) object.evict()
      await pass(1_000)
      if (fails % 3 === 0) await all.over('endpoint', 'e5')
    }
    expect(log).toHaveBeenCalledTimes(7)
    all.registry().fetch = fetch
    await expectSame(all)
  })

  test('lets nobody wait long for a registry that does not answer', async () => {
    const { registry, replica } = deployment()
    registry().fetch = () => new Promise(() => {})
    const answers = [1, 2].map(() => replica().ask({ since: 0, endpoint: 'a' }))
    await pass(1_000)
    expect(await Promise.all(answers)).toEqual([undefined, undefined])
    // Whoever comes later does not wait at all.
    expect(await replica().ask({ since: 0, endpoint: 'a' })).toBeUndefined()
  })

  test('whose copy is under way while the registry changes has what it is in the end', async () => {
    const all = deployment()
    for (let i = 0; i < 1_300; i++) await all.over('endpoint', `e${i}`)
    await all.over('endpoint', 'a')
    const { fetch } = all.registry()
    let n = 0
    all.registry().fetch = async (request) => {
      n++
      all.registry().fetch = fetch
      if (n === 3) await all.remove('endpoint', 'a')
      if (n === 4) await all.over('endpoint', 'a0')
      if (n === 5) await all.over('endpoint', 'a')
      const hooked = all.registry()
      const answer = await fetch.call(hooked, request)
      hooked.fetch = again
      return answer
    }
    const again = all.registry().fetch
    await all.replica().ask({ since: 0, endpoint: 'a' })
    all.registry().fetch = fetch
    expect(n).toBeGreaterThan(5)
    await expectSame(all)
  })
})

/** Everything is lost, and the object begins again. */
async function wipe(object: SimulatedObject): Promise<void> {
  await object.clear()
  object.evict()
}

test('whatever happens in whatever order, an answer of a replica is what the registry was when it says', async () => {
  const kind = fc.constantFrom('endpoint' as const, 'key' as const, 'group' as const)
  const name = fc.constantFrom('a', 'b', 'c', 'K', 'L')
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('put' as const), kind, name }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), kind, name }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('ask' as const), n: fc.nat(11) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('pass' as const),
        ms: fc.constantFrom(1, 500, 1_999, 2_001, 9_000),
      }),
    },
    fc.record({
      do: fc.constantFrom('evict replica', 'evict registry', 'wipe', 'restore', 'fail'),
    }),
  )
  let answered = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 50, size: 'max' }), async (steps) => {
      const all = deployment()
      /** What the registry said to every question, from each time on. */
      const history: { readonly at: number; readonly said: readonly string[] }[] = []
      const note = async () => {
        const told = await Promise.all(ASKED.map((it) => all.order('lookup', it)))
        history.push({ at: Date.now(), said: told.map((it) => said(it!)) })
      }
      await note()
      let fails = false
      for (const it of steps) {
        if (it.do === 'pass') await pass((it as { ms: number }).ms)
        else if (it.do === 'evict replica') all.replica().object.evict()
        else if (it.do === 'evict registry') all.registry().evict()
        else if (it.do === 'restore') {
          const contents = { settings: {}, endpoints: [endpointOf('b', 5)], keys: [], groups: [] }
          await all.order('restore', { mode: 'replace', contents })
        } else if (it.do === 'wipe') await wipe(all.registry())
        else if (it.do === 'fail') fails = true
        else if (it.do === 'ask') {
          const { n } = it as { n: number }
          all.registry().failing = fails ? 1 : 0
          fails = false
          const found = await all.replica().ask(ASKED[n]!)
          all.registry().failing = 0
          if (!found) continue
          answered++
          const then = Date.now() - found.age!
          const held = history.filter((_, i, them) => (them[i + 1]?.at ?? then) >= then)
          expect(held.map((was) => was.said[n])).toContain(said(found))
        } else {
          const { kind, name } = it as { kind: 'endpoint'; name: string }
          await (it.do === 'put' ? all.over(kind, name) : all.remove(kind, name))
        }
        await note()
      }
    }),
    { numRuns: 100 },
  )
  expect(answered).toBeGreaterThan(300)
}, 120_000)

test('an isolate that heard of an empty registry hears of its first endpoint', async () => {
  const { order, over } = deployment()
  const work: Promise<unknown>[] = []
  const known = directory(order, (it) => void work.push(it))
  expect((await known.lookup({ endpoint: 'a' })).endpoint).toBeUndefined()
  await over('endpoint', 'a')
  await pass(6_000)
  await known.lookup({ endpoint: 'a' })
  await Promise.all(work)
  expect((await known.lookup({ endpoint: 'a' })).endpoint?.name).toBe('a')
})

test('an isolate asks its replica, and the registry itself for ten seconds after a change here', async () => {
  const all = deployment()
  await all.over('endpoint', 'a')
  await all.over('key', 'K')
  const known = directory(all.order, () => {}, [], all.replica().ask)
  const find = async () => (await known.lookup({ endpoint: 'a', key: 'K' })).key?.id
  const { object } = all.replica()
  expect(await find()).toBe('K')
  expect(object.total.requests).toBe(1)
  await all.remove('key', 'K')
  known.forget()
  expect(await find()).toBeUndefined()
  expect(object.total.requests).toBe(1)
  await pass(10_000)
  expect(await find()).toBeUndefined()
  expect(object.total.requests).toBe(2)
})

test('an isolate counts the age of an answer from when it was true', async () => {
  const all = deployment()
  await all.over('endpoint', 'a')
  let age = 4_000
  let asked = 0
  const ask: AskReplica = async (lookup) => {
    asked++
    return { ...(await all.order('lookup', lookup))!, age }
  }
  const known = directory(all.order, () => {}, [], ask)
  await known.lookup({ endpoint: 'a' })
  age = 9_000
  await pass(5_999)
  all.registry().failing = 9
  expect((await known.lookup({ endpoint: 'a' })).endpoint?.name).toBe('a')
  await pass(1)
  await expect(known.lookup({ endpoint: 'a' })).rejects.toThrow('does not answer')
  expect(asked).toBe(3)
})

test('an isolate asks the registry when its replica fails, hangs, or is too old', async () => {
  const all = deployment()
  await all.over('endpoint', 'a')
  const old = async () => ({ ...(await all.order('lookup', { since: 0 }))!, age: 7_000 })
  const bad: AskReplica[] = [
    () => Promise.reject(new Error('It is gone.')),
    () => new Promise(() => {}),
    async () => undefined,
    old,
  ]
  for (const ask of bad) {
    const known = directory(all.order, () => {}, [], ask)
    const answer = known.lookup({ endpoint: 'a' })
    await pass(1_500)
    expect((await answer).endpoint?.name).toBe('a')
  }
})
