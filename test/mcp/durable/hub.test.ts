import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { durableChanges, unwatch, watch } from '../../../src/mcp/durable/hub.ts'
import { BATCH } from '../../../src/mcp/durable/hub-object.ts'
import { readTag, tag } from '../../../src/mcp/durable/object-request.ts'
import { ObjectRoles } from '../../../src/mcp/durable/object-roles.ts'
import { SessionWatch } from '../../../src/mcp/durable/watch.ts'
import type { Change } from '../../../src/mcp/index.ts'
import { Objects } from '../../support/objects.ts'

/** What a free plan allows an invocation to ask of other objects. */
const SUBREQUESTS = 1_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const unused = {
  server() {
    throw new Error('No session is served here.')
  },
  seal() {
    throw new Error('Nothing is sealed here.')
  },
}

/** A hub whose watchers are as real as it is needed: they say what they were told. */
function scene() {
  /** For each watcher, what it heard. */
  const heard = new Map<string, string[]>()
  /** Watchers that answer nothing but that they are gone. */
  const gone = new Set<string>()
  const objects: Objects = new Objects((state) => {
    const roles = new ObjectRoles({ ...unused, namespace: () => objects.binding }, state, {})
    const watching = new SessionWatch(state.storage, objects.binding)
    return {
      alarm: () => roles.alarm(),
      async fetch(request) {
        const { as, name = '' } = readTag(request)
        const self = new URL(request.url).pathname.slice(1)
        if (as === 'session') {
          await watching.start({ hub: 'hub', name: self }, () => true)
          return new Response(null, { status: 204 })
        }
        if (as !== 'change') return roles.fetch(request)
        const own = state.storage.kv.get<{ name: string }>('watching')?.name ?? 'unknown'
        if (gone.has(own) || !watching.isWatched(name)) return new Response(null, { status: 410 })
        const { uri } = await request.json<{ uri: string }>()
        heard.set(own, [...(heard.get(own) ?? []), uri])
        return new Response(null, { status: 204 })
      },
    }
  })
  const changes = durableChanges(() => objects.binding)
  return {
    objects,
    heard,
    gone,
    hub: objects.get('hub'),
    leaves: () => [...objects.all.values()].filter(({ name }) => name.startsWith('hub/')),
    changes,
    join: (name: string) => objects.get(name).fetch(new Request(`https://session/${name}`)),
    publish: (uri: string) => changes.publish({ kind: 'resource', uri }),
    /** Lets time pass, and what is due happen. */
    async pass(ms = 0) {
      vi.setSystemTime(Date.now() + ms)
      return objects.wake([...objects.all.values()].filter(({ name }) => name.startsWith('hub')))
    },
  }
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `s${i}`)

test('few watchers are told by the hub itself, before publishing is over', async () => {
  const { join, publish, heard, leaves, hub } = scene()
  for (const name of names(BATCH)) await join(name)
  await publish('a:1')
  expect([...heard.values()]).toEqual(names(BATCH).map(() => ['a:1']))
  expect(leaves()).toEqual([])
  expect(hub.alarmAt).toBeUndefined()
  expect(hub.subrequests).toBe(BATCH)
})

test('10,000 watchers are told once each, and no object asks too much of others', async () => {
  const { join, publish, pass, heard, objects, leaves } = scene()
  for (const name of names(10_000)) await join(name)
  expect(leaves()).toHaveLength(64)
  await publish('a:1')
  await pass()
  expect(heard.size).toBe(10_000)
  for (const told of heard.values()) expect(told).toEqual(['a:1'])
  for (const { subrequests, mostRows } of objects.all.values()) {
    expect(subrequests).toBeLessThan(SUBREQUESTS)
    expect(mostRows).toBeLessThan(400)
  }
})

test('a leaf with more watchers than it may tell at once goes on by its alarm', async () => {
  const { hub, objects, publish, pass, heard } = scene()
  hub.rows.set('split', true)
  const leaf = objects.get('hub/5')
  for (const name of names(1_200)) {
    leaf.rows.set(`watcher:${name}`, 'x')
    objects.get(name).rows.set('watching', { hub: 'hub/5', name })
  }
  await publish('a:1')
  // One of them wakes the hub.
  expect(await pass()).toBe(1 + 5)
  expect(heard.size).toBe(1_200)
  for (const told of heard.values()) expect(told).toEqual(['a:1'])
  expect(leaf.subrequests).toBe(BATCH)
  expect([...leaf.rows.keys()].filter((it) => it.startsWith('job:'))).toEqual([])
})

test('a watcher hears what is published once it watches, also while others are told', async () => {
  const { join, publish, heard, pass } = scene()
  for (const name of names(2 * BATCH)) await join(name)
  await publish('a:1')
  await join('late')
  await publish('a:2')
  await pass()
  expect(heard.get('late')).toContain('a:2')
  expect(heard.size).toBe(2 * BATCH + 1)
})

test('a change that waits to be told is not queued twice', async () => {
  const { join, publish, heard, pass } = scene()
  for (const name of names(2 * BATCH)) await join(name)
  for (let i = 0; i < 500; i++) await publish('a:1')
  await pass()
  for (const told of heard.values()) expect(told).toEqual(['a:1'])
})

test('a watcher that is gone is forgotten, and one that came back meanwhile is not', async () => {
  const { join, publish, heard, gone, hub, objects } = scene()
  for (const name of names(3)) await join(name)
  gone.add('s0').add('s1')
  const s1 = objects.get('s1')
  const { fetch } = s1
  s1.fetch = async (request) => {
    const answer = await fetch.call(s1, request)
    await watch(objects.binding, { hub: 'hub', name: 's1' }, () => {})
    return answer
  }
  await publish('a:1')
  const watchers = () => [...hub.rows.keys()].filter((it) => it.startsWith('watcher:'))
  expect(watchers()).toEqual(['watcher:s1', 'watcher:s2'])
  gone.clear()
  await publish('a:2')
  expect([heard.get('s0'), heard.get('s1'), heard.get('s2')]).toEqual([
    ...[undefined, ['a:2'], ['a:1', 'a:2']],
  ])
})

test('a session that watches another node, or none, is forgotten by this one', async () => {
  const { objects, hub, publish, heard, join } = scene()
  await join('s0')
  hub.rows.set('watcher:never', 'x').set('watcher:s1', 'x')
  objects.get('s1').rows.set('watching', { hub: 'hub/7', name: 's1' })
  hub.evict()
  await publish('a:1')
  expect([...heard.keys()]).toEqual(['s0'])
  expect([...hub.rows.keys()].filter((it) => it.startsWith('watcher:'))).toEqual(['watcher:s0'])
})

test('who fails is tried again, the others are not told again, and it ends', async () => {
  const { join, publish, pass, heard, objects } = scene()
  const logged = vi.spyOn(console, 'error').mockReturnValue()
  for (const name of names(3)) await join(name)
  objects.get('s0').failing = 2
  objects.get('s1').failing = 1_000
  await publish('a:1')
  expect([...heard.keys()]).toEqual(['s2'])
  await pass(1_000)
  expect([...heard.keys()]).toEqual(['s2'])
  await pass(4_000)
  expect([...heard.keys()]).toEqual(['s2', 's0'])
  await pass(16_000)
  await pass(64_000)
  expect(logged).toHaveBeenCalledExactlyOnceWith('A change did not reach 1 of those who watch hub.')
  expect(objects.get('s1').failing).toBe(1_000 - 4)
  expect(heard.get('s2')).toEqual(['a:1'])
  expect([...objects.get('hub').rows.keys()]).toHaveLength(3)
})

test('a leaf that fails stops no other, is told later, and is told once', async () => {
  const { join, publish, pass, heard, leaves } = scene()
  for (const name of names(2_000)) await join(name)
  const [first, second] = leaves()
  first!.failing = 1
  // Hears of the change, and its answer is lost.
  const { fetch } = second!
  second!.fetch = async (request) => {
    await fetch.call(second, request)
    second!.fetch = fetch
    throw new Error('Network connection lost.')
  }
  await publish('a:1')
  await pass()
  expect(heard.size).toBeGreaterThan(1_900)
  expect(heard.size).toBeLessThan(2_000)
  await pass(1_000)
  expect(heard.size).toBe(2_000)
  for (const told of heard.values()) expect(told).toEqual(['a:1'])
})

test('a hub that is evicted while it tells goes on where it was', async () => {
  const { join, publish, heard, pass, objects } = scene()
  for (const name of names(2_000)) await join(name)
  await publish('a:1')
  for (const it of objects.all.values()) it.evict()
  await pass()
  expect(heard.size).toBe(2_000)
})

test('watchers that were stored before there were leaves are told, however many they are', async () => {
  const { hub, objects, publish, pass, heard, join } = scene()
  for (const name of names(3_000)) {
    hub.rows.set(`watcher:${name}`, true)
    objects.get(name).rows.set('watching', { hub: 'hub', name })
  }
  await join('new')
  await publish('a:1')
  await pass()
  expect(heard.size).toBe(3_001)
  for (const told of heard.values()) expect(told).toEqual(['a:1'])
  expect(hub.subrequests).toBeLessThan(SUBREQUESTS)
  await unwatch(objects.binding, { hub: 'hub', name: 's7' })
  await publish('a:2')
  await pass()
  expect(heard.get('s7')).toEqual(['a:1'])
  expect(heard.get('s8')).toHaveLength(2)
})

test('listeners are spread over the leaves, and each hears a change once', async () => {
  const { changes, publish, pass, objects, hub } = scene()
  const heard: Change[][] = []
  const ends = new AbortController()
  for (let i = 0; i < 5_000; i++) {
    const own: Change[] = []
    heard.push(own)
    await changes.listen((it) => own.push(it), ends.signal)
  }
  await publish('a:1')
  await pass()
  for (const own of heard) expect(own).toEqual([{ kind: 'resource', uri: 'a:1' }])
  expect(hub.mostSockets).toBe(BATCH)
  // Whoever knows that the hub is full asks a leaf at once.
  expect(hub.total.requests).toBeLessThan(BATCH + 10)
  for (const { mostSockets } of objects.all.values()) expect(mostSockets).toBeLessThan(300)
  ends.abort()
})

test('a listener comes back when the object restarts, until it is not wanted', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  const { changes, publish, hub } = scene()
  const heard: Change[] = []
  const end = new AbortController()
  await changes.listen((it) => heard.push(it), end.signal)
  hub.restart()
  await vi.advanceTimersByTimeAsync(1_000)
  await publish('a:1')
  expect(heard).toEqual([{ kind: 'resource', uri: 'a:1' }])
  end.abort()
  const { requests } = hub.total
  await vi.advanceTimersByTimeAsync(10_000)
  expect(hub.total.requests).toBe(requests)
})

test('a hub that is full keeps the watchers it has', async () => {
  const { join, hub } = scene()
  for (const name of names(BATCH + 1)) await join(name)
  const put = async (name: string) => {
    const request = new Request(`https://hub/watch/${name}`, { method: 'PUT' })
    return (await hub.fetch(tag(request, { as: 'hub', name: 'hub' }))).status
  }
  expect([await put('s0'), await put('s9999')]).toEqual([204, 421])
})

test('a watcher that left is not tried again', async () => {
  const { objects, join, publish, pass, heard } = scene()
  await join('s0')
  objects.get('s0').failing = 1
  await publish('a:1')
  await unwatch(objects.binding, { hub: 'hub', name: 's0' })
  const { requests } = objects.get('s0').total
  await pass(1_000)
  expect(objects.get('s0').total.requests).toBe(requests)
  expect(heard.size).toBe(0)
})

test('a change in a leaf is told by none but the hub, which knows the versions', async () => {
  const { changes, join, pass, hub, leaves } = scene()
  for (const name of names(2 * BATCH)) await join(name)
  const told = () => leaves().reduce((sum, { total }) => sum + total.requests, 0)
  const before = told()
  for (const version of ['1', '1', '1']) await changes.publish({ kind: 'tree', uri: 'a:', version })
  await pass()
  expect(told()).toBe(before)
  expect([...hub.rows.keys()].filter((it) => it.startsWith('version:'))).toEqual(['version:a:'])
})

test('a session that cannot begin to watch tries again', async () => {
  const { hub, join, publish, heard } = scene()
  hub.failing = 1
  await expect(join('s0')).rejects.toThrow('Network connection lost.')
  await join('s0')
  await publish('a:1')
  expect(heard.get('s0')).toEqual(['a:1'])
})

test('a node may tell a session before it has answered it', async () => {
  const { objects, hub, publish, heard, join } = scene()
  const { fetch } = hub
  hub.fetch = async (request) => {
    const answer = await fetch.call(hub, request)
    hub.fetch = fetch
    await publish('a:1')
    return answer
  }
  const asked = vi.spyOn(objects.get('s0'), 'fetch')
  await join('s0')
  const told = await asked.mock.results[1]!.value
  expect(told.status).toBe(204)
  await publish('a:2')
  expect(heard.get('s0')).toContain('a:2')
})

test('a session that ends while it begins to watch is not watched for', async () => {
  const { objects, hub } = scene()
  const kv = { get: () => undefined } as unknown as SyncKvStorage
  const watching = new SessionWatch({ kv } as DurableObjectStorage, objects.binding)
  await watching.start({ hub: 'hub', name: 's' }, () => false)
  expect([...hub.rows.keys()]).toEqual([])
  expect(hub.total.requests).toBe(2)
})
