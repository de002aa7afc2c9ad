import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { experimental_readRawConfig } from 'wrangler'
import { callRates } from '../../src/gateway/config/endpoint-schema.ts'
import { type Endpoint, type EndpointCall, readEndpoints } from '../../src/gateway/index.ts'
import { LimitReached } from '../../src/registry/limits/bounds.ts'
import { Meters } from '../../src/registry/limits/meters.ts'
import { usageOf } from '../../src/registry/limits/reading.ts'
import { callAs, recordsOf } from '../support/calls.ts'
import { anySqlite, post, type RunningWorker, startWorker } from '../support/worker.ts'

const key = 'k'.repeat(40)
const bearer = { authorization: `Bearer ${key}` }
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

const config = (name: string, limits: object, more: object = {}) => ({
  ...{ name, title: name, databases: { db: { url: anySqlite } }, limits },
  ...more,
})

let worker: RunningWorker
let env: Cloudflare.Env
beforeAll(async () => {
  const ENDPOINTS = JSON.stringify([
    config('rate', { caller: { callsPerMinute: 10 } }),
    config('open', { caller: { callsPerMinute: 10 } }, { access: 'public' }),
    config('modern', { caller: { rowsPerDay: 5 } }),
    config('legacy', { caller: { rowsPerDay: 5 } }),
    config('bytes', { endpoint: { bytesPerDay: 1_000 } }),
    config('free', {}),
  ])
  worker = await startWorker({ ENDPOINTS, TIDEGATE_KEY: key }, undefined, ['TEST_DB'])
  env = await worker.env()
})
afterAll(() => worker.close())

const rows = (n: number) =>
  Array.from({ length: n }, (_, i) => `select ${i} as n`).join(' union all ')

describe('calls per minute', () => {
  /** Sends calls during which at most two minutes can begin. */
  const flood = async (path: string, headers: Record<string, string>) => {
    const answers = []
    for (let n = 0; n < 35; n++) answers.push(await post(worker.url + path, list, headers))
    return answers
  }

  test('are refused once they are used up, with a retry time', async () => {
    const answers = await flood('/mcp/rate', bearer)
    expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(200))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, headers, json } of refused) {
      expect([status, headers.get('retry-after')]).toEqual([429, '60'])
      expect(json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: 4290 } })
    }
    const { records } = await recordsOf(worker, 'rate', 1)
    expect(records[0]).toMatchObject({ caller: 'key', outcome: 'refused', code: '4290' })
  })

  test('count for one endpoint only, and a wrong key does not use them up', async () => {
    expect((await post(`${worker.url}/mcp/free`, list, bearer)).status).toBe(200)
    const wrong = { authorization: 'Bearer wrong' }
    const answers = await flood('/mcp/modern', wrong)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    expect((await post(`${worker.url}/mcp/modern`, list, bearer)).status).toBe(200)
  })

  test('are refused in a way that a web page can read', async () => {
    const origin = { origin: 'http://localhost:6274' }
    const refused = (await flood('/mcp/open', origin)).find(({ status }) => status === 429)!
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin.origin)
    expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After')
  })
})

test('each rate of calls per minute has its binding', async () => {
  const { rawConfig } = experimental_readRawConfig({ config: './wrangler.toml' })
  expect(rawConfig.ratelimits).toEqual(
    callRates.map((limit) => ({
      name: `RATE_${limit}`,
      namespace_id: expect.stringMatching(/^\d+$/),
      simple: { limit, period: 60 },
    })),
  )
  const ids = rawConfig.ratelimits.map((it: { namespace_id: string }) => it.namespace_id)
  expect(new Set(ids).size).toBe(callRates.length)
})

describe.each(['modern', 'legacy'] as const)('rows per day, in the %s era', (era) => {
  test('are refused once they are used up, with the limit and its reset time', async () => {
    const call = async (sql: string) => {
      const args = { sql }
      const url = `${worker.url}/mcp/${era}`
      return (await callAs(era, url, { name: 'query', args, headers: bearer })).json().result
    }
    expect((await call(rows(3))).isError).toBeUndefined()
    expect((await call(rows(4))).isError).toBeUndefined()
    const refused = await call(rows(1))
    expect(refused.isError).toBe(true)
    expect(refused.content[0].text).toMatch(
      /^Each caller may read 5 rows a day here, and 7 are used\. It resets at 00:00 UTC, in /,
    )
    const { records } = await recordsOf(worker, era, 3)
    expect(records[0]).toMatchObject({ outcome: 'refused', code: 'rowsPerDay', rows: 0 })
    await expect
      .poll(() => usageOf(env, era, { subject: 'key' }), { timeout: 20_000 })
      .toMatchObject({ rows: 7 })
  })
})

test('bytes per day count for all callers together if they limit an endpoint', async () => {
  const call = async () => {
    const args = { sql: `select '${'x'.repeat(600)}' as x` }
    const url = `${worker.url}/mcp/bytes`
    return (await callAs('modern', url, { name: 'query', args, headers: bearer })).json().result
  }
  await call()
  await call()
  expect((await call()).content[0].text).toMatch(/^All callers together may read 1000 bytes a day/)
})

test('an endpoint without limits has no meter', async () => {
  await post(
    `${worker.url}/mcp/free`,
    {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'query', arguments: { sql: 'select 1' } },
    },
    bearer,
  )
  await recordsOf(worker, 'free', 1)
  expect(await usageOf(env, 'free', { subject: 'key' })).toMatchObject({ rows: 0, bytes: 0 })
})

describe('two isolates', () => {
  const endpointOf = (name: string, limits: object): Endpoint =>
    readEndpoints({ ENDPOINTS: JSON.stringify([config(name, limits)]) })[0]!
  const call = (endpoint: Endpoint, subject?: string) =>
    ({
      endpoint,
      context: {
        caller: subject === undefined ? undefined : { subject, scopes: [] },
        header: () => '2001:db8::1',
      },
    }) as unknown as EndpointCall

  /** An isolate's meters, and a function that waits until it has reported its usage. */
  function isolate(namespace: Pick<typeof env.METER, 'get' | 'idFromName'> = env.METER) {
    const work: Promise<unknown>[] = []
    const meters = new Meters(namespace as typeof env.METER, (it) => void work.push(it))
    return { meters, settled: () => Promise.all(work) }
  }

  test('share a caller’s quota, and learn each other’s usage', async () => {
    const endpoint = endpointOf('shared', { caller: { rowsPerDay: 10 } })
    const [a, b] = [isolate(), isolate()]
    const endA = await a.meters.begin(call(endpoint, 'ann'))
    const endB = await b.meters.begin(call(endpoint, 'ann'))
    endA(6, 60)
    await a.settled()
    // This call begins before its isolate has learned that 6 are used.
    endB(5, 50)
    await b.settled()
    await expect(b.meters.begin(call(endpoint, 'ann'))).rejects.toThrow('10 rows a day')
    // This isolate has learned of 6, and lets one more call through. Then it learns the total.
    const end = await a.meters.begin(call(endpoint, 'ann'))
    end(1, 10)
    await a.settled()
    await expect(a.meters.begin(call(endpoint, 'ann'))).rejects.toThrow('12 are used')
    // A new isolate asks before its first call, and another caller has a separate quota.
    await expect(isolate().meters.begin(call(endpoint, 'ann'))).rejects.toThrow(LimitReached)
    await a.meters.begin(call(endpoint, 'bob'))
    expect(await usageOf(env, 'shared', { subject: 'ann' })).toMatchObject({ rows: 12, bytes: 120 })
  })

  test('count a call’s usage even before the meter has responded', async () => {
    const endpoint = endpointOf('waiting', { caller: { rowsPerDay: 5 } })
    const { meters, settled } = isolate()
    const first = await meters.begin(call(endpoint, 'ann'))
    first(1, 1)
    await settled()
    const second = await meters.begin(call(endpoint, 'ann'))
    second(4, 4)
    // The meter has been asked, and has not responded.
    await new Promise((resolve) => setTimeout(resolve, 1))
    await expect(meters.begin(call(endpoint, 'ann'))).rejects.toThrow('5 are used')
    await settled()
    expect(await usageOf(env, 'waiting', { subject: 'ann' })).toMatchObject({ rows: 5 })
  })

  test('share the slots for concurrent queries', async () => {
    const endpoint = endpointOf('places', { endpoint: { concurrent: 2 } })
    const [a, b] = [isolate(), isolate()]
    const end = await a.meters.begin(call(endpoint))
    await b.meters.begin(call(endpoint))
    await expect(a.meters.begin(call(endpoint))).rejects.toThrow(
      'may run 2 queries at once here, and 2 are running',
    )
    expect(await usageOf(env, 'places')).toMatchObject({ running: 2 })
    end(0, 0)
    await a.settled()
    await b.meters.begin(call(endpoint))
    await expect(b.meters.begin(call(endpoint))).rejects.toThrow(LimitReached)
  })

  test('give back the slot of a call that another limit refuses', async () => {
    const limits = { caller: { concurrent: 1 }, endpoint: { concurrent: 5 } }
    const endpoint = endpointOf('both', limits)
    const { meters, settled } = isolate()
    await meters.begin(call(endpoint, 'ann'))
    for (let n = 0; n < 3; n++) {
      await expect(meters.begin(call(endpoint, 'ann'))).rejects.toThrow(
        'Each caller may run 1 query at once here, and 1 is running.',
      )
    }
    await settled()
    expect(await usageOf(env, 'both')).toMatchObject({ running: 1 })
  })

  test('count callers without a key by their network', async () => {
    const endpoint = endpointOf('network', { caller: { rowsPerDay: 1 } })
    const { meters, settled } = isolate()
    const end = await meters.begin(call(endpoint))
    end(1, 1)
    await settled()
    const used = (address: string) => usageOf(env, 'network', { address })
    expect(await used('2001:db8:0:0:ffff::2')).toMatchObject({ rows: 1 })
    expect(await used('2001:db8:0:1::1')).toMatchObject({ rows: 0 })
  })

  test('do not refuse a call if a meter cannot be reached, and count it later', async () => {
    const endpoint = endpointOf('away', { endpoint: { rowsPerDay: 5 } })
    let away = true
    const { meters, settled } = isolate({
      idFromName: (name) => env.METER.idFromName(name),
      get: (id) => {
        if (away) throw new Error('The object was restarted.')
        return env.METER.get(id)
      },
    })
    const end = await meters.begin(call(endpoint))
    end(4, 40)
    await settled()
    away = false
    const later = await meters.begin(call(endpoint))
    later(1, 10)
    await settled()
    expect(await usageOf(env, 'away')).toMatchObject({ rows: 5, bytes: 50 })
    await expect(meters.begin(call(endpoint))).rejects.toThrow('5 are used')
  })
})
