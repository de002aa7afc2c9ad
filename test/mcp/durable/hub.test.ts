import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { durableChanges, unwatch, watch } from '../../../src/mcp/durable/hub.ts'
import { BATCH } from '../../../src/mcp/durable/hub-object.ts'
import { readTag } from '../../../src/mcp/durable/object-request.ts'
import { ObjectRoles } from '../../../src/mcp/durable/object-roles.ts'
import { SessionWatch } from '../../../src/mcp/durable/watch.ts'
import type { Change } from '../../../src/mcp/index.ts'
import { Objects } from '../../support/objects.ts'

/** The number of requests to other objects that a free plan allows per invocation. */
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

/** A hub with watchers that are just real enough to record their notifications. */
function scene() {
  /** The notifications that each watcher received. */
  const heard = new Map<string, string[]>()
  /** Watchers that respond only that they are gone. */
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
    changes,
    join: (name: string) => objects.get(name).fetch(new Request(`https://session/${name}`)),
    publish: (uri: string) => changes.publish({ kind: 'resource', uri }),
    /** Lets time pass, and runs the alarms that come due. */
    async pass(ms = 0) {
      vi.setSystemTime(Date.now() + ms)
      return objects.wake([objects.get('hub')])
    },
  }
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `s${i}`)

test('the hub itself notifies a few watchers before publishing ends', async () => {
  const { join, publish, heard, hub } = scene()
  for (const name of names(BATCH)) await join(name)
  await publish('a:1')
  expect([...heard.values()]).toEqual(names(BATCH).map(() => ['a:1']))
  expect(hub.alarmAt).toBeUndefined()
  expect(hub.subrequests).toBe(BATCH)
})

test('10,000 watchers are notified once each, within the limit on subrequests', async () => {
  const { join, publish, pass, heard, hub } = scene()
  for (const name of names(10_000)) await join(name)
  await publish('a:1')
  await pass()
  expect(heard.size).toBe(10_000)
  for (const told of heard.values()) expect(told).toEqual(['a:1'])
  expect(hub.subrequests).toBe(BATCH)
  expect(hub.subrequests).toBeLessThan(SUBREQUESTS)
  expect([...hub.rows.keys()].filter((it) => it.startsWith('job:'))).toEqual([])
})

test('a new watcher is notified of changes, even while others are being notified', async () => {
  const { join, publish, heard, pass } = scene()
  for (const name of names(2 * BATCH)) await join(name)
  await publish('a:1')
  await join('late')
  await publish('a:2')
  await pass()
  expect(heard.get('late')).toContain('a:2')
  expect(heard.size).toBe(2 * BATCH + 1)
})

test('a change that is waiting in the queue is not queued twice', async () => {
  const { join, publish, heard, pass } = scene()
  for (const name of names(2 * BATCH)) await join(name)
  for (let i = 0; i < 500; i++) await publish('a:1')
  await pass()
  for (const told of heard.values()) expect(told).toEqual(['a:1'])
})

test('a watcher that is gone is removed, unless it came back meanwhile', async () => {
  const { join, publish, heard, gone, hub, objects } = scene()
  for (const name of names(3)) await join(name)
  gone.add('s0').add('s1')
  const s1 = objects.get('s1')
  const { fetch } = s1
  s1.fetch = async (request) => {
    const answer = await fetch.call(s1, request)
    await watch(objects.binding, { hub: 'hub', name: 's1' })
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

test('a hub removes a session that watches another hub or no hub', async () => {
  const { objects, hub, publish, heard, join } = scene()
  await join('s0')
  hub.rows.set('watcher:never', 'x').set('watcher:s1', 'x')
  objects.get('s1').rows.set('watching', { hub: 'hub of others', name: 's1' })
  hub.evict()
  await publish('a:1')
  expect([...heard.keys()]).toEqual(['s0'])
  expect([...hub.rows.keys()].filter((it) => it.startsWith('watcher:'))).toEqual(['watcher:s0'])
  await join('s1')
  await publish('a:2')
  expect(heard.get('s1')).toEqual(['a:2'])
})

test('failed notifications are retried a few times, without notifying others again', async () => {
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
  expect(logged).toHaveBeenCalledExactlyOnceWith('A change did not reach 1 of the watchers of hub.')
  expect(objects.get('s1').failing).toBe(1_000 - 4)
  expect(heard.get('s2')).toEqual(['a:1'])
  expect([...objects.get('hub').rows.keys()]).toHaveLength(3)
})

test('a hub that is evicted while notifying continues where it stopped', async () => {
  const { join, publish, heard, pass, objects } = scene()
  for (const name of names(2_000)) await join(name)
  await publish('a:1')
  for (const it of objects.all.values()) it.evict()
  await pass()
  expect(heard.size).toBe(2_000)
})

test('5,000 listeners receive a change once each, without a request', async () => {
  const { changes, publish, hub } = scene()
  const heard: Change[][] = []
  const ends = new AbortController()
  for (let i = 0; i < 5_000; i++) {
    const own: Change[] = []
    heard.push(own)
    await changes.listen((it) => own.push(it), ends.signal)
  }
  await publish('a:1')
  for (const own of heard) expect(own).toEqual([{ kind: 'resource', uri: 'a:1' }])
  expect(hub.subrequests).toBe(0)
  ends.abort()
})

test('a listener reconnects when the object restarts, until it is aborted', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  const { changes, publish, hub } = scene()
  const heard: Change[] = []
  const end = new AbortController()
  await changes.listen((it) => heard.push(it), end.signal)
  const logged = vi.spyOn(console, 'error').mockReturnValue()
  hub.failing = 1
  hub.restart()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(logged).toHaveBeenCalledOnce()
  await publish('a:1')
  expect(heard).toEqual([{ kind: 'resource', uri: 'a:1' }])
  end.abort()
  const { requests } = hub.total
  await vi.advanceTimersByTimeAsync(10_000)
  expect(hub.total.requests).toBe(requests)
})

test('a watcher that left is not retried', async () => {
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

test('a version that the hub has seen is not published again', async () => {
  const { changes, join, heard, hub } = scene()
  await join('s0')
  for (const version of ['1', '1', '1', '2', '2'])
    await changes.publish({ kind: 'tree', uri: 'a:', version })
  expect(heard.get('s0')).toEqual(['a:'])
  expect([...hub.rows.keys()].filter((it) => it.startsWith('version:'))).toEqual(['version:a:'])
})

test('a session that fails to start watching can try again', async () => {
  const { hub, join, publish, heard } = scene()
  hub.failing = 1
  await expect(join('s0')).rejects.toThrow('Network connection lost.')
  await join('s0')
  await publish('a:1')
  expect(heard.get('s0')).toEqual(['a:1'])
})

test('a hub can notify a session before it has responded to the session', async () => {
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

test('a session that ends while it starts to watch leaves no watcher', async () => {
  const { objects, hub } = scene()
  const kv = { get: () => undefined } as unknown as SyncKvStorage
  const watching = new SessionWatch({ kv } as DurableObjectStorage, objects.binding)
  await watching.start({ hub: 'hub', name: 's' }, () => false)
  expect([...hub.rows.keys()]).toEqual([])
  expect(hub.total.requests).toBe(2)
})
