import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { type NodeWorker, startNodeWorker } from '../support/node-worker.ts'
import { askApi, operated } from '../support/registry-api.ts'
import { post } from '../support/worker.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-state-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
let running: NodeWorker[] = []
afterEach(async () => {
  await Promise.all(running.map((it) => it.close('SIGKILL')))
  running = []
})

async function start(state: string, variables: Record<string, string> = {}): Promise<NodeWorker> {
  const worker = await startNodeWorker(variables, undefined, state)
  running.push(worker)
  return worker
}

const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const clientInfo = { name: 'test', version: '1' }
const initialize = message('initialize', {
  ...{ protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
})

/** Asks for more rows than an answer has, and returns the URI of the stored result. */
async function kept(url: string, headers: Record<string, string>): Promise<string> {
  const args = { sql: 'select o.id, p.name from orders o, products p limit 900' }
  const call = message('tools/call', { name: 'query', arguments: args })
  return (await post(url, call, headers)).json().result.structuredContent.result
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'sessions, stored results and endpoints survive a restart after %s',
  async (signal) => {
    const state = join(folder, `${++files}.sqlite`)
    const first = await start(state, operated)
    const before = { name: 'shop', title: 'Shop', databases: { main: { url: 'demo:' } } }
    expect(
      (await askApi(first, 'POST', '/api/endpoints', { ...before, access: 'key' })).status,
    ).toBe(201)
    const authorization = `Bearer ${operated.TIDEGATE_KEY}`
    const opened = await post(`${first.url}/mcp/shop`, initialize, { authorization })
    const session = { authorization, 'mcp-session-id': opened.headers.get('mcp-session-id')! }
    const at = { ...session, 'mcp-protocol-version': '2025-11-25' }
    const uri = await kept(`${first.url}/mcp/shop`, at)
    await first.close(signal)
    running = []

    const second = await start(state, operated)
    const ask = (method: string, params: object = {}) =>
      post(`${second.url}/mcp/shop`, message(method, params), at)
    const read = (table: string) => ask('tools/call', { name: 'query_table', arguments: { table } })
    const listed = await ask('tools/list')
    expect([listed.status, listed.json().result.tools[0].name]).toEqual([200, 'list_tables'])
    const { rows } = (await read(uri)).json().result.structuredContent
    expect(rows).toHaveLength(200)
    const wrong = { ...at, 'mcp-session-id': `${'0'.repeat(32)}.${'0'.repeat(22)}` }
    expect((await post(`${second.url}/mcp/shop`, message('ping'), wrong)).status).toBe(404)
  },
)

test('a session survives a restart without a key, and only the owner can read the state file', async () => {
  const state = join(folder, `${++files}.sqlite`)
  const first = await start(state)
  const { headers } = await post(`${first.url}/mcp`, initialize)
  const session = {
    'mcp-session-id': headers.get('mcp-session-id')!,
    'mcp-protocol-version': '2025-11-25',
  }
  await first.close('SIGKILL')
  running = []
  expect(statSync(state).mode & 0o077).toBe(0)

  const second = await start(state)
  const { status, json } = await post(`${second.url}/mcp`, message('ping'), session)
  expect([status, json().result]).toEqual([200, {}])
  const end = ({ url }: NodeWorker) => fetch(`${url}/mcp`, { method: 'DELETE', headers: session })
  expect((await end(second)).status).toBe(204)
  // A process without a state file does not know the session, so it cannot end it.
  const other = await startNodeWorker({})
  running.push(other)
  expect((await end(other)).status).toBe(405)
})

test.each([
  ['is in use', 'is in use by another Tidegate', (state: string) => start(state)],
  [
    'is not a database',
    'is not a SQLite file',
    async (state: string) => writeFileSync(state, 'x'.repeat(5_000)),
  ],
])('a state file that %s causes a clear error', async (_, words, before) => {
  const state = join(folder, `${++files}.sqlite`)
  await before(state)
  await expect(start(state)).rejects.toThrow(words)
})

test('a state file in a folder that does not exist causes a clear error', async () => {
  await expect(start(join(folder, 'nowhere', 'state'))).rejects.toThrow('its folder does not exist')
})
