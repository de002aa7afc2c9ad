import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { lines } from '../../src/registry/api/lines.ts'
import { databasesOf, type Engines, startEngines } from '../support/engines.ts'
import { leftOutOnNode } from '../support/node-worker.ts'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

const table = ['create table items (id int primary key, name varchar(20))']
const setups = {
  sqlite: table,
  postgres: table,
  mysql: table,
  clickhouse: ['create table items (id Int32, name String) engine = MergeTree order by id'],
}

const hasD1 = !leftOutOnNode('D1 is a binding, and only a Worker has bindings.')

let engines: Engines
let worker: RunningWorker

beforeAll(async () => {
  engines = await startEngines(setups)
  const { secrets } = databasesOf(engines.ways)
  const owner = { OWNER_OF_POSTGRES: as('postgres') }
  worker = await startWorker({ ...operated, ...secrets, ...owner }, './wrangler.toml', ['SHOP'])
  if (hasD1) await (await worker.d1('SHOP')).exec(table[0]!)
}, 120_000)
afterAll(async () => {
  await worker.close()
  await engines.drop()
})

/** The URL of this test's PostgreSQL for a user. */
const as = (user: string) => {
  const { url } = engines.ways.find(({ name }) => name === 'postgres')!
  return url.replace(/\/\/[^@]+@/, `//${user}@`)
}

interface Line {
  readonly stage?: string
  readonly database?: string
  readonly state?: string
  readonly sentence?: string
  readonly detail?: string
  readonly ok?: boolean
  readonly databases?: readonly object[]
}

async function tested(name: string): Promise<readonly Line[]> {
  const response = await fetch(`${worker.url}/api/endpoints/${name}/test`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, accept: 'application/x-ndjson' },
  })
  expect(response.headers.get('content-type')).toBe('application/x-ndjson')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const all = (await response.text()).trimEnd().split('\n')
  return all.map((it) => JSON.parse(it))
}

const add = (name: string, databases: object) =>
  askApi(worker, 'POST', '/api/endpoints', { name, title: name, active: false, databases })

describe('a test in stages', () => {
  test('reports each stage for every engine, and that it refuses to write', async () => {
    const { databases } = databasesOf(engines.ways)
    const d1 = hasD1 && { d1: { url: 'd1:SHOP' } }
    const all = { ...databases, ...d1, demo: { url: 'demo:' } }
    expect((await add('engines', all)).status).toBe(201)
    const seen = await tested('engines')
    for (const database of Object.keys(all)) {
      const own = seen.filter((it) => it.database === database)
      const isBuiltIn = database === 'd1' || database === 'demo'
      expect(own.map(({ stage }) => stage)).toEqual([
        ...['recognised', 'reached', 'encrypted', ...(isBuiltIn ? [] : ['login'])],
        ...['version', 'tables', 'writes', 'role'],
      ])
      expect(own.find(({ stage }) => stage === 'writes')).toMatchObject({
        state: 'ok',
        sentence: expect.stringMatching(
          /^Refuses to write, with the guard bypassed\. Statements run /,
        ),
        detail: expect.stringContaining('→'),
      })
      if (database !== 'demo') {
        expect(own.find(({ stage }) => stage === 'tables')?.sentence).toBe(
          'Reads 1 table with 2 columns',
        )
      }
    }
    expect(seen.at(-1)).toMatchObject({ ok: true })
    expect(seen.at(-1)?.databases).toHaveLength(Object.keys(all).length)
  }, 60_000)

  test('reports a role with the right to write, while the transaction refuses', async () => {
    await add('owner', { main: { url: 'secret:OWNER_OF_POSTGRES' } })
    const seen = await tested('owner')
    expect(seen.find(({ stage }) => stage === 'writes')).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('transaction read-write mode must be set before any query'),
    })
    expect(seen.find(({ stage }) => stage === 'role')).toMatchObject({
      state: 'bad',
      sentence: expect.stringContaining('high finding'),
    })
  })

  test('ends if a database refuses the login, and has no later stage', async () => {
    await add('stranger', { main: { url: as('nobody_here') } })
    const seen = await tested('stranger')
    expect(seen.slice(0, -1).map(({ stage, state }) => [stage, state])).toEqual([
      ['recognised', 'ok'],
      ['reached', 'ok'],
      ['login', 'bad'],
    ])
    expect(seen.at(-1)).toMatchObject({ ok: false, databases: [{ problem: expect.any(String) }] })
  })

  test('ends if nothing listens', async () => {
    await add('nowhere', { main: { url: 'postgres://a:Planted-Passw0rd@127.0.0.1:1/x' } })
    const seen = await tested('nowhere')
    expect(seen.slice(0, -1).map(({ stage, state }) => [stage, state])).toEqual([
      ['recognised', 'ok'],
      ['reached', 'bad'],
    ])
    expect(JSON.stringify(seen)).not.toContain('Planted')
  })

  test('is one response for a client that does not request lines', async () => {
    const { json } = await askApi(worker, 'POST', '/api/endpoints/owner/test')
    expect(json).toMatchObject({ ok: true, databases: [{ database: 'main', tables: 1 }] })
  })

  test('gets 404 for a missing endpoint', async () => {
    const response = await fetch(`${worker.url}/api/endpoints/none/test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, accept: 'application/x-ndjson' },
    })
    const { error } = (await response.json()) as { error: { code: string } }
    expect([response.status, error.code]).toEqual([404, 'not_found'])
  })
})

describe('a response in lines', () => {
  test('stops its generator when the client leaves', async () => {
    let stopped = false
    const response = lines(new AbortController().signal, async function* (signal) {
      yield { n: 1 }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      stopped = true
    })
    const reader = response.body!.getReader()
    await reader.read()
    await new Promise((resolve) => setTimeout(resolve))
    await reader.cancel()
    await new Promise((resolve) => setTimeout(resolve))
    expect(stopped).toBe(true)
  })

  test('logs no error for a client that left', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    for (const fails of [true, false]) {
      const response = lines(new AbortController().signal, async function* (signal) {
        yield { n: 1 }
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        if (fails) throw new Error('stopped')
        yield { n: 2 }
      })
      const reader = response.body!.getReader()
      await reader.read()
      await new Promise((resolve) => setTimeout(resolve))
      await reader.cancel()
      await new Promise((resolve) => setTimeout(resolve))
    }
    expect(logged).not.toHaveBeenCalled()
    logged.mockRestore()
  })

  test('ends with an internal error after a fault in the server', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    // biome-ignore lint/correctness/useYield: it fails first
    const response = lines(new AbortController().signal, async function* () {
      throw new Error('secret of ours')
    })
    const text = await response.text()
    expect(JSON.parse(text).error.code).toBe('internal')
    expect(text).not.toContain('secret of ours')
    logged.mockRestore()
  })
})
