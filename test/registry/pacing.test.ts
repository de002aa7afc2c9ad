import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sqlite } from '../../src/database/sqlite/dialect.ts'
import { type EndpointCall, readEndpoints } from '../../src/gateway/index.ts'
import { Meters } from '../../src/registry/limits/meters.ts'
import type { Spent } from '../../src/registry/limits/use.ts'
import type { Batch } from '../../src/registry/records/record.ts'
import { Recorder } from '../../src/registry/records/recorder.ts'
import { recordsOf } from '../../src/registry/records/writing.ts'

// The module is loaded now, so that nothing has to be loaded while the clock is stopped.
await recordsOf({ name: 'x', records: { literals: true } } as never, [])

beforeEach(() => vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }))
afterEach(() => vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** Endpoints with a quota and records, by name. */
const endpointOf = (name: string, limits: object = { endpoint: { rowsPerDay: 1e9 } }) =>
  readEndpoints({
    ENDPOINTS: JSON.stringify([
      { name, title: name, databases: { db: { url: 'd1:DB' } }, records: {}, limits },
    ]),
  })[0]!

/** A namespace whose objects only record their messages and the times. */
function noting<Sent>() {
  const sent: { readonly name: string; readonly at: number; readonly what: Sent }[] = []
  const object = (name: string) => ({
    enter: async () => ({ day: '2026-01-01', rows: 0, bytes: 0, running: 0, granted: true }),
    async spend(what: Sent) {
      sent.push({ name, at: Date.now(), what })
      return { day: '2026-01-01', rows: 0, bytes: 0, running: 0 }
    },
    async write(what: Sent) {
      sent.push({ name, at: Date.now(), what })
    },
  })
  const namespace = { idFromName: (name: string) => name, get: object } as never
  return { sent, namespace }
}

const facts = { statements: [], rows: 1, bytes: 1, milliseconds: 1, outcome: 'ok' as const }
const recordAt = (time: number) => ({
  ...{ ...facts, time, caller: undefined, client: undefined, tool: 'query' },
  ...{ code: undefined, traceId: undefined },
})

test('usage is sent at once after a quiet time, and then every three seconds', async () => {
  const { sent, namespace } = noting<Spent>()
  const meters = new Meters(namespace, () => {})
  const use = async (name: string) => {
    const context = { caller: undefined, header: () => undefined }
    const call = { endpoint: endpointOf(name), context } as unknown as EndpointCall
    const end = await meters.begin(call)
    end(1, 10)
  }
  const began = Date.now()
  for (let i = 0; i < 100; i++) {
    await use('busy')
    // Another endpoint does not wait for the busy endpoint.
    if (i === 33) await use('rare')
    await pass(100)
  }
  await pass(6_000)
  const busy = sent.filter(({ name }) => name === 'busy')
  expect(busy[0]!.at - began).toBeLessThan(200)
  expect(busy.length).toBeLessThanOrEqual(5)
  expect(busy.reduce((sum, { what }) => sum + what.rows, 0)).toBe(100)
  const [rare] = sent.filter(({ name }) => name === 'rare')
  expect(rare!.at - began).toBeLessThan(3_600)
  await use('busy')
  const again = Date.now()
  await pass(1)
  expect(sent.at(-1)).toMatchObject({ name: 'busy', at: again, what: { rows: 1, bytes: 10 } })
})

test('a slot is given back within a moment, even while others come and go', async () => {
  const { sent, namespace } = noting<Spent>()
  const meters = new Meters(namespace, () => {})
  const endpoint = endpointOf('places', { endpoint: { concurrent: 5 } })
  const context = { caller: undefined, header: () => undefined }
  for (let i = 0; i < 10; i++) {
    const end = await meters.begin({ endpoint, context } as unknown as EndpointCall)
    end(0, 0)
    await pass(250)
    expect(sent.flatMap(({ what }) => what.leases)).toHaveLength(i + 1)
  }
})

test('a record is sent at once after a quiet time, and then every three seconds', async () => {
  const { sent, namespace } = noting<Batch>()
  const recorder = new Recorder(namespace, () => {})
  const [busy, rare] = [endpointOf('busy'), endpointOf('rare')]
  const began = Date.now()
  for (let i = 0; i < 100; i++) {
    recorder.add(busy, recordAt(Date.now()))
    if (i === 33) recorder.add(rare, recordAt(Date.now()))
    await pass(100)
  }
  await pass(6_000)
  const of = (name: string) => sent.filter((it) => it.name.startsWith(name))
  expect(of('busy')[0]!.at - began).toBeLessThan(200)
  expect(of('busy').length).toBeLessThanOrEqual(5)
  expect(of('busy').flatMap(({ what }) => what.records)).toHaveLength(100)
  expect(of('rare')[0]!.at - began).toBeLessThan(3_600)
  recorder.add(busy, recordAt(Date.now()))
  const again = Date.now()
  await pass(1)
  expect(sent.at(-1)!.at).toBe(again)
})

test('a flood of 1,500 records a second is sent sooner, so that no record is lost', async () => {
  const { sent, namespace } = noting<Batch>()
  const recorder = new Recorder(namespace, () => {})
  const busy = endpointOf('busy')
  for (let i = 0; i < 6_000; i++) {
    recorder.add(busy, recordAt(Date.now()))
    if (i % 15 === 0) await pass(10)
  }
  await pass(10_000)
  expect(sent.flatMap(({ what }) => what.records)).toHaveLength(6_000)
  expect(sent.every(({ what }) => what.lost === 0)).toBe(true)
})

test('when a process ends, records are sent at once, and lost records are counted', async () => {
  const { sent, namespace } = noting<Batch>()
  const [soon, now] = [new AbortController(), new AbortController()]
  const recorder = new Recorder(namespace, () => {}, { soon: soon.signal, now: now.signal })
  const [busy, late] = [endpointOf('busy'), endpointOf('late')]
  for (let i = 0; i < 3; i++) {
    recorder.add(busy, recordAt(Date.now()))
    await pass(200)
  }
  const records = () => sent.flatMap(({ what }) => what.records).length
  expect(records()).toBe(1)
  soon.abort()
  await pass(200)
  expect(records()).toBe(3)

  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  for (let i = 0; i < 4; i++) recorder.add(late, recordAt(Date.now()))
  now.abort()
  expect(error.mock.calls).toEqual([['Records of endpoint late are lost at the end: 4.']])
  error.mockRestore()
})

test('values from calls before recording was enabled are never recorded', async () => {
  const { sent, namespace } = noting<Batch>()
  const recorder = new Recorder(namespace, () => {})
  const quiet = endpointOf('shop')
  const loud = { ...quiet, records: { literals: true, count: 100, days: 1 } }
  const run = (sql: string) => {
    const statement = { sql, params: [] }
    const ran = { database: 'db', dialect: sqlite, statement, free: true }
    return { ...recordAt(Date.now()), statements: [ran] }
  }
  recorder.add(quiet, recordAt(Date.now()))
  await pass(1)
  recorder.add(quiet, run("select 'before'") as never)
  recorder.add(loud, run("select 'after'") as never)
  await pass(6_000)
  const written = JSON.stringify(sent)
  expect(written).toContain('after')
  expect(written).not.toContain('before')
})
