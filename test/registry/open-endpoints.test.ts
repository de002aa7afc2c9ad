import { afterEach, expect, test } from 'vitest'
import { describePostgres } from '../support/postgres.ts'
import { askApi, operated } from '../support/registry-api.ts'
import { callTool, post, type RunningWorker, startWorker } from '../support/worker.ts'

await describePostgres('an endpoint that is in use', 'create table orders (id int)', (postgres) => {
  let worker: RunningWorker
  afterEach(() => worker.close())

  /** Starts a registry with an endpoint that has been used, and returns a key for it. */
  async function opened(): Promise<Record<string, string>> {
    worker = await startWorker({ ...operated, PRIVATE_HOSTS: '' })
    await askApi(worker, 'PATCH', '/api/settings', { privateHosts: ['127.0.0.1'] })
    const databases = { main: { url: postgres.tcp(postgres.reader) } }
    await askApi(worker, 'POST', '/api/endpoints', { name: 'shop', title: 'Shop', databases })
    const made = await askApi(worker, 'POST', '/api/keys', { label: 'x', endpoints: ['shop'] })
    const headers = { 'x-api-key': made.json.key }
    expect((await query(headers)).isError).toBeUndefined()
    return headers
  }

  const query = (headers: Record<string, string>) =>
    callTool(`${worker.url}/mcp/shop`, 'query', { sql: 'select count(*) from orders' }, headers)

  test('reaches a private host only while the host is allowed', async () => {
    const headers = await opened()
    await askApi(worker, 'PATCH', '/api/settings', { privateHosts: null })
    expect(JSON.stringify(await query(headers))).toContain('Its host is not public')
    await askApi(worker, 'PATCH', '/api/settings', { privateHosts: ['127.0.0.0/8'] })
    expect((await query(headers)).isError).toBeUndefined()
  }, 60_000)

  test.each(['merge', 'replace'])(
    'is served as it was restored (%s)',
    async (mode) => {
      const headers = await opened()
      const { json } = await askApi(worker, 'GET', '/api/export')
      json.endpoints[0].value.sql = false
      const { status } = await askApi(worker, 'POST', `/api/restore?mode=${mode}`, json)
      expect(status).toBe(200)
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      const { result } = (await post(`${worker.url}/mcp/shop`, list, headers)).json()
      const names = result.tools.map(({ name }: { name: string }) => name)
      expect(names).toContain('query_table')
      expect(names).not.toContain('query')
    },
    60_000,
  )
})
