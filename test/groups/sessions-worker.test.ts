import { afterAll, beforeAll, expect, test } from 'vitest'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { post, type RunningWorker, startWorker } from '../support/worker.ts'

let worker: RunningWorker
beforeAll(async () => {
  worker = await startWorker(operated)
})
afterAll(() => worker.close())

const make = async (path: string, body: unknown) => {
  const { status, json } = await askApi(worker, 'POST', path, body)
  expect([path, status]).toEqual([path, 201])
  return json
}

const shop = { name: 'shop', title: 'Shop', databases: { main: { url: 'demo:' } } }

const HELLO = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
}

/** Opens a session, and returns a function that requests its stream and gets the status. */
async function streamOf(key: string): Promise<() => Promise<number>> {
  const url = `${worker.url}/mcp/shop`
  const authorization = `Bearer ${key}`
  const opened = await post(url, HELLO, { authorization })
  const headers = {
    authorization,
    accept: 'text/event-stream',
    'mcp-session-id': opened.headers.get('mcp-session-id')!,
    'mcp-protocol-version': '2025-06-18',
  }
  return async () => {
    const { status, body } = await fetch(url, { headers })
    await body?.cancel()
    return status
  }
}

test('a session ends when the group of its person is changed', async () => {
  await make('/api/endpoints', shop)
  await make('/api/groups', { name: 'sales', people: ['ada'], endpoints: { shop: {} } })
  const { key } = await make('/api/keys', { label: 'Ada', endpoints: ['shop'], person: 'ada' })
  const stream = await streamOf(key)
  expect(await stream()).toBe(200)
  await askApi(worker, 'PATCH', '/api/groups/sales', { title: 'Sold' })
  await expect.poll(stream).toBe(405)
})

test('a session ends when its endpoint is removed and another one with the same name is added', async () => {
  const stream = await streamOf(OPERATOR_KEY)
  expect(await stream()).toBe(200)
  await askApi(worker, 'DELETE', '/api/endpoints/shop')
  await make('/api/endpoints', shop)
  await expect.poll(stream).toBe(405)
})
