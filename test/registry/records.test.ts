import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readRecords, recordLines } from '../../src/registry/records/reading.ts'
import { callAs, recordsOf } from '../support/calls.ts'
import { anySqlite, post, type RunningWorker, startWorker } from '../support/worker.ts'

const key = 'planted-key-7f3a9c'
const bearer = { authorization: `Bearer ${key}` }
const database = { db: { url: anySqlite } }
const endpoint = (name: string, more: object = {}) => ({
  ...{ name, title: name, databases: database },
  ...more,
})

let worker: RunningWorker
beforeAll(async () => {
  const ENDPOINTS = JSON.stringify([
    endpoint('plain'),
    endpoint('modern'),
    endpoint('legacy'),
    endpoint('literal', { records: { literals: true } }),
    endpoint('off', { records: false }),
    endpoint('open', { access: 'public' }),
    endpoint('flood'),
    endpoint('broken', { databases: { db: { url: 'secret:BROKEN_URL' } } }),
    { name: 'demo', title: 'Demo', databases: { demo: { url: 'demo:' } }, access: 'public' },
  ])
  // Nothing listens on this port.
  const BROKEN_URL = 'postgres://reader:planted-password-51d0@127.0.0.1:1/db?sslmode=disable'
  worker = await startWorker({ ENDPOINTS, TIDEGATE_KEY: key, BROKEN_URL }, undefined, ['TEST_DB'])
})
afterAll(() => worker.close())

const call = (endpoint: string, name: string, args: object = {}, more: object = {}) =>
  post(
    `${worker.url}/mcp/${endpoint}`,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, ...more } },
    bearer,
  )

describe.each(['modern', 'legacy'] as const)('a call in the %s era', (era) => {
  test('is recorded with its caller, client, tool, statement and outcome', async () => {
    const sql = "select 'planted' as a /* planted */ union all select 'x' where 7 = 7 -- planted"
    const headers = {
      ...bearer,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    }
    await callAs(era, `${worker.url}/mcp/${era}`, { name: 'query', args: { sql }, headers })
    const { records, lost } = await recordsOf(worker, era, 1)
    expect(lost).toBe(0)
    expect(records).toEqual([
      {
        id: expect.stringMatching(/^[\da-z]{23}$/),
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        endpoint: era,
        caller: 'key',
        client: { name: 'test', version: '1' },
        tool: 'query',
        statements: [{ database: 'db', sql: 'select ? as a union all select ? where ? = ?' }],
        rows: 2,
        bytes: JSON.stringify([['planted'], ['x']]).length + 1,
        milliseconds: expect.any(Number),
        outcome: 'ok',
        traceId: '0af7651916cd43dd8448eb211c80319c',
      },
    ])
  })
})

test('refused and failed calls are recorded, too, without the values that were bound', async () => {
  await call('plain', 'query', { sql: "delete from t where x = 'planted'" })
  await call('plain', 'query', {
    sql: 'select nothing from nowhere where x = $1',
    params: ['planted'],
  })
  await call('plain', 'query', { wrong: 'planted' })
  await call('plain', 'no_such\u202etool\n', { sql: 'planted' })
  await call('plain', 'list_tables')
  await post(
    `${worker.url}/mcp/plain`,
    { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'schema://db' } },
    bearer,
  )
  const { records } = await recordsOf(worker, 'plain', 6)
  const shown = records.map(({ tool, outcome, code, statements }) => [
    ...[tool, outcome, code, statements?.map((it) => it.sql)],
  ])
  expect(shown.reverse()).toEqual([
    ['query', 'refused', 'refused', ['delete from t where x = ?']],
    ['query', 'error', 'sql', ['select nothing from nowhere where x = $1']],
    ['query', 'error', undefined, undefined],
    ['no_such tool ', 'error', '-32602', undefined],
    ['list_tables', 'ok', undefined, undefined],
    ['resources/read', 'ok', undefined, undefined],
  ])
  expect(JSON.stringify(records)).not.toContain('planted')
})

test('an operator can choose to keep the values', async () => {
  await call('literal', 'query', { sql: "select 'seen', $1", params: ['bound'] })
  const { records } = await recordsOf(worker, 'literal', 1)
  expect(records[0]!.statements).toEqual([
    { database: 'db', sql: "select 'seen', $1", params: '["bound"]' },
  ])
})

test('a database that cannot be opened leaves no password in its records', async () => {
  await call('broken', 'query', { sql: 'select 1' })
  const { records } = await recordsOf(worker, 'broken', 1)
  expect(records[0]).toMatchObject({ outcome: 'error', code: 'network' })
  const all = JSON.stringify(records) + worker.logs().join('\n')
  for (const secret of [key, 'planted-password', 'BROKEN_URL']) expect(all).not.toContain(secret)
})

test('a caller without a key has no name, and no IP address is recorded', async () => {
  await post(`${worker.url}/mcp/open`, {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'query', arguments: { sql: 'select 1' } },
  })
  const { records } = await recordsOf(worker, 'open', 1)
  expect(records[0]).not.toHaveProperty('caller')
  expect(JSON.stringify(records)).not.toMatch(/127\.0\.0\.1|::1/)
})

test('nothing is recorded if records are off', async () => {
  await call('off', 'query', { sql: 'select 1' })
  // A later call to another endpoint is recorded by then, and so would this call be.
  const { records } = await recordsOf(worker, 'modern', 1)
  await call('modern', 'list_tables')
  await recordsOf(worker, 'modern', records.length + 1)
  const env = await worker.env()
  expect(await readRecords(env, { endpoint: 'off' })).toEqual({ records: [], lost: 0 })
})

test('the demo is recorded like every endpoint', async () => {
  await call('demo', 'query', { sql: 'select 1' })
  const { records } = await recordsOf(worker, 'demo', 1)
  expect(records[0]).toMatchObject({ tool: 'query', outcome: 'ok' })
})

test('every call in a flood is either recorded or counted as lost', async () => {
  const calls = 2_000
  const body = (i: number) => ({
    ...{ jsonrpc: '2.0', id: i, method: 'tools/call' },
    params: { name: 'query', arguments: { sql: 'delete from t' } },
  })
  for (let i = 0; i < calls; i += 100) {
    const some = Array.from({ length: 100 }, (_, n) =>
      post(`${worker.url}/mcp/flood`, body(i + n), bearer),
    )
    await Promise.all(some)
  }
  const env = await worker.env()
  const count = async () => {
    const text = await new Response(recordLines(env, { endpoint: 'flood' })).text()
    const lines = text
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it))
    const ids = new Set(lines.flatMap(({ id }) => id ?? []))
    const { lost = 0 } = lines.at(-1)
    return ids.size + lost
  }
  await expect.poll(count, { timeout: 20_000 }).toBe(calls)
})
