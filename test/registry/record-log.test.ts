import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Endpoint, readEndpoints } from '../../src/gateway/index.ts'
import { readRecords, recordLines } from '../../src/registry/records/reading.ts'
import { type CallRecord, idAt, SHARDS, shardName } from '../../src/registry/records/record.ts'
import { Recorder } from '../../src/registry/records/recorder.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

let worker: RunningWorker
let env: Cloudflare.Env
beforeAll(async () => {
  worker = await startWorker()
  env = await worker.env()
})
afterAll(() => worker.close())

const START = Date.UTC(2026, 0, 1)
const retention = { count: 1_000, days: 100_000 }

const record = (endpoint: string, n: number, more: Partial<CallRecord> = {}): CallRecord => ({
  id: `${idAt(START + n)}${String(n).padStart(6, '0')}isolate0`,
  time: new Date(START + n).toISOString(),
  ...{ endpoint, rows: n, bytes: 0, milliseconds: 0, outcome: 'ok' },
  ...more,
})

const write = (endpoint: string, shard: number, records: CallRecord[], more: object = {}) =>
  env.RECORDS.get(env.RECORDS.idFromName(shardName(endpoint, shard))).write({
    ...{ records, lost: 0, retention },
    ...more,
  })

async function pages(endpoint: string, limit: number) {
  const found: CallRecord[] = []
  let cursor: string | undefined
  do {
    const page = await readRecords(env, { endpoint, limit, cursor })
    found.push(...page.records)
    cursor = page.nextCursor
  } while (cursor)
  return found.map(({ rows }) => rows)
}

describe('an endpoint’s records', () => {
  test('come from all shards, newest first, each once, with any page size', async () => {
    const all = Array.from({ length: 103 }, (_, n) => n)
    for (let shard = 0; shard < SHARDS; shard++) {
      const own = all.filter((n) => (n * 7) % SHARDS === shard)
      await write(
        'many',
        shard,
        own.map((n) => record('many', n)),
      )
    }
    const newest = all.toReversed()
    for (const limit of [1, 10, 51, 500]) expect(await pages('many', limit)).toEqual(newest)
  })

  test('keep their place on later pages when new records arrive', async () => {
    await write(
      'moving',
      0,
      [1, 2, 3, 4].map((n) => record('moving', n)),
    )
    const first = await readRecords(env, { endpoint: 'moving', limit: 2 })
    await write(
      'moving',
      1,
      [5, 6].map((n) => record('moving', n)),
    )
    const { nextCursor: cursor } = first
    const second = await readRecords(env, { endpoint: 'moving', limit: 2, cursor })
    expect([...first.records, ...second.records].map(({ rows }) => rows)).toEqual([4, 3, 2, 1])
    expect(second).not.toHaveProperty('nextCursor')
  })

  test('can be filtered by caller, tool, outcome and time', async () => {
    await write('found', 0, [
      record('found', 1, { caller: 'key:a', tool: 'query' }),
      record('found', 2, { caller: 'key:b', tool: 'query', outcome: 'refused' }),
    ])
    await write('found', 1, [record('found', 3, { caller: 'key:a', tool: 'list_tables' })])
    const rows = async (filter: object) =>
      (await readRecords(env, { endpoint: 'found', ...filter })).records.map((it) => it.rows)
    expect(await rows({ caller: 'key:a' })).toEqual([3, 1])
    expect(await rows({ tool: 'query' })).toEqual([2, 1])
    expect(await rows({ tool: 'query', outcome: 'refused' })).toEqual([2])
    expect(await rows({ since: START + 2 })).toEqual([3, 2])
    expect(await rows({ until: START + 2 })).toEqual([1])
    expect(await rows({ caller: "' or 1=1 --" })).toEqual([])
  })

  test('are stored once, even if a batch arrives twice', async () => {
    const batch = [1, 2].map((n) => record('twice', n))
    await write('twice', 0, batch)
    await write('twice', 0, [...batch, record('twice', 3)])
    expect(await pages('twice', 10)).toEqual([3, 2, 1])
    // Records that arrived twice count once.
    await write('twice', 0, [record('twice', 4)], { retention: { count: 4, days: 100_000 } })
    expect(await pages('twice', 10)).toEqual([4, 3, 2, 1])
  })

  test('are limited in number, and the oldest are deleted', async () => {
    const few = { retention: { count: 3, days: 100_000 } }
    await write(
      'few',
      0,
      [1, 2, 3, 4, 5].map((n) => record('few', n)),
      few,
    )
    await write('few', 0, [record('few', 6)], few)
    expect(await pages('few', 10)).toEqual([6, 5, 4])
  })

  test('are exported as JSON Lines, with the number of lost records at the end', async () => {
    await write(
      'lines',
      0,
      [1, 2].map((n) => record('lines', n)),
      { lost: 3 },
    )
    await write('lines', 1, [], { lost: 4 })
    const text = await new Response(recordLines(env, { endpoint: 'lines' })).text()
    const lines = text
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it))
    expect(lines).toMatchObject([{ rows: 2 }, { rows: 1 }, { lost: 7 }])
    expect(await new Response(recordLines(env, { endpoint: 'none' })).text()).toBe('')
  })
})

describe('an isolate', () => {
  const endpoint = (name: string): Endpoint =>
    readEndpoints({
      ENDPOINTS: JSON.stringify([{ name, title: name, databases: { db: { url: 'd1:DB' } } }]),
    })[0]!
  const finished = (rows: number) => ({
    ...{ time: Date.now(), caller: undefined, client: undefined, tool: 'query', statements: [] },
    ...{ rows, bytes: 0, milliseconds: 0, code: undefined, traceId: undefined },
    outcome: 'ok' as const,
  })

  /** A recorder with this many failing requests, before or after the shard has stored their records. */
  function failing(times: number, stored: boolean) {
    const work: Promise<unknown>[] = []
    let requests = 0
    const namespace = {
      idFromName: (name: string) => env.RECORDS.idFromName(name),
      get: (id: DurableObjectId) => ({
        async write(batch: never) {
          const fails = requests++ < times
          if (!fails || stored) await env.RECORDS.get(id).write(batch)
          if (fails) throw new Error('The object was restarted.')
        },
      }),
    } as unknown as typeof env.RECORDS
    const recorder = new Recorder(namespace, (it) => void work.push(it))
    return { recorder, settled: () => Promise.all(work) }
  }

  test.each([
    ['before it stored records', false],
    ['after it stored records', true],
  ])('loses nothing if an object is restarted %s', async (when, stored) => {
    const name = stored ? 'restarted-a' : 'restarted-b'
    const { recorder, settled } = failing(2, stored)
    const to = endpoint(name)
    for (let n = 0; n < 250; n++) recorder.add(to, finished(n))
    await settled()
    expect(new Set(await pages(name, 500)).size, when).toBe(250)
    expect(await pages(name, 500)).toHaveLength(250)
    expect((await readRecords(env, { endpoint: name })).lost).toBe(0)
  })

  test('counts records that it could not store, and reports them with the next batch', async () => {
    const { recorder, settled } = failing(4, false)
    const to = endpoint('lost')
    for (let n = 0; n < 5; n++) recorder.add(to, finished(n))
    await settled()
    recorder.add(to, finished(5))
    await settled()
    const { records, lost } = await readRecords(env, { endpoint: 'lost' })
    expect([records.map(({ rows }) => rows), lost]).toEqual([[5], 5])
  })

  test('holds a bounded number of records, and counts the others as lost', async () => {
    const { recorder, settled } = failing(0, false)
    const to = endpoint('bounded')
    for (let n = 0; n < 3_000; n++) recorder.add(to, finished(n))
    await settled()
    const { lost } = await readRecords(env, { endpoint: 'bounded' })
    expect([(await pages('bounded', 500)).length, lost]).toEqual([2_000, 1_000])
  })

  test('writes one record for a flood that is refused at the door', async () => {
    const { recorder, settled } = failing(0, false)
    const refused = { ...finished(0), tool: undefined, outcome: 'refused' as const, code: '4290' }
    const to = endpoint('door')
    for (let n = 0; n < 1_000; n++) recorder.add(to, refused)
    await settled()
    const { records } = await readRecords(env, { endpoint: 'door' })
    expect(records).toMatchObject([{ code: '4290', calls: 1_000 }])
  })
})

test('a record is one line, whatever its statement contains', async () => {
  const sql = 'select "a\u2028{}\u2029{}\u0085{}\n{}"'
  await write('ends', 0, [record('ends', 1, { statements: [{ database: 'main', sql }] })])
  const text = await new Response(recordLines(env, { endpoint: 'ends' })).text()
  expect(text.trimEnd().split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(1)
  expect(JSON.parse(text).statements[0].sql).toBe(sql)
})
