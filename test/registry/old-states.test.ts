import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { startNodeWorker } from '../support/node-worker.ts'
import { startPlainWorker } from '../support/plain-worker.ts'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { post } from '../support/worker.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-old-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const stored = (name: string) =>
  readFileSync(join(import.meta.dirname, 'states', `${name}.sql`), 'utf8')

/** States that gateways from older commits have left, and the key that each created for `shop`. */
const STATES = [
  { commit: 'c5f07ee', key: 'tg_S00sOSwf8n6p_RVWWu6w1MZkxWsQJlMxV6Q5IJXHjmWIFqjgYZ6Ol' },
] as const

/** The registry has the same name everywhere. */
const REGISTRY = 'registry-872491a30d60d598962de6e7b834ab76.sqlite'

function write(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe.each(STATES)('a state from $commit', ({ commit, key }) => {
  test('is served by today’s code on Node, with its keys, groups and credentials', async () => {
    const state = join(folder, `${commit}.sqlite`)
    write(state, stored(`${commit}.state`))
    mkdirSync(`${state}.objects`)
    write(join(`${state}.objects`, REGISTRY), stored(`${commit}.registry`))
    const worker = await startNodeWorker({ ...operated, PRIVATE_HOSTS: '*' }, undefined, state)
    const answer = await post(`${worker.url}/mcp/shop`, list, { authorization: `Bearer ${key}` })
    expect([answer.status, answer.json().result.tools.length > 3]).toEqual([200, true])
    const { json } = await askApi(worker, 'GET', '/api/endpoints')
    expect(json.endpoints.map(({ name }: { name: string }) => name).sort()).toEqual([
      'crm',
      'demo',
      'shop',
    ])
    expect((await askApi(worker, 'GET', '/api/groups/sales')).json.people).toEqual([
      'ada@example.com',
    ])
    // The credential opens with the secret that sealed it.
    const ready = await askApi(worker, 'GET', '/ready')
    expect([ready.status, JSON.parse(ready.text)]).toEqual([200, { status: 'ready', problems: [] }])
    const made = { label: 'new', endpoints: ['crm'] }
    expect((await askApi(worker, 'POST', '/api/keys', made)).status).toBe(201)
    await worker.close()
  })

  test('is served by today’s code in a Worker', async () => {
    const worker = await startPlainWorker(operated, '../../test/support/damaged-worker.ts')
    const send = (method: string, path: string, shown: string, body = '') =>
      worker.send(
        [
          ...[`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${worker.port}`],
          ...[`Authorization: Bearer ${shown}`, 'Content-Type: application/json'],
        ],
        body,
      )
    // This happens before the registry is used, so that it finds tables that it has not created.
    for (const statement of statementsOf(stored(`${commit}.registry`))) {
      const done = await worker.send(['POST /test/damage HTTP/1.1', 'Host: localhost'], statement)
      expect([done.status, statement]).toEqual([200, statement])
    }
    const answer = await send('POST', '/mcp/shop', key, JSON.stringify(list))
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('list_tables')])
    const groups = await send('GET', '/api/groups/sales', OPERATOR_KEY)
    expect(groups.body).toContain('ada@example.com')
    const ready = await send('GET', '/ready', OPERATOR_KEY)
    expect([ready.status, ready.body]).toEqual([200, '{"status":"ready","problems":[]}'])
    await worker.stop()
  })
})

/** Each statement is on its own line. The platform's own table is left out. */
const statementsOf = (sql: string) =>
  sql.split('\n').filter((it) => it && !it.startsWith('--') && !it.includes('_cf_KV'))
