import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { registryIn } from '../../src/registry/registry.ts'
import type {
  Credential,
  EndpointEntry,
  KeyEntry,
  StoredGroup,
} from '../../src/registry/state/entries.ts'
import { exportFrom } from '../../src/registry/state/export.ts'
import { type Order, RegistryState } from '../../src/registry/state/registry-state.ts'

/** Does something with the storage of a separate registry. */
function inRegistry<Result>(
  name: string,
  work: (storage: DurableObjectStorage) => Result,
): Promise<Result> {
  const stub = env.REGISTRY.get(env.REGISTRY.idFromName(name))
  return runInDurableObject(stub, (_: DurableObject, { storage }) => work(storage))
}

const credential = (id: string, endpoint: string, group?: string): Credential => ({
  ...{ id, endpoint, database: 'main', scheme: 'postgres', host: 'db.example', setAt: 1 },
  sealed: { keyId: 'old', iv: 'iv', text: `sealed ${id}` },
  ...(group && { group }),
})

function endpoint(name: string, id: string, at = 1): EndpointEntry {
  const databases = { main: { url: `credential:${id}` } }
  const value = { name, title: name, databases } as unknown as EndpointEntry['value']
  const credentials = { [id]: credential(id, name) }
  return { name, active: true, value, credentials, createdAt: at, changedAt: at }
}

const key = (id: string, at = 1): KeyEntry => ({
  ...{ id, hash: 'hash', label: id, endpoints: ['*'], scopes: ['db:read'] },
  ...{ createdAt: at, changedAt: at },
})

const group = (name: string, id: string, at = 1): StoredGroup => ({
  ...{ name, people: ['ada'], keys: ['k1'], changedAt: at },
  endpoints: { shop: { databases: { main: { url: `credential:${id}` } } } },
  credentials: { [id]: credential(id, 'shop', name) },
})

/** Every order that writes, for a registry with an endpoint, a key and a group. */
const writes: readonly (readonly [order: Order, input: unknown])[] = [
  ['putEndpoint', { entry: endpoint('crm', 'c2') }],
  ['putEndpoint', { entry: endpoint('shop', 'c3', 2), was: 1 }],
  ['putKey', { entry: key('k2') }],
  ['putKey', { entry: { ...key('k1', 2), label: 'another' }, was: 1 }],
  ['keyUsed', { id: 'k1', at: 5 }],
  ['putGroup', { entry: group('sales', 'g2') }],
  ['putGroup', { entry: { ...group('people', 'g3', 2), people: ['bob'] }, was: 1 }],
  ['putSettings', { defaultEndpoint: 'shop' }],
  ['stage', { id: 'r', piece: { endpoints: [], keys: [key('k9')], groups: [group('b', 'g9')] } }],
  [
    'reseal',
    {
      entries: ['c1', 'g1'].map((id) => {
        const was = credential(id, 'shop', id === 'g1' ? 'people' : undefined)
        return { was, is: { ...was, sealed: { keyId: 'new', iv: 'iv', text: 'new' } } }
      }),
    },
  ],
  ['deleteGroup', { name: 'people' }],
  ['deleteKey', { id: 'k1' }],
  ['deleteEndpoint', { name: 'shop' }],
  ...(['merge', 'replace'] as const).map(
    (mode) =>
      [
        'restore',
        {
          mode,
          contents: {
            settings: { privateHosts: ['*'] },
            endpoints: [endpoint('shop', 'c4', 9), endpoint('new', 'c5', 3)],
            keys: [key('k1', 9), key('k3', 9)],
            groups: [group('people', 'g4', 9)],
          },
        },
      ] as const,
  ),
]

function filled(storage: DurableObjectStorage): RegistryState {
  const state = new RegistryState(storage)
  state.take('putEndpoint', { entry: endpoint('shop', 'c1') })
  state.take('putKey', { entry: key('k1') })
  state.take('putGroup', { entry: group('people', 'g1') })
  return state
}

function everythingIn({ sql }: DurableObjectStorage): string {
  const entries = ['endpoints', 'credentials', 'keys', 'groups', 'members', 'settings']
  const rows = [...entries, 'changes', 'noted_changes'].map((table) =>
    sql.exec(`select * from ${table} order by 1, 2`).toArray(),
  )
  return JSON.stringify(rows)
}

const note = { by: 'ada', what: 'changed something' }

/** A storage that fails at its n-th statement. */
function failing(storage: DurableObjectStorage, n: number): DurableObjectStorage {
  let statements = 0
  const sql = {
    exec(...given: Parameters<SqlStorage['exec']>) {
      statements++
      if (statements === n) throw new Error('The object was restarted.')
      return storage.sql.exec(...given)
    },
    get databaseSize() {
      return storage.sql.databaseSize
    },
  }
  const transactionSync = (work: () => unknown) => storage.transactionSync(work)
  return { sql, transactionSync } as unknown as DurableObjectStorage
}

describe('an object that is restarted in the middle of a write', () => {
  test.each(writes.map(([order, input], i) => ({ order, input, i })))(
    'has either the old or the new state: $order, $i',
    ({ order, input, i }) =>
      inRegistry(`restarted ${i}`, (storage) => {
        filled(storage)
        const before = everythingIn(storage)
        let failures = 0
        for (let n = 1; ; n++) {
          try {
            const state = new RegistryState(failing(storage, n))
            expect(state.take(order, input as never, note)).toEqual(
              order === 'reseal' ? { done: 2 } : 'done',
            )
            break
          } catch (error) {
            expect(error).toMatchObject({ message: 'The object was restarted.' })
          }
          expect(everythingIn(storage)).toBe(before)
          failures++
        }
        expect(failures).toBeGreaterThan(1)
        expect(everythingIn(storage)).not.toBe(before)
      }),
  )
})

test('a refused order changes nothing', () =>
  inRegistry('refused', (storage) => {
    const state = filled(storage)
    const before = everythingIn(storage)
    const refused: [Order, unknown, string][] = [
      ['putEndpoint', { entry: endpoint('shop', 'c9') }, 'exists'],
      ['putEndpoint', { entry: endpoint('shop', 'c9', 3), was: 2 }, 'changed'],
      ['putEndpoint', { entry: endpoint('none', 'c9'), was: 1 }, 'missing'],
      // This credential belongs to another endpoint.
      ['putEndpoint', { entry: endpoint('crm', 'c1') }, 'taken'],
      ['putGroup', { entry: group('sales', 'g1') }, 'taken'],
      ['deleteKey', { id: 'none' }, 'missing'],
    ]
    for (const [order, input, why] of refused) {
      expect(state.take(order, input as never, note)).toBe(why)
    }
    expect(everythingIn(storage)).toBe(before)
  }))

test('a change is recorded with its author, and the oldest changes are deleted', () =>
  inRegistry('noted', (storage) => {
    const state = filled(storage)
    expect(state.take('deleteKey', { id: 'k1' }, { ...note, endpoint: 'shop' })).toBe('done')
    const [noted] = state.take('notedChanges', { limit: 10 })
    expect(noted).toEqual({ ...note, id: 1, at: expect.any(Number), endpoint: 'shop' })
    // Nothing was sealed again.
    expect(state.take('reseal', { entries: [] }, note)).toEqual({ done: 0 })
    expect(state.take('notedChanges', { limit: 10 })).toHaveLength(1)
    const insert = 'insert into noted_changes (id, at, by, what) values (?, ?, ?, ?)'
    for (let id = 2; id <= 5_010; id++) storage.sql.exec(insert, id, Date.now(), 'ada', 'x')
    state.take('noteChange', { by: 'b'.repeat(1_000), what: 'w'.repeat(1_000) })
    const all = state.take('notedChanges', { limit: 10_000 })
    expect([all.length, all[0]?.id, all.at(-1)?.id]).toEqual([5_000, 5_011, 12])
    expect([all[0]?.by.length, all[0]?.what.length]).toEqual([200, 300])
    storage.sql.exec('update noted_changes set at = 1 where id < 20')
    state.take('noteChange', note)
    expect(state.take('notedChanges', { limit: 10_000 }).at(-1)?.id).toBe(20)
  }))

test('unused credentials are dropped, and other credentials are kept', () =>
  inRegistry('dropped', (storage) => {
    const state = filled(storage)
    const ids = () => storage.sql.exec('select id from credentials order by id').toArray()
    state.take('putEndpoint', { entry: endpoint('shop', 'c2', 2), was: 1 })
    expect(ids()).toEqual([{ id: 'c2' }, { id: 'g1' }])
    state.take('deleteEndpoint', { name: 'shop' })
    expect(ids()).toEqual([])
  }))

test('a new endpoint does not inherit access from its deleted namesake', () =>
  inRegistry('another of a name', (storage) => {
    const state = filled(storage)
    state.take('putKey', { entry: { ...key('k7'), endpoints: ['shop', 'crm'] } })
    state.take('putKey', { entry: { ...key('k8'), endpoints: ['shopping'] } })
    const since = state.take('lookup', { since: 0 }).version
    state.take('deleteEndpoint', { name: 'shop' })
    state.take('putEndpoint', { entry: endpoint('shop', 'c2', 9) })
    expect(state.take('key', { id: 'k7' })?.endpoints).toEqual(['crm'])
    expect(state.take('key', { id: 'k8' })?.endpoints).toEqual(['shopping'])
    expect(state.take('group', { name: 'people' })?.endpoints).toEqual({})
    // Its members are refused, and isolates are notified.
    const found = state.take('lookup', { since, endpoint: 'shop', key: 'k1' })
    expect([found.group, found.changes]).toEqual([null, 'everything'])
  }))

test('a person is in a group however the name is capitalized', () =>
  inRegistry('capitals', (storage) => {
    const state = filled(storage)
    state.take('putKey', { entry: { ...key('k7'), person: 'ADA' } })
    state.take('putKey', { entry: { ...key('k8'), person: 'adam' } })
    const groupOf = (id: string) =>
      state.take('lookup', { since: 0, endpoint: 'shop', key: id }).group
    expect(groupOf('k7')).toMatchObject({ name: 'people' })
    expect(groupOf('k8')).toBeUndefined()
  }))

test('a restored registry has the same endpoint at /mcp, which is the oldest', () =>
  inRegistry('oldest', (storage) => {
    const state = filled(storage)
    const endpoints = [endpoint('a', 'a1', 30), endpoint('b', 'b1', 10), endpoint('c', 'c9', 20)]
    const contents = { settings: {}, endpoints, keys: [], groups: [] }
    expect(state.take('restore', { mode: 'replace', contents })).toBe('done')
    expect(state.take('lookup', { since: 0, endpoint: null }).endpoint?.name).toBe('b')
    expect(state.take('counts', undefined)).toEqual({
      ...{ endpoints: 3, credentials: 3, keys: 0, groups: 0 },
    })
  }))

const nothing = { settings: {}, endpoints: [], keys: [], groups: [] }

test('a restore in pieces is invisible until it is complete', () =>
  inRegistry('pieces', (storage) => {
    const state = filled(storage)
    const before = state.take('counts', undefined)
    const [a, b] = [endpoint('a', 'a1', 30), endpoint('b', 'b1', 10)]
    const keys = [key('k1', 7), key('k5', 7)]
    state.take('stage', { id: 'one', piece: { endpoints: [a], keys, groups: [] } })
    state.take('stage', { id: 'one', piece: { ...nothing, endpoints: [b] } })
    expect(state.take('counts', undefined)).toEqual(before)
    const sizes = { endpoints: 2, keys: 2, groups: 0 }
    const commit = (id: string) =>
      state.take('restore', { mode: 'replace', contents: nothing, staged: { id, ...sizes } })
    // Another restore begins, so the first one has no pieces left, and does nothing.
    state.take('stage', { id: 'two', piece: { ...nothing, endpoints: [a] } })
    expect(commit('one')).toBe('changed')
    expect(commit('two')).toBe('changed')
    expect(state.take('counts', undefined)).toEqual(before)

    for (const piece of [
      { ...nothing, endpoints: [a, b] },
      { ...nothing, keys },
    ]) {
      state.take('stage', { id: 'three', piece })
    }
    expect(commit('three')).toBe('done')
    expect(state.take('counts', undefined)).toEqual({ ...sizes, credentials: 2 })
    expect(storage.sql.exec('select count(*) as n from staged').one().n).toBe(0)
  }))

test('a restored endpoint is not opened by keys for the endpoint that it replaces', () =>
  inRegistry('another', (storage) => {
    const state = filled(storage)
    state.take('putEndpoint', { entry: endpoint('crm', 'c2', 5) })
    state.take('putKey', { entry: { ...key('k7'), endpoints: ['shop', 'crm'] } })
    state.take('putKey', { entry: { ...key('k8'), endpoints: ['shop', 'crm'] } })
    // The same crm, and a shop that was created at another time.
    const contents = {
      ...nothing,
      endpoints: [endpoint('shop', 'c9', 3), endpoint('crm', 'c2', 5)],
      keys: [{ ...key('k8'), endpoints: ['shop'] }],
    }
    expect(state.take('restore', { mode: 'merge', contents })).toBe('done')
    expect(state.take('key', { id: 'k7' })?.endpoints).toEqual(['crm'])
    expect(state.take('key', { id: 'k8' })?.endpoints).toEqual(['shop'])
    expect(state.take('group', { name: 'people' })?.endpoints).toEqual({})
  }))

test.each(['merge', 'replace'] as const)(
  'grants for an endpoint do not open a restored endpoint that replaces it: %s',
  (mode) =>
    inRegistry(`granted ${mode}`, (storage) => {
      const state = filled(storage)
      state.take('putEndpoint', { entry: endpoint('crm', 'c2', 5) })
      const before = Date.now()
      const endpoints = [endpoint('shop', 'c9', 3), endpoint('crm', 'c2', 5)]
      expect(state.take('restore', { mode, contents: { ...nothing, endpoints } })).toBe('done')
      expect(state.take('endpoint', { name: 'shop' })?.restoredAt).toBeGreaterThanOrEqual(before)
      expect(state.take('endpoint', { name: 'crm' })?.restoredAt).toBeUndefined()
      // Restoring the same export again does not undo that.
      const { restoredAt } = state.take('endpoint', { name: 'shop' })!
      expect(state.take('restore', { mode, contents: { ...nothing, endpoints } })).toBe('done')
      expect(state.take('endpoint', { name: 'shop' })?.restoredAt).toBe(restoredAt)
    }),
)

test('a change during an export is in all of its parts or in none of them', async () => {
  const ask = registryIn(env.REGISTRY)
  await ask('putEndpoint', { entry: endpoint('gone', 'c1') })
  const many = Array.from({ length: 1_500 }, (_, i) => key(`k${i}`))
  await ask('restore', { mode: 'merge', contents: { ...nothing, keys: many } })
  await ask('putKey', { entry: { ...key('z1'), endpoints: ['gone'] } })

  const reader = (await exportFrom(env.REGISTRY)).getReader()
  const decoder = new TextDecoder()
  const first = await reader.read()
  let text = decoder.decode(first.value, { stream: true })
  await ask('deleteEndpoint', { name: 'gone' })
  await ask('putEndpoint', { entry: endpoint('later', 'c2') })
  await ask('putKey', { entry: { ...key('z2'), endpoints: ['later'] } })
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  const exported = JSON.parse(text) as { endpoints: EndpointEntry[]; keys: KeyEntry[] }
  expect(exported.endpoints.map(({ name }) => name)).toEqual(['gone'])
  const ids = exported.keys.map(({ id }) => id)
  expect([ids.length, ids.includes('z1'), ids.includes('z2')]).toEqual([1_501, true, false])
  await ask('restore', { mode: 'replace', contents: nothing })
})

test('an evicted object keeps its entries', async () => {
  const stub = env.REGISTRY.get(env.REGISTRY.idFromName('registry'))
  const ask = registryIn(env.REGISTRY)
  expect(await ask('putEndpoint', { entry: endpoint('shop', 'c1') })).toBe('done')
  await evictDurableObject(stub)
  expect(await ask('endpoint', { name: 'shop' })).toEqual(endpoint('shop', 'c1'))
  expect(await ask('deleteEndpoint', { name: 'shop' })).toBe('done')
})

test('10,000 endpoints are listed page by page, each of them once and in order', () =>
  inRegistry('ten thousand', (storage) => {
    const state = new RegistryState(storage)
    const names = Array.from({ length: 10_000 }, (_, i) => `e${String(i).padStart(5, '0')}`)
    const endpoints = names.map((name) => endpoint(name, `c${name}`))
    const contents = { settings: {}, endpoints, keys: [], groups: [] }
    expect(state.take('restore', { mode: 'merge', contents })).toBe('done')
    const listed: string[] = []
    let after: string | undefined
    do {
      const page = state.take('endpoints', { after, limit: 200 })
      expect(page.entries.length).toBe(200)
      expect(page.total).toBe(10_000)
      listed.push(...page.entries.map(({ name }) => name))
      after = page.next
    } while (after !== undefined)
    expect(listed).toEqual(names)
  }))

test('a page ends before it gets too large', () =>
  inRegistry('large', (storage) => {
    const state = new RegistryState(storage)
    const names = Array.from({ length: 20 }, (_, i) => `e${i + 10}`)
    for (const name of names) {
      const entry = endpoint(name, `c${name}`)
      const title = 'x'.repeat(256 * 1024)
      state.take('putEndpoint', { entry: { ...entry, value: { ...entry.value, title } } })
    }
    const listed: string[] = []
    let after: string | undefined
    do {
      const page = state.take('endpoints', { after, limit: 200 })
      expect(page.entries.length).toBeLessThan(10)
      listed.push(...page.entries.map(({ name }) => name))
      after = page.next
    } while (after !== undefined)
    expect(listed).toEqual(names)
  }))

test('the oldest endpoint is at /mcp after the default endpoint was deleted', async () => {
  const names = await inRegistry('default', (storage) => {
    const state = new RegistryState(storage)
    const first = () => state.take('lookup', { since: 0, endpoint: null }).endpoint?.name
    for (const name of ['shop', 'crm']) state.take('putEndpoint', { entry: endpoint(name, name) })
    state.take('putSettings', { defaultEndpoint: 'crm' })
    const set = first()
    state.take('deleteEndpoint', { name: 'crm' })
    return [set, first()]
  })
  expect(names).toEqual(['crm', 'shop'])
})

test('a person in 200 provider groups is found in a registry group', async () => {
  const found = await inRegistry('many groups', (storage) => {
    const state = new RegistryState(storage)
    state.take('putEndpoint', { entry: endpoint('shop', 'c1') })
    state.take('putGroup', { entry: { ...group('people', 'g1'), people: ['group:team 199'] } })
    const memberOf = Array.from({ length: 200 }, (_, i) => `Team ${i}`)
    return state.take('lookup', { since: 0, endpoint: 'shop', person: 'bob', memberOf })
  })
  expect(found).toMatchObject({ group: { name: 'people' } })
})
