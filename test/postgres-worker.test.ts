import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MOST_KEPT } from '../src/database/transport/pool.ts'
import { encrypt, passOn, startTcp, type TcpServer } from './servers/tcp.ts'
import { makeCertificate } from './support/certificate.ts'
import { leftOutOnNode, onNode, onStdio } from './support/node-worker.ts'
import { describePostgres, type TestPostgres } from './support/postgres.ts'
import type { RunningWorker } from './support/worker.ts'

const lacksBindings = leftOutOnNode('Hyperdrive is a binding, and only a Worker has bindings.')

// The runtime reads this when it loads, and trusts it like a public certificate authority.
const trusted = makeCertificate()
if (trusted) process.env.NODE_EXTRA_CA_CERTS = trusted.path
const { callTool, openSession, startWorker } = await import('./support/worker.ts')

const MARKER = 'hunter2-marker'
const key = { authorization: 'Bearer k' }

const setup = `
  create table users (id integer, email text, at timestamptz default '2026-01-02 03:04:05.123456+00');
  insert into users select g, 'user' || g from generate_series(1, 100) g;
`
const endless = 'select count(*) from users a, users b, users c, users d, users e, users f'

/** The number of the driver's sessions in this state, or in any state. */
const sessions = async (postgres: TestPostgres, state = '%') => {
  const { rows } = await postgres.admin(
    `select from pg_stat_activity
     where datname = current_database() and application_name = 'tidegate' and state like $1`,
    [state],
  )
  return rows.length
}

/** The connections that are left after the last answer. On Node, the pool keeps some for later calls. */
const left = onNode ? MOST_KEPT : 0
const nothingIsLeft = async (postgres: TestPostgres, options?: { timeout: number }) => {
  await expect.poll(() => sessions(postgres, 'active'), options).toBe(0)
  await expect.poll(() => sessions(postgres), options).toBeLessThanOrEqual(left)
}

const owned = (reader: string) => `
  create table notes (owner text);
  insert into notes values ('key'), ('nobody');
  alter table notes enable row level security;
  create policy own on notes to ${reader} using (owner = coalesce(
    nullif(current_setting('request.jwt.claims', true), '')::json ->> 'sub', 'nobody'));
`

await describePostgres('a Worker that passes on the claims of the caller', owned, (postgres) => {
  // Over stdio, there are no keys: the only caller is the user who started the command.
  test.skipIf(onStdio)(
    'shows each concurrent caller their own rows, with or without a key',
    async () => {
      const { reader } = postgres
      const databases = { main: { url: 'secret:NOTES', role: reader, claims: true } }
      const worker = await startWorker({
        ENDPOINTS: JSON.stringify([{ name: 'notes', title: 'Notes', access: 'public', databases }]),
        NOTES: postgres.tcp(),
        TIDEGATE_KEY: 'k',
      })
      try {
        const asked = Array.from({ length: 10 }, (_, i) => i % 2 === 0)
        const answers = await Promise.all(
          asked.map((known) => {
            const args = { sql: 'select owner, current_user::text from notes' }
            return callTool(`${worker.url}/mcp`, 'query', args, known ? key : {})
          }),
        )
        expect(answers.map((it) => it.structuredContent.rows)).toEqual(
          asked.map((known) => [[known ? 'key' : 'nobody', reader]]),
        )
      } finally {
        await worker.close()
      }
    },
  )
})

await describePostgres('a Worker with PostgreSQL', setup, (postgres) => {
  let worker: RunningWorker
  let mcp: string
  beforeAll(async () => {
    worker = await startWorker({ DATABASE_URL: postgres.tcp(), TIDEGATE_KEY: 'k' })
    mcp = `${worker.url}/mcp`
  })
  afterAll(() => worker.close())

  test('lists tables, and reads exact values from them', async () => {
    const { structuredContent: list } = await callTool(mcp, 'list_tables', {}, key)
    expect(JSON.stringify(list)).toContain('users')
    const sql = 'select 9007199254740993::int8, at from users where email = $1'
    const args = { sql, params: ['user7'] }
    const { structuredContent } = await callTool(mcp, 'query', args, key)
    expect(structuredContent.rows).toEqual([['9007199254740993', '2026-01-02 03:04:05.123456+00']])
    await nothingIsLeft(postgres)
  })

  test('reads its catalog once for many requests, even concurrent ones', async () => {
    const { neon, reader } = postgres
    const near = await startWorker({ DATABASE_URL: postgres.url(reader), TIDEGATE_KEY: 'k' })
    try {
      const args = { table: 'users', columns: ['id'], limit: 1 }
      const read = () => callTool(`${near.url}/mcp`, 'query_table', args, key)
      const before = neon.requests.length
      await read()
      const answers = await Promise.all(Array.from({ length: 20 }, read))
      expect(answers.map((it) => it.structuredContent?.rows)).toEqual(Array(20).fill([[1]]))
      const asked = neon.requests.slice(before).flat()
      expect(asked.filter((it) => it.includes('"public"."users"'))).toHaveLength(21)
      // None of our other queries reads the defaults of columns.
      expect(asked.filter((it) => it.includes('pg_attrdef'))).toHaveLength(1)
    } finally {
      await near.close()
    }
  })

  test.skipIf(lacksBindings)(
    'reads through Hyperdrive, whatever characters its password has',
    async () => {
      const STORE = postgres.tcp('postgres:p%25%2F%40%23')
      const secrets = { DATABASE_URL: 'hyperdrive:STORE', TIDEGATE_KEY: 'k' }
      const pooled = await startWorker(secrets, undefined, [], { STORE })
      const ask = (sql: string) => callTool(`${pooled.url}/mcp`, 'query', { sql }, key)
      const sql = 'select 9007199254740993::int8, current_setting($$transaction_read_only$$)'
      const answers = await Promise.all(Array.from({ length: 40 }, () => ask(sql)))
      const rows = [['9007199254740993', 'on']]
      expect(answers.map((it) => it.structuredContent?.rows)).toEqual(answers.map(() => rows))
      await nothingIsLeft(postgres)
      await pooled.close()
    },
  )

  test('truncates an endless result', async () => {
    const sql = "select repeat('x', 200000), generate_series(1, 1e9)"
    const { structuredContent } = await callTool(mcp, 'query', { sql }, key)
    expect(structuredContent.truncated).toBeTruthy()
    await nothingIsLeft(postgres)
  })

  // Over stdio, at most 32 requests run at once.
  test.skipIf(onStdio)(
    'serves fifty calls at once, stops the ten cancelled ones, and leaves nothing behind',
    async () => {
      const send = await openSession(mcp, key)
      const params = { name: 'query', arguments: { sql: endless } }
      const cancelled = Array.from({ length: 10 }, (_, i) =>
        send({ id: i + 1, method: 'tools/call', params }),
      )
      const others = Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          const sql = `select ${i}, count(*) from users`
          return (await callTool(mcp, 'query', { sql }, key)).structuredContent.rows[0]
        }),
      )
      await expect.poll(() => sessions(postgres, 'active'), { timeout: 10_000 }).toBe(10)
      for (let requestId = 1; requestId <= 10; requestId++) {
        await send({ method: 'notifications/cancelled', params: { requestId } })
      }
      expect(await others).toEqual(Array.from({ length: 40 }, (_, i) => [i, 100]))
      for (const { text } of await Promise.all(cancelled)) expect(text).not.toContain('"result"')
      await nothingIsLeft(postgres, { timeout: 5_000 })
    },
  )

  test('ends its queries when it dies', async () => {
    const mortal = await startWorker({ DATABASE_URL: postgres.tcp(), TIDEGATE_KEY: 'k' })
    const lost = callTool(`${mortal.url}/mcp`, 'query', { sql: endless }, key).catch(() => 'lost')
    await expect.poll(() => sessions(postgres, 'active'), { timeout: 10_000 }).toBe(1)
    await mortal.close('SIGKILL')
    expect(await lost).toBe('lost')
    const { rows } = await postgres.admin('show server_version_num')
    if (Number(rows[0].server_version_num) < 140_000) return
    await nothingIsLeft(postgres, { timeout: 5_000 })
  })

  describe('with faulty servers', () => {
    const servers: TcpServer[] = []
    let worker: RunningWorker
    beforeAll(async () => {
      const at = async (serve: (socket: Socket) => void, host = '127.0.0.1', mode = 'require') => {
        const server = await startTcp(serve)
        servers.push(server)
        const url = new URL(postgres.tcp(`postgres:${MARKER}`, server.port))
        return `${url.href.replace('127.0.0.1', host)}?sslmode=${mode}`
      }
      const port = postgres.config.port!
      const plain = (socket: Socket) => passOn(socket, port)
      const stranger = makeCertificate()
      const hanging = await at(() => {})
      const hosts = `127.0.0.1:9,${new URL(hanging).host},127.0.0.1:${port}`
      const tls = (of: typeof trusted) => (socket: Socket) => of && encrypt(socket, of, port)
      const urls: Record<string, string> = {
        CLOSED: `postgres://app:${MARKER}@127.0.0.1:9/shop`,
        UNKNOWN: `postgres://app:${MARKER}@nowhere.invalid/shop`,
        SILENT: await at(() => {}, '127.0.0.1', 'disable'),
        SILENT_TLS: await at(() => {}),
        CUT: await at(
          (socket) =>
            passOn(socket, port, (chunk) => (chunk.includes('declare') ? undefined : chunk)),
          '127.0.0.1',
          'disable',
        ),
        MUTE: await at(
          (socket) =>
            passOn(socket, port, (chunk) => (chunk.includes('declare') ? Buffer.alloc(0) : chunk)),
          '127.0.0.1',
          'disable',
        ),
        LOGIN: postgres.tcp(`nobody:${MARKER}`),
        DATABASE: `${postgres.tcp()}_${MARKER}`,
        PLAIN: await at(plain),
        HOSTS: `${postgres.tcp().replace(`127.0.0.1:${port}`, hosts)}?target_session_attrs=primary`,
        STANDBY: `${postgres.tcp()}?target_session_attrs=standby`,
        DIRECT: `${postgres.tcp()}?sslnegotiation=direct`,
        PREFER: await at(plain, '127.0.0.1', 'prefer'),
        TLS: await at(tls(trusted), 'localhost', 'verify-full'),
        NAME: await at(tls(trusted), '127.0.0.1'),
        STRANGER: await at(tls(stranger), 'localhost'),
      }
      const databases = Object.fromEntries(
        Object.keys(urls).map((it) => [it.toLowerCase(), { url: `secret:${it}` }]),
      )
      const endpoint = { name: 'all', title: 'All', databases, caps: { timeoutMs: 1_000 } }
      const ENDPOINTS = JSON.stringify([endpoint])
      worker = await startWorker({ ...urls, ENDPOINTS, TIDEGATE_KEY: 'k' })
    })
    afterAll(async () => {
      await worker.close()
      await Promise.all(servers.map((it) => it.close()))
    })

    const ask = async (database: string): Promise<string> => {
      const args = { database, sql: 'select 42 as answer' }
      const { content } = await callTool(`${worker.url}/mcp`, 'query', args, key)
      expect(content[0].text).not.toContain(MARKER)
      return content[0].text
    }

    test.each([
      ['closed', /^The database cannot be reached/],
      ['unknown', /^The database cannot be reached/],
      ['silent', /^The database cannot be reached/],
      ['silent_tls', /^The database cannot be reached/],
      ['cut', /^The database cannot be reached/],
      ['mute', /^The query was stopped after 1 seconds/],
      ['login', /^The database refused the login/],
      ['database', /^The database for this endpoint does not exist/],
      ['plain', /^The database does not support TLS/],
      ['prefer', /42/],
      ['hosts', /42/],
      ['standby', /^None of the database servers is standby at the moment/],
      // Node supports ALPN, but this server does not encrypt.
      ['direct', onNode ? /^The database does not encrypt/ : /\(ALPN\), which a Worker cannot do/],
    ])('answers, or explains the error: %s', async (name, sentence) => {
      expect(await ask(name)).toMatch(sentence)
      // The answer does not wait until the connection is closed.
      for (const server of servers) {
        await expect.poll(() => server.open, { timeout: 5_000 }).toBeLessThanOrEqual(left)
      }
    })

    test.skipIf(!trusted).each([
      ['tls', /42/],
      ['name', /^The database certificate/],
      ['stranger', /^The database certificate/],
    ])('accepts a trusted certificate, and explains other errors: %s', async (name, sentence) => {
      expect(await ask(name)).toMatch(sentence)
      for (const server of servers) {
        await expect.poll(() => server.open).toBeLessThanOrEqual(left)
      }
    })
  })
})
