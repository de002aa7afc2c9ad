import { afterAll, beforeAll, expect, test } from 'vitest'
import { describePostgres } from './support/postgres.ts'
import { callTool, openSession, post, type RunningWorker, startWorker } from './support/worker.ts'

const MARKER = 'hunter2-marker'
const KEY = { authorization: 'Bearer k' }

async function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(url, { method, headers })
  const text = await response.text()
  expect(text).not.toContain(MARKER)
  expect(response.headers.get('cache-control')).toBe('no-store')
  return { status: response.status, headers: response.headers, text }
}

test('the doctor needs no key for a deployment that only serves the demo', async () => {
  const worker = await startWorker()
  const { status, text, headers } = await get(`${worker.url}/doctor`)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  // A Worker is not allowed to ask SQLite for its version.
  expect(text).toMatch(
    /^demo\/demo: SQLite(?: 3\.\d+\.\d+)?\nAnswered in \d+ ms\.\nNo findings\.\n$/,
  )
  await worker.close()
})

test('the doctor shows the operator whether hosts would connect to an endpoint', async () => {
  const databases = { demo: { url: 'demo:' } }
  const ENDPOINTS = JSON.stringify([{ name: 'shop', title: 'Shop', databases }])
  const secrets = { TIDEGATE_KEY: 'k', TIDEGATE_SECRET: 'Zx81-Qp02-Lm57-Ty93-Rb46-Vn08-Ks' }
  for (const [TIDEGATE_PASSPHRASE, verdict] of [
    ['', /^problem: The endpoint requires a key and has no sign-in/m],
    ['seven otters guard the quiet harbor', /^Cursor +would connect, and ask to sign in$/m],
  ] as const) {
    const worker = await startWorker({ ...secrets, TIDEGATE_PASSPHRASE, ENDPOINTS })
    const { status, text } = await get(`${worker.url}/doctor`, KEY)
    expect([status, text]).toEqual([200, expect.stringMatching(verdict)])
    expect(text).toContain(`What hosts make of ${worker.url}/mcp:`)
    expect((await get(`${worker.url}/doctor?hosts=no`, KEY)).text).not.toContain('What hosts')
    const asked = await get(`${worker.url}/doctor?format=json`, KEY)
    const { hosts } = JSON.parse(asked.text)
    expect(hosts.findings.map((it: { id: string }) => it.id)).toContain('reach')
    await worker.close()
  }
})

test('the doctor of a deployment with a database and no key only says what to set', async () => {
  const worker = await startWorker({ DATABASE_URL: `postgres://app:${MARKER}@127.0.0.1:9/shop` })
  const { status, text } = await get(`${worker.url}/doctor`)
  expect(status).toBe(503)
  expect(text).toContain('wrangler secret put TIDEGATE_KEY')
  await worker.close()
})

test('the doctor reports an invalid configuration only with the key', async () => {
  const worker = await startWorker({ ENDPOINTS: '[{"name":"X"}]', TIDEGATE_KEY: 'k' })
  expect((await get(`${worker.url}/doctor`)).status).toBe(401)
  const { status, text } = await get(`${worker.url}/doctor`, KEY)
  expect(status).toBe(503)
  expect(text).toContain('ENDPOINTS is not valid')
  await worker.close()
})

const setup = (reader: string) => `
  create table users (id integer);
  create table events (id integer);
  grant insert on events to ${reader};
  create table payroll (id integer);
  revoke all on payroll from public, ${reader};
  create function endless() returns int language plpgsql immutable
    as 'begin perform pg_sleep(60); return 1; end';
`

await describePostgres('a deployment with databases', setup, (postgres) => {
  let worker: RunningWorker
  let doctor: string
  beforeAll(async () => {
    const own = [
      ['lost', 'select * from orders where id = $1'],
      ['whole', 'select * from users where id = $1 limit $2'],
      ['misspelt', 'select idd from users where id > $1 offset $2'],
      ['shown', 'show server_version'],
      ['denied', 'select * from payroll'],
      ['endless', 'select 1 where endless() = 1'],
    ].map(([name, sql]) => ({
      ...{ name, sql, description: 'A tool of the operator.' },
      params: [
        { name: 'id', claim: 'sub' },
        { name: 'most', type: 'integer' },
      ].slice(0, sql!.split('$').length - 1),
    }))
    const endpoints = [
      {
        name: 'shop',
        title: 'Shop',
        databases: { admin: { url: 'secret:ADMIN' }, reader: { url: 'secret:READER' } },
      },
      {
        name: 'own',
        title: 'Own',
        databases: { reader: { url: 'secret:READER' } },
        tools: own,
        caps: { timeoutMs: 2_000 },
      },
      { name: 'gone', title: 'Gone', databases: { gone: { url: 'secret:GONE' } } },
      { name: 'login', title: 'Login', databases: { login: { url: 'secret:LOGIN' } } },
      { name: 'unset', title: 'Unset', databases: { unset: { url: 'secret:UNSET' } } },
      { name: 'tools', title: 'Tools', databases: { demo: { url: 'demo:' } }, tools: ['nope'] },
    ]
    worker = await startWorker({
      ENDPOINTS: JSON.stringify(endpoints),
      TIDEGATE_KEY: 'k',
      ADMIN: postgres.tcp(`postgres:${MARKER}`),
      READER: postgres.tcp(`${postgres.reader}:${MARKER}`),
      GONE: `postgres://app:${MARKER}@127.0.0.1:9/shop`,
      LOGIN: postgres.tcp(`nobody_there:${MARKER}`),
    })
    doctor = `${worker.url}/doctor`
  })
  afterAll(() => worker.close())

  test.each(['GET', 'HEAD', 'POST', 'DELETE'])(
    'answers %s with 401 without the key',
    async (method) => {
      for (const path of ['', '/', '/shop', '/nowhere', '?format=json']) {
        for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
          const { status, headers: answered } = await get(doctor + path, headers, method)
          expect(status).toBe(401)
          expect(answered.get('www-authenticate')).toMatch(/^Bearer/)
        }
      }
    },
  )

  test('answers only GET, and only existing endpoints', async () => {
    for (const method of ['HEAD', 'POST', 'DELETE']) {
      const { status, headers } = await get(`${doctor}/shop`, KEY, method)
      expect([status, headers.get('allow')]).toEqual([405, 'GET, OPTIONS'])
    }
    expect(await get(`${doctor}/nowhere`, KEY)).toMatchObject({
      status: 404,
      text: 'There is no endpoint at this URL.\n',
    })
  })

  test('reports the rights of an endpoint’s roles as JSON', async () => {
    for (const request of [
      () => get(`${doctor}/shop?format=json`, KEY),
      () => get(`${doctor}/shop`, { ...KEY, accept: 'application/json' }),
    ]) {
      const { status, headers, text } = await request()
      expect([status, headers.get('content-type')]).toEqual([
        200,
        'application/json; charset=utf-8',
      ])
      const { problems, databases } = JSON.parse(text)
      expect(problems).toEqual([])
      const about = { endpoint: 'shop', dialect: 'postgres', tls: false }
      expect(databases).toMatchObject([
        { ...about, database: 'admin', role: 'postgres' },
        { ...about, database: 'reader', role: postgres.reader },
      ])
      const [admin, reader] = databases
      expect(admin.findings[0]).toMatchObject({ kind: 'superuser', severity: 'high' })
      expect(admin.reader[0]).toMatch(/^CREATE ROLE /)
      expect(reader.findings).toContainEqual({
        kind: 'write-grants',
        severity: 'low',
        sentence: expect.stringMatching(/can write/),
        objects: ['public.events'],
        count: 1,
        statements: [`REVOKE INSERT ON ALL TABLES IN SCHEMA public FROM ${postgres.reader};`],
      })
      expect(reader.version).toMatch(/^PostgreSQL [\w.]+$/)
      expect(reader.elapsedMs).toBeGreaterThanOrEqual(0)
    }
  })

  test('reports them as text, with SQL that can be pasted and run unchanged', async () => {
    const { status, headers, text } = await get(`${doctor}/shop`, KEY)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(text).toContain('HIGH superuser\n     The role is a superuser')
    expect(text).toContain('low  write-grants\n')
    const reports = text.split('\n\nshop/reader: ')
    const sql = reports[1]!.slice(reports[1]!.indexOf('-- This SQL'))
    await postgres.admin(sql.slice(0, sql.indexOf('\n\n')))
    const after = await get(`${doctor}/shop`, KEY)
    expect(after.text.split('\n\nshop/reader: ')[1]).toMatch(
      /^PostgreSQL [\w.]+\nAnswered in \d+ ms, not encrypted\. The role is \w+\.\nNo findings\.\n$/,
    )
  })

  test.each([
    ['gone', /^gone\/gone: The database cannot be reached/],
    ['login', /^login\/login: The database refused the login/],
    ['unset', /^The secret UNSET is not set/],
    ['tools', /^Endpoint tools names a tool "nope"/],
  ])('gives the reason with a 503: %s', async (name, sentence) => {
    const { status, text } = await get(`${doctor}/${name}`, KEY)
    expect(status).toBe(503)
    expect(text).toMatch(sentence)
    expect(text).not.toContain('127.0.0.1')
  })

  test('prepares the operator’s tools, and reports those that fail', async () => {
    const { status, text } = await get(`${doctor}/own`, KEY)
    expect(status).toBe(503)
    expect(text.match(/^BROKEN .*/gm)).toEqual([
      'BROKEN Its tool lost cannot be prepared: relation "orders" does not exist',
      'BROKEN Its tool misspelt cannot be prepared: column "idd" does not exist',
      'BROKEN Its tool denied cannot be prepared: permission denied for table payroll',
      'BROKEN Its tool endless cannot be prepared: The query was stopped after 2 seconds.',
    ])
    expect(text).toContain('Answered in')
    expect((await postgres.admin('select * from users')).rows).toEqual([])
  })

  test('reports on all endpoints at once, even if some fail', async () => {
    const { status, text } = await get(`${doctor}?format=json`, KEY)
    expect(status).toBe(503)
    const { problems, databases } = JSON.parse(text)
    expect(problems).toHaveLength(2)
    const told = databases.map((it: { endpoint: string; database: string; problem?: string }) => [
      `${it.endpoint}/${it.database}`,
      it.problem === undefined,
    ])
    expect(told).toEqual([
      ['shop/admin', true],
      ['shop/reader', true],
      ['own/reader', true],
      ['gone/gone', false],
      ['login/login', false],
      ['unset/unset', false],
      ['tools/demo', true],
    ])
  })
})

await describePostgres('the first query of a Worker', 'create table t (id int)', (postgres) => {
  const said = (worker: RunningWorker) => worker.logs().filter((line) => line.includes('/doctor'))
  const warning =
    /^Endpoint main, database main: its role can do more than read \(superuser[a-z, -]*\)\. See \/doctor\.$/

  test('triggers the only check of the role', async () => {
    const worker = await startWorker({ DATABASE_URL: postgres.tcp(), TIDEGATE_KEY: 'k' })
    const mcp = `${worker.url}/mcp`
    await post(mcp, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, KEY)
    expect(said(worker)).toEqual([])
    for (let i = 0; i < 5; i++) {
      const { structuredContent } = await callTool(mcp, 'query', { sql: `select ${i}` }, KEY)
      expect(structuredContent.rows).toEqual([[i]])
    }
    await expect.poll(() => said(worker)).toEqual([expect.stringMatching(warning)])
    await callTool(mcp, 'query', { sql: 'select 6' }, KEY)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(said(worker)).toHaveLength(1)
    await worker.close()
  })

  test('triggers the check in a session too', async () => {
    const worker = await startWorker({ DATABASE_URL: postgres.tcp(), TIDEGATE_KEY: 'k' })
    const send = await openSession(`${worker.url}/mcp`, KEY)
    const params = { name: 'query', arguments: { sql: 'select 1' } }
    const answer = await send({ id: 1, method: 'tools/call', params })
    expect(answer.json()).toHaveProperty('result')
    await expect.poll(() => said(worker)).toEqual([expect.stringMatching(warning)])
    await worker.close()
  })
})
