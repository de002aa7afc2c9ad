import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { type NodeWorker, startNodeWorker } from '../support/node-worker.ts'
import { askApi, operated } from '../support/registry-api.ts'
import { post } from '../support/worker.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-limited-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let running: NodeWorker | undefined
afterEach(() => running?.close('SIGKILL'))

test('the usage of a limited caller survives a restart, and is not in a file for the caller', async () => {
  const state = join(folder, 'state.sqlite')
  const older = join(`${state}.objects`, `meter-${'0'.repeat(32)}.sqlite`)
  mkdirSync(`${state}.objects`, { mode: 0o700 })
  for (const name of [older, `${older}-wal`, `${older}-shm`])
    writeFileSync(name, '', { mode: 0o600 })

  running = await startNodeWorker(operated, undefined, state)
  const limits = { caller: { rowsPerDay: 40, concurrent: 2 }, endpoint: { rowsPerDay: 100_000 } }
  const shop = { ...{ name: 'shop', title: 'Shop', access: 'public', limits } }
  const databases = { main: { url: 'demo:' } }
  const made = await askApi(running, 'POST', '/api/endpoints', { ...shop, databases })
  expect([made.status, made.text]).toEqual([201, expect.any(String)])
  const params = { name: 'query', arguments: { sql: 'select * from products limit 30' } }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const from = async ({ url }: NodeWorker, address: string) => {
    const { json } = await post(`${url}/mcp/shop`, call, { 'x-forwarded-for': address })
    return json().result.isError === true
  }
  for (let i = 0; i < 30; i++) expect(await from(running, `192.0.2.${i}`)).toBe(false)
  await running.close()

  running = await startNodeWorker(operated, undefined, state)
  const usage = await askApi(running, 'GET', '/api/endpoints/shop/usage')
  expect(JSON.stringify(usage.json)).toContain('900')
  // The second call of this caller exceeds the limit, and the third one is refused.
  expect(await from(running, '192.0.2.7')).toBe(false)
  expect(await from(running, '192.0.2.7')).toBe(true)
  expect(readdirSync(`${state}.objects`).filter((it) => it.startsWith('meter'))).toEqual([])
})
