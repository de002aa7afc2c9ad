import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { rangeOf } from '../../src/registry/records/latencies.ts'
import { idAt } from '../../src/registry/records/record.ts'

afterEach(() => vi.useRealTimers())

const DAY = 24 * 60 * 60_000
const noon = Math.floor(Date.now() / DAY) * DAY + DAY / 2
const at = (now: number) => vi.useFakeTimers({ toFake: ['Date'], now })

const entries = (object: DurableObjectStub) =>
  runInDurableObject(object, async (_, { storage }) => ({
    tables: storage.sql
      .exec("select name from sqlite_master where name not like '\\_%' escape '\\'")
      .toArray().length,
    values: [...storage.kv.list()].length,
    alarm: await storage.getAlarm(),
  }))

/** Ends an object as a deploy or a fault does. */
const restart = (object: DurableObjectStub) =>
  runInDurableObject(object, (_, state) => state.abort('restarted')).catch(() => {})

const meter = (name: string) => env.METER.get(env.METER.idFromName(name))
const records = (name: string) => env.RECORDS.get(env.RECORDS.idFromName(name))

test('a slot that is not given back becomes free after its time', async () => {
  at(noon)
  const object = meter('leases')
  const lease = (id: string) => object.enter({ id, milliseconds: 1_000, most: 1 })
  expect(await lease('a')).toMatchObject({ granted: true, running: 1 })
  expect(await lease('b')).toMatchObject({ granted: false, running: 1 })
  at(noon + 1_001)
  expect(await lease('b')).toMatchObject({ granted: true, running: 1 })
})

test('a day begins at zero, and leaves nothing behind when it is over', async () => {
  at(noon)
  const object = meter('days')
  await object.spend({ rows: 3, bytes: 30, leases: [] })
  expect(await object.spend({ rows: 4, bytes: 40, leases: ['unknown'] })).toMatchObject({
    ...{ rows: 7, bytes: 70, running: 0 },
  })
  at(noon + DAY / 2)
  expect(await object.enter()).toMatchObject({ rows: 0, bytes: 0 })
  at(noon + DAY)
  expect(await runDurableObjectAlarm(object)).toBe(true)
  expect(await entries(object)).toEqual({ tables: 0, values: 0, alarm: null })
  expect(await object.spend({ rows: 1, bytes: 1, leases: [] })).toMatchObject({ rows: 1 })
})

test('a meter with tables from an older version leaves nothing behind, either', async () => {
  const object = meter('older')
  await runInDurableObject(object, async (_, { storage }) => {
    storage.sql.exec('create table used (day text primary key, rows integer, bytes integer)')
    await storage.setAlarm(Date.now() + DAY)
  })
  expect(await object.enter()).toMatchObject({ rows: 0, bytes: 0, running: 0 })
  expect(await runDurableObjectAlarm(object)).toBe(true)
  expect(await entries(object)).toEqual({ tables: 0, values: 0, alarm: null })
})

test('a meter that is only read stores nothing', async () => {
  const object = meter('asked')
  await object.enter()
  expect(await entries(object)).toEqual({ tables: 0, values: 0, alarm: null })
})

test('a restarted meter continues with its counts', async () => {
  await meter('restarted').spend({ rows: 3, bytes: 30, leases: [] })
  await meter('restarted').enter({ id: 'a', milliseconds: 60_000, most: 1 })
  await restart(meter('restarted'))
  expect(await meter('restarted').enter()).toMatchObject({ rows: 3, bytes: 30, running: 1 })
})

const record = (time: number, n: number) => ({
  id: `${time.toString(36).padStart(9, '0')}${n}`,
  time: new Date(time).toISOString(),
  ...{ endpoint: 'shop', rows: n, bytes: 0, milliseconds: 0, outcome: 'ok' as const },
})

test('records are deleted when they are too old, and then nothing is left', async () => {
  at(noon)
  const object = records('old')
  const retention = { count: 100, days: 2 }
  await object.write({ records: [record(noon, 1)], lost: 2, retention })
  at(noon + DAY)
  await object.write({ records: [record(noon + DAY, 2)], lost: 0, retention })
  expect(await runDurableObjectAlarm(object)).toBe(true)
  expect(await object.read({}, undefined, 10)).toMatchObject({
    records: [{ rows: 2 }, { rows: 1 }],
  })
  at(noon + 2 * DAY + 1)
  await runDurableObjectAlarm(object)
  expect((await object.read({}, undefined, 10)).records).toMatchObject([{ rows: 2 }])
  at(noon + 4 * DAY)
  await runDurableObjectAlarm(object)
  expect(await entries(object)).toEqual({ tables: 0, values: 0, alarm: null })
  expect(await object.read({}, undefined, 10)).toEqual({ records: [], lost: 0 })
})

test('a batch is stored completely or not at all, even by a restarted object', async () => {
  const retention = { count: 100, days: 30 }
  const good = [1, 2, 3].map((n) => record(Date.now(), n))
  const bad = [record(Date.now(), 4), { ...record(Date.now(), 5), outcome: null as never }]
  await records('whole').write({ records: good, lost: 0, retention })
  const failed = await runInDurableObject(records('whole'), (it) =>
    it.write({ records: bad, lost: 0, retention }).catch(() => 'failed'),
  )
  expect(failed).toBe('failed')
  await restart(records('whole'))
  const { records: found } = await records('whole').read({}, undefined, 10)
  expect(found.map(({ rows }) => rows).sort()).toEqual([1, 2, 3])
  // Its count matches its records.
  await records('whole').write({
    records: bad.slice(0, 1),
    lost: 0,
    retention: { ...retention, count: 4 },
  })
  expect((await records('whole').read({}, undefined, 10)).records).toHaveLength(4)
})

test('records from a table without the counted columns are kept and counted', async () => {
  const object = records('older')
  const older = {
    time: '2026-11-01T00:00:00.000Z',
    ...{ endpoint: 'shop', rows: 1, bytes: 0, milliseconds: 40, calls: 3 },
  }
  await runInDurableObject(object, (_, { storage }) => {
    storage.sql.exec(`create table records (id text primary key, caller text, tool text,
      outcome text not null, record text not null) without rowid`)
    storage.sql.exec('create table lost (hour integer primary key, count integer not null)')
    const values = [`${idAt(noon)}1`, 'ada', 'query', 'ok', JSON.stringify(older)]
    storage.sql.exec('insert into records values (?, ?, ?, ?, ?)', ...values)
  })
  const retention = { count: 100, days: 30 }
  await object.write({ records: [record(noon, 2)], lost: 0, retention })
  await restart(object)
  const there = records('older')
  expect((await there.read({}, undefined, 10)).records).toMatchObject([{ rows: 2 }, older])
  const { buckets } = await there.count({ since: noon, until: noon + 1000, step: 1000 })
  expect(buckets[0]).toMatchObject({ calls: 4, errors: 0 })
  expect(buckets[0]!.latencies).toEqual(
    new Map([
      [rangeOf(40), 3],
      [0, 1],
    ]),
  )
})
