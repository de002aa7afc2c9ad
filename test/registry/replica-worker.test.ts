import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PlainWorker, startPlainWorker } from '../support/plain-worker.ts'
import { REGISTRY_WORKER, rowsOf } from '../support/registry-rows.ts'

let worker: PlainWorker
beforeAll(async () => {
  const vars = { TIDEGATE_KEY: 'k', REGISTRY_REPLICAS: '4' }
  worker = await startPlainWorker(vars, REGISTRY_WORKER)
})
afterAll(() => worker.stop())

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('a Worker with replicas serves the registry, and a change holds within ten seconds', async () => {
  const rows = rowsOf(worker)
  await rows.endpoint('shop')
  const { key, revoke } = await rows.key(['shop'])
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const head = [
    'POST /mcp/shop HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Authorization: Bearer ${key}`,
  ]
  const status = async () => (await worker.send(head, list)).status
  const askFor = async (ms: number) => {
    for (const until = Date.now() + ms; Date.now() < until; await wait(100)) await status()
  }
  expect(await status()).toBe(200)
  await askFor(6_000)
  expect(await status()).toBe(200)
  await revoke()
  await askFor(10_000)
  expect(await status()).toBe(401)
  await rows.endpoint('late')
  const late = await rows.key(['late'])
  await askFor(10_000)
  const other = [
    head[0]!.replace('shop', 'late'),
    ...head.slice(1, 3),
    `Authorization: Bearer ${late.key}`,
  ]
  expect((await worker.send(other, list)).status).toBe(200)
  expect(worker.log()).not.toContain('replica of the registry')
})
