import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MOST_KEPT } from '../src/database/transport/pool.ts'
import { passOn, startTcp, type TcpServer } from './servers/tcp.ts'
import { type CertificateFiles, makeCertificate } from './support/certificate.ts'
import { MARKER } from './support/failure.ts'
import { orNone, type TestMariaDb } from './support/mariadb.ts'
import { leftOutOnNode, onNode } from './support/node-worker.ts'
import { startOwnMariaDb } from './support/own-mariadb.ts'
import type { RunningWorker } from './support/worker.ts'

const lacksBindings = leftOutOnNode('Hyperdrive is a binding, and only a Worker has bindings.')

// The runtime reads this when it loads, and trusts it like a public certificate authority.
const trusted = makeCertificate()
if (trusted) process.env.NODE_EXTRA_CA_CERTS = trusted.path
const { callTool, openSession, startWorker } = await import('./support/worker.ts')

const key = { authorization: 'Bearer k' }

const setup = (reader: string) => `
  create table users (id bigint, email varchar(80), at datetime(6), price decimal(30, 10));
  insert into users select seq, concat('user', seq), '2026-01-02 03:04:05.123456', 1
    from seq_1_to_100;
  update users set id = 9007199254740993, price = 12345678901234567890.0123456789 where id = 7;
  create user ${reader}_native@'%' identified via mysql_native_password using password('${MARKER}')
    require ssl;
  create user ${reader}_ed25519@'%' identified via ed25519 using password('${MARKER}');
  grant select on users to ${reader}_native@'%', ${reader}_ed25519@'%';
`
const endless = 'select sum(seq % 7) from seq_1_to_1000000000000'

interface MariaDbs {
  /** Its certificate is trusted. */
  readonly known: TestMariaDb
  /** Its certificate is from an unknown authority. */
  readonly strange: TestMariaDb
  /** It does not encrypt. */
  readonly plain: TestMariaDb
}

async function startAll(certificate: CertificateFiles): Promise<MariaDbs> {
  const tls = ({ path, keyPath }: CertificateFiles) => [
    `--ssl-cert=${path}`,
    `--ssl-key=${keyPath}`,
  ]
  return {
    known: await startOwnMariaDb(setup, [...tls(certificate), '--plugin-load-add=auth_ed25519']),
    strange: await startOwnMariaDb('select 1', tls(makeCertificate()!)),
    plain: await startOwnMariaDb('select 1', ['--skip-ssl']),
  }
}

const mariadbs = trusted && (await orNone(() => startAll(trusted)))
describe.skipIf(!mariadbs)('a Worker with MariaDB over TLS', () => {
  if (mariadbs) tests(mariadbs)
  else test('waits for MariaDB', () => {})
})

function tests({ known, strange, plain }: MariaDbs): void {
  const servers: TcpServer[] = []
  let worker: RunningWorker
  beforeAll(async () => {
    const at = async (serve: (socket: Socket) => void) => {
      const server = await startTcp(serve)
      servers.push(server)
      return server.port
    }
    /** Forwards until the client sends this text or chunk. Then it cuts the connection, or forwards no more. */
    const until = (said: string | number, then: 'cut' | 'mute') =>
      at((socket) => {
        let chunks = 0
        passOn(socket, known.port, (chunk) => {
          const stops = typeof said === 'number' ? ++chunks === said : chunk.includes(said)
          if (!stops) return chunk
          return then === 'cut' ? undefined : Buffer.alloc(0)
        })
      })
    const url = (mode: string, { host = 'localhost', user = known.reader, of = known } = {}) =>
      `mysql://${user}@${host}:${of.port}/${of.database}${mode && `?ssl-mode=${mode}`}`
    const through = (port: number, mode: string) =>
      url(mode).replace(`:${known.port}/`, `:${port}/`)
    const native = `${known.reader}_native`

    const urls: Record<string, string> = {
      TLS: url('VERIFY_IDENTITY'),
      REQUIRED: url('REQUIRED'),
      NATIVE: url('REQUIRED', { user: `${native}:${MARKER}` }),
      ED25519: url('REQUIRED', { user: `${known.reader}_ed25519:${MARKER}` }),
      UNENCRYPTED: url('DISABLED', { user: `${native}:${MARKER}` }),
      PASSWORD: url('REQUIRED', { user: `${native}:not-${MARKER}` }),
      LOGIN: url('REQUIRED', { user: `nobody:${MARKER}` }),
      DATABASE: url('REQUIRED', { user: known.owner }).replace('?', `_${MARKER}?`),
      // An unusual name of this machine: it counts as another one, so TLS is on by default.
      ELSEWHERE: url('', { host: '127.1' }),
      NAME: url('VERIFY_IDENTITY', { host: '127.0.0.1' }),
      STRANGER: url('REQUIRED', { of: strange, user: strange.reader }),
      PLAIN: url('REQUIRED', { of: plain, user: plain.reader }),
      PREFERS: url('PREFERRED', { user: `${native}:${MARKER}` }),
      PREFERS_STRANGER: url('PREFERRED', { of: strange, user: strange.reader }),
      PREFERS_PLAIN: url('PREFERRED', { of: plain, user: plain.reader }),
      CLOSED: `mysql://app:${MARKER}@127.0.0.1:9/shop?ssl-mode=REQUIRED`,
      UNKNOWN: `mysql://app:${MARKER}@nowhere.invalid/shop`,
      SILENT: through(await at(() => {}), 'REQUIRED'),
      // It goes silent after the request for TLS, before the first message in it.
      SILENT_TLS: through(await until(2, 'mute'), 'REQUIRED'),
      CUT: through(await until('42 as answer', 'cut'), 'DISABLED'),
      MUTE: through(await until('42 as answer', 'mute'), 'DISABLED'),
    }
    const databases = Object.fromEntries(
      Object.keys(urls).map((it) => [it.toLowerCase(), { url: `secret:${it}` }]),
    )
    const patient = { name: 'patient', title: 'Patient', databases }
    const hasty = { ...patient, name: 'hasty', caps: { timeoutMs: 1_000 } }
    const pooled = { ...hasty, name: 'pooled', databases: { main: { url: 'hyperdrive:STORE' } } }
    const ENDPOINTS = JSON.stringify([patient, hasty, pooled])
    const secrets = { ...urls, ENDPOINTS, TIDEGATE_KEY: 'k' }
    worker = await startWorker(secrets, undefined, [], {
      STORE: url('DISABLED', { user: `${known.reader}_pooled:${MARKER}` }),
    })
  })
  afterAll(async () => {
    await worker?.close()
    await Promise.all(servers.map((it) => it.close()))
    for (const it of [known, strange, plain]) await it.drop()
  })

  /** The current statements of the driver's sessions on the server; null for an idle session. */
  const sessions = async () => {
    const sql = "select info from information_schema.processlist where user like concat(?, '%')"
    return (await known.admin(sql, [known.reader])).map(({ info }) => info as string | null)
  }
  const running = async () => (await sessions()).filter((it) => it?.includes('seq % 7')).length
  const nothingIsLeft = async () => {
    // On Node, the pool keeps some idle connections for later calls.
    const open = async () => (await sessions()).filter((it) => !onNode || it !== null)
    await expect.poll(open, { timeout: 5_000 }).toEqual([])
    for (const server of servers) {
      const left = onNode ? MOST_KEPT : 0
      await expect.poll(() => server.open, { timeout: 5_000 }).toBeLessThanOrEqual(left)
    }
  }

  const call = (database: string, sql: string, params: unknown[] = [], endpoint = 'patient') =>
    callTool(`${worker.url}/mcp/${endpoint}`, 'query', { database, sql, params }, key)

  /** The text that the model reads. */
  const ask = async (database: string, endpoint?: string): Promise<string> => {
    const { content } = await call(database, 'select 42 as answer', [], endpoint)
    expect(content[0].text).not.toContain(MARKER)
    expect(worker.logs().join('\n')).not.toContain(MARKER)
    return content[0].text
  }

  test.each(['tls', 'required'])('reads exact values: %s', async (database) => {
    const exact = 'select id, at, price from users where email = ?'
    const { structuredContent } = await call(database, exact, ['user7'])
    expect(structuredContent.rows).toEqual([
      ['9007199254740993', '2026-01-02 03:04:05.123456', '12345678901234567890.0123456789'],
    ])
    const cipher = await call(database, "show session status like 'Ssl_cipher'")
    expect(cipher.structuredContent.rows).toEqual([['Ssl_cipher', expect.stringMatching(/./)]])
    await nothingIsLeft()
  })

  test.skipIf(lacksBindings)(
    'reads exact values through Hyperdrive in parallel calls, and stops slow ones',
    async () => {
      // It exists only for a short time, because a server treats unknown users according to the users that it has.
      const user = `${known.reader}_pooled@'%'`
      await known.admin(`create user ${user} identified by '${MARKER}'`)
      await known.admin(`grant select on ${known.database}.* to ${user}`)
      const ask = async (sql: string, params: unknown[] = []) =>
        callTool(`${worker.url}/mcp/pooled`, 'query', { sql, params }, key)
      const exact = 'select id, at, price from users where email = ?'
      const answers = await Promise.all(Array.from({ length: 40 }, () => ask(exact, ['user7'])))
      for (const { structuredContent } of answers) {
        expect(structuredContent.rows).toEqual([
          ['9007199254740993', '2026-01-02 03:04:05.123456', '12345678901234567890.0123456789'],
        ])
      }
      const tool = (name: string, args: object) =>
        callTool(`${worker.url}/mcp/pooled`, name, { ...args }, key)
      const described = await tool('describe_table', { table: 'users' })
      expect(JSON.stringify(described.structuredContent)).toContain('datetime(6)')
      const first = { table: 'users', columns: ['email'], limit: 1 }
      const { structuredContent: page } = await tool('query_table', first)
      expect(page?.rows).toEqual([[expect.stringMatching(/^user\d+$/)]])
      const large = await ask("select repeat('x', 200000), seq from seq_1_to_1000000000")
      expect(large.structuredContent.truncated).toBe(true)
      const { content } = await ask(endless)
      expect(content[0].text).toMatch(/^The query was stopped after 1 seconds/)
      await nothingIsLeft()
      await known.admin(`drop user ${user}`)
    },
  )

  test('truncates a large result', async () => {
    const sql = "select repeat('x', 200000), seq from seq_1_to_1000000000"
    const { structuredContent } = await call('tls', sql)
    expect(structuredContent.truncated).toBe(true)
    expect(structuredContent.rows.length).toBeGreaterThan(0)
    await nothingIsLeft()
  })

  test('stops a slow query at its time limit', async () => {
    const { isError, content } = await call('tls', endless, [], 'hasty')
    expect(isError).toBe(true)
    expect(content[0].text).toMatch(/^The query was stopped after 1 seconds/)
    await nothingIsLeft()
  })

  test('stops a cancelled call, and leaves nothing behind', async () => {
    const send = await openSession(`${worker.url}/mcp/patient`, key)
    const params = { name: 'query', arguments: { database: 'tls', sql: endless } }
    const cancelled = send({ id: 1, method: 'tools/call', params })
    await expect.poll(running, { timeout: 10_000 }).toBe(1)
    await send({ method: 'notifications/cancelled', params: { requestId: 1 } })
    expect((await cancelled).text).not.toContain('"result"')
    await nothingIsLeft()
  })

  test.each([
    ['native', /\[\[42\]\]/],
    ['prefers', /\[\[42\]\]/],
    ['prefers_stranger', /^The database certificate cannot be trusted/],
    ['prefers_plain', /\[\[42\]\]/],
    ['ed25519', /^The user for this endpoint logs in with a method that is not supported here/],
    ['unencrypted', /^The database refused the login/],
    ['password', /^The database refused the login/],
    ['login', /^The database refused the login/],
    ['database', /^The database for this endpoint does not exist/],
    ['elsewhere', /^The database certificate cannot be trusted/],
    ['name', /^The database certificate cannot be trusted/],
    ['stranger', /^The database certificate cannot be trusted/],
    ['plain', /^The database does not support TLS/],
    ['closed', /^The database cannot be reached/],
    ['unknown', /^The database cannot be reached/],
    ['cut', /^The database cannot be reached/],
  ])('answers, or explains the error: %s', async (database, sentence) => {
    expect(await ask(database)).toMatch(sentence)
    await nothingIsLeft()
  })

  test('notices that the server has closed the connection', async () => {
    const ended = call('tls', endless)
    await expect.poll(running, { timeout: 10_000 }).toBe(1)
    const sql =
      "select id from information_schema.processlist where info like '%seq \\% 7%' and user like concat(?, '%')"
    for (const { id } of await known.admin(sql, [known.reader])) await known.admin(`kill ${id}`)
    const { content } = await ended
    expect(content[0].text).toMatch(/^The database cannot be reached/)
    await nothingIsLeft()
  })

  test.each([
    ['silent', /^The database cannot be reached/],
    ['silent_tls', /^The database cannot be reached/],
    ['mute', /^The query was stopped after 1 seconds/],
  ])('does not wait for a silent server: %s', async (database, sentence) => {
    expect(await ask(database, 'hasty')).toMatch(sentence)
    await nothingIsLeft()
  })
}
