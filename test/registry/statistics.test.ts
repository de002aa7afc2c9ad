import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addLatencies, percentile, rangeOf } from '../../src/registry/records/latencies.ts'
import { type CallRecord, idAt, SHARDS, shardName } from '../../src/registry/records/record.ts'
import { askApi, operated } from '../support/registry-api.ts'
import { anySqlite, post, type RunningWorker, startWorker } from '../support/worker.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 10, 1)
const retention = { count: 100_000, days: 100_000 }

const database = { db: { url: anySqlite } }
const endpoints = ['shop', 'other', 'large', 'called'].map((name) => ({
  ...{ name, title: name, databases: database },
}))

let worker: RunningWorker
let env: Cloudflare.Env
beforeAll(async () => {
  const vars = { ...operated, ENDPOINTS: JSON.stringify(endpoints) }
  worker = await startWorker(vars, undefined, ['TEST_DB'])
  env = await worker.env()
})
afterAll(() => worker.close())

let written = 0
const record = (endpoint: string, at: number, more: Partial<CallRecord> = {}): CallRecord => ({
  id: `${idAt(at)}${String(written++).padStart(6, '0')}isolate0`,
  time: new Date(at).toISOString(),
  ...{ endpoint, rows: 1, bytes: 0, milliseconds: 0, outcome: 'ok' },
  ...more,
})

/** Writes records to the shards in turn. */
async function write(endpoint: string, records: readonly CallRecord[]) {
  for (let shard = 0; shard < SHARDS; shard++) {
    const own = records.filter((_, i) => i % SHARDS === shard)
    const object = env.RECORDS.get(env.RECORDS.idFromName(shardName(endpoint, shard)))
    await object.write({ records: own, lost: 0, retention })
  }
}

const period = {
  since: new Date(START).toISOString(),
  until: new Date(START + 4 * HOUR).toISOString(),
}
const ask = async (query: Record<string, string>) =>
  askApi(worker, 'GET', `/api/statistics?${new URLSearchParams({ ...period, ...query })}`)

describe('an endpoint’s statistics', () => {
  beforeAll(async () => {
    const client = { name: '<script>alert(1)</script>' }
    await write('shop', [
      ...Array.from({ length: 90 }, () =>
        record('shop', START, { milliseconds: 10, caller: 'ada' }),
      ),
      ...Array.from({ length: 10 }, () =>
        record('shop', START + HOUR, { milliseconds: 1_000, caller: 'bob', client }),
      ),
      record('shop', START + HOUR, { outcome: 'error', milliseconds: 9, tool: 'query' }),
      record('shop', START + 3 * HOUR, { outcome: 'refused', calls: 500 }),
      record('shop', START + 5 * HOUR, { caller: 'ada' }),
    ])
  })

  test('contain the number of calls, their outcomes and their durations', async () => {
    const { status, json } = await ask({ endpoint: 'shop', step: '3600' })
    expect(status).toBe(200)
    expect(json.statistics).toHaveLength(1)
    const [shop] = json.statistics
    expect(shop).toMatchObject({ endpoint: 'shop', calls: 601, errors: 1, refused: 500, p50: 10 })
    expect(Math.abs(shop.p95 - 1_000)).toBeLessThanOrEqual(50)
    expect(shop.lastCallAt).toBe(new Date(START + 5 * HOUR).toISOString())
    expect(shop.buckets.map((it: { calls: number }) => it.calls)).toEqual([90, 11, 0, 500])
    expect(shop.buckets[2]).toEqual({
      at: new Date(START + 2 * HOUR).toISOString(),
      ...{ calls: 0, errors: 0, refused: 0 },
    })
    // Refused calls have no duration.
    expect(shop.buckets[3]).not.toHaveProperty('p50')
  })

  test('cover only the calls that match a filter', async () => {
    const calls = async (filter: Record<string, string>) =>
      (await ask({ endpoint: 'shop', step: '3600', ...filter })).json.statistics[0].calls
    expect(await calls({ caller: 'ada' })).toBe(90)
    expect(await calls({ tool: 'query' })).toBe(1)
    expect(await calls({ outcome: 'refused' })).toBe(500)
    expect(await calls({ client: '<script>alert(1)</script>' })).toBe(10)
    expect(await calls({ caller: "' or 1=1 --" })).toBe(0)
  })

  test('can be grouped by person, tool or app', async () => {
    const groups = async (by: string) =>
      (await ask({ endpoint: 'shop', by })).json.statistics[0].groups
    expect(await groups('caller')).toMatchObject([
      { calls: 501, refused: 500 },
      { name: 'ada', calls: 90, p50: 10, lastCallAt: period.since },
      { name: 'bob', calls: 10 },
    ])
    expect((await groups('caller'))[0]).not.toHaveProperty('name')
    expect(await groups('tool')).toMatchObject([{ calls: 600 }, { name: 'query', errors: 1 }])
    expect((await groups('client'))[1].name).toBe('<script>alert(1)</script>')
  })

  test('can cover several endpoints at once, or all endpoints', async () => {
    const names = async (query: Record<string, string>) =>
      (await ask(query)).json.statistics.map((it: { endpoint: string }) => it.endpoint)
    expect(await names({ endpoint: 'shop,other' })).toEqual(['shop', 'other'])
    expect(await names({})).toEqual(['shop', 'other', 'large', 'called'])
    await write('other', [record('other', START, { milliseconds: 10, caller: 'ada' })])
    const { json } = await ask({ endpoint: 'shop,other', by: 'caller', step: '3600' })
    expect(json.total).toMatchObject({ calls: 602, refused: 500, errors: 1, p50: 10 })
    expect(json.total.buckets[0]).toMatchObject({ calls: 91, p50: 10 })
    expect(json.total.groups[1]).toMatchObject({ name: 'ada', calls: 91 })
  })

  test('are refused with a reason if there would be too many of them', async () => {
    const messages = await Promise.all([
      ask({ step: '1' }),
      ask({ since: period.until, until: period.since }),
      ask({ endpoint: Array.from({ length: 21 }, (_, i) => `e${i}`).join() }),
      ask({ step: '0' }),
    ])
    expect(messages.map((it) => it.status)).toEqual([422, 422, 422, 422])
    expect(messages[0]!.json.error.message).toBe(
      'step is too small: at most 200 buckets are allowed.',
    )
  })

  test('stay small for 20,000 calls', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) =>
      record('large', START + i * 700, { milliseconds: i % 3_000, caller: `person ${i % 5_000}` }),
    )
    await write('large', many)
    const { json, text } = await ask({ endpoint: 'large', by: 'caller', step: '72' })
    const [large] = json.statistics
    expect(large.calls).toBe(20_000)
    expect([large.buckets.length, large.groups.length]).toEqual([200, 100])
    expect(text.length).toBeLessThan(40_000)
  })
})

test('a call is in the statistics, and its statement can be found by its text', async () => {
  const call = (sql: string) =>
    post(
      `${worker.url}/mcp/called`,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'query', arguments: { sql } },
      },
      { authorization: `Bearer ${operated.TIDEGATE_KEY}` },
    )
  await call('select 1 as "Örders"')
  await call('select 2 as refunds')
  const statistics = async () =>
    (await askApi(worker, 'GET', '/api/statistics?endpoint=called')).json.statistics[0]
  await expect.poll(async () => (await statistics()).calls, { timeout: 20_000 }).toBe(2)
  const found = async (text: string) => {
    const query = new URLSearchParams({ endpoint: 'called', text })
    const { json } = await askApi(worker, 'GET', `/api/records?${query}`)
    return json.records.map((it: CallRecord) => it.statements![0]!.sql)
  }
  expect(await found('"ÖRDERS"')).toEqual(['select ? as "Örders"'])
  expect(await found('%')).toEqual([])
  expect(await found('database')).toEqual([])
})

test('each whole number of milliseconds is shown within 5 %', () => {
  const wrong = Array.from({ length: 60_001 }, (_, ms) => ms).filter(
    (ms) => Math.abs(percentile(new Map([[rangeOf(ms), 1]]), 0.5)! - ms) > 0.05 * ms,
  )
  expect(wrong).toEqual([])
})

test('an endpoint that is named twice is counted once', async () => {
  const { json } = await ask({ endpoint: 'shop,shop' })
  expect(json.statistics).toHaveLength(1)
  expect(json.total).toBeUndefined()
})

test('a percentile of sums is within 5 % of the true percentile', () => {
  const times = fc.array(fc.nat(60_000), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(times, times, fc.constantFrom(0.5, 0.95), (a, b, share) => {
      const [sum, more] = [a, b].map((some) => {
        const counts = new Map<number, number>()
        for (const it of some) counts.set(rangeOf(it), (counts.get(rangeOf(it)) ?? 0) + 1)
        return counts
      })
      addLatencies(sum!, more!)
      const sorted = [...a, ...b].sort((x, y) => x - y)
      const exact = sorted[Math.ceil(share * sorted.length) - 1]!
      const found = percentile(sum!, share)!
      return Math.abs(found - exact) <= 0.05 * exact
    }),
  )
})
