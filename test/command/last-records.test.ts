import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { type Spawned, spawned } from '../support/spawned.ts'
import { post } from '../support/worker.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-last-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function serving(state: string): Promise<{ gateway: Spawned; url: string }> {
  const gateway = spawned(['serve', '--demo', '--port', '0', '--state', state], operated)
  for (;;) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(gateway.logs()) ?? []
    if (url) return { gateway, url }
    if (gateway.child.exitCode !== null) throw new Error(gateway.logs())
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const CALLS = 7

test('SIGTERM ends the command after the records of all calls are written', async () => {
  const state = join(folder, 'state.sqlite')
  const first = await serving(state)
  const shop = { name: 'shop', title: 'Shop', access: 'key', databases: { main: { url: 'demo:' } } }
  expect((await askApi(first, 'POST', '/api/endpoints', shop)).status).toBe(201)
  const call = {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'list_tables', arguments: {} },
  }
  const authorization = `Bearer ${OPERATOR_KEY}`
  // The first record is written immediately. The next ones wait for three seconds.
  for (let i = 0; i < CALLS; i++) {
    expect((await post(`${first.url}/mcp/shop`, call, { authorization })).status).toBe(200)
  }
  first.gateway.child.kill('SIGTERM')
  expect(await first.gateway.over).toEqual([0, null])
  expect(first.gateway.logs()).not.toContain('lost')

  const second = await serving(state)
  const { json } = await askApi(second, 'GET', '/api/records?endpoint=shop&limit=50')
  second.gateway.child.kill('SIGTERM')
  await second.gateway.over
  expect(json.records).toHaveLength(CALLS)
})
