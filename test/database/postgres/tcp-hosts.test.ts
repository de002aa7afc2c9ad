import { connect, type Socket } from 'node:net'
import pg from 'pg'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { DatabaseError } from '../../../src/database/error.ts'
import type { QueryContext } from '../../../src/database/rows.ts'
import { passOn, report, startTcp, type TcpServer } from '../../servers/tcp.ts'
import { startEmbeddedPostgres } from '../../support/embedded-postgres.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { openOn, testMachine } from '../../support/machine.ts'
import { open } from '../../support/open.ts'

const limits: QueryContext = { maxRows: 10, maxBytes: 10_000, timeoutMs: 6_000 }
const io = { fetch, bindings: {} }

const servers: TcpServer[] = []
const serve = async (listener: (socket: Socket) => void) => {
  const server = await startTcp(listener)
  servers.push(server)
  return server.port
}
/** No test leaves a connection to its servers open. */
afterEach(async () => {
  for (const server of servers) await expect.poll(() => server.open).toBe(0)
})
afterAll(() => Promise.all(servers.map((it) => it.close())))

const primary = await startEmbeddedPostgres()
// Without a source for its WAL, it stays in recovery.
const standby = await startEmbeddedPostgres({ 'standby.signal': '' })
afterAll(() => Promise.all([primary.stop(), standby.stop()]))

/** A proxy to a server, which counts connections. */
async function wayTo({ port }: { port: number }) {
  let count = 0
  const way = await serve((socket) => {
    count++
    passOn(socket, port)
  })
  return {
    port: way,
    /** The number of connections since this was last read. */
    get asked() {
      const asked = count
      count = 0
      return asked
    },
  }
}

const urlOf = (ports: readonly number[], params = '', user = 'postgres') =>
  `postgres://${user}:${MARKER}@${ports.map((it) => `127.0.0.1:${it}`).join(',')}/postgres?${params}`

const WHERE = "select current_setting('port')::int, pg_is_in_recovery()"
const ask = async (url: string, more: Partial<QueryContext> = {}) =>
  (await open(url, io).query({ sql: WHERE }, { ...limits, ...more })).rows[0]

const onPrimary = [primary.port, false]
const onStandby = [standby.port, true]

describe('a PostgreSQL URL with several hosts', () => {
  test('tries a full server again when the other one is dead', async () => {
    const { port } = await wayTo(primary)
    let isFull = true
    const full = await serve((socket) => {
      if (!isFull) return passOn(socket, port)
      isFull = false
      socket.end(report('53300', 'too many connections'))
    })
    expect(await ask(urlOf([full, 1]))).toEqual(onPrimary)
  })

  test('uses the first server', async () => {
    const ports = [primary.port, standby.port]
    expect(await ask(urlOf(ports))).toEqual(onPrimary)
    expect(await ask(urlOf(ports.toReversed()))).toEqual(onStandby)
    const byParameter = `postgres://postgres@/postgres?host=127.0.0.1,127.0.0.1&port=${ports}`
    expect(await ask(byParameter)).toEqual(onPrimary)
  })

  test.each([
    ['where nothing listens', async () => 9],
    ['that hangs up at once', () => serve((socket) => socket.end())],
    ['that accepts and never answers', () => serve(() => {})],
    [
      'that falls silent at the login',
      () => serve((socket) => passOn(socket, primary.port, () => Buffer.alloc(0))),
    ],
    ['that speaks HTTP', () => serve((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))],
    [
      'that is starting up',
      () => serve((socket) => socket.once('data', () => socket.end(report('57P03', MARKER)))),
    ],
    [
      'that has no free connections',
      () => serve((socket) => socket.once('data', () => socket.end(report('53300', MARKER)))),
    ],
  ])('skips a server %s', async (_, start) => {
    expect(await ask(urlOf([await start(), primary.port]))).toEqual(onPrimary)
    const { host } = new URL(urlOf([primary.port]))
    const named = `postgres://postgres@nowhere.invalid,${host}/postgres?sslmode=disable`
    expect(await ask(named)).toEqual(onPrimary)
  })

  test('tries a failed server last for a while', async () => {
    const dead = await wayTo({ port: 9 })
    const live = await wayTo(primary)
    const database = open(urlOf([dead.port, live.port]), io)
    for (const [toDead, toLive] of [
      [1, 1],
      [0, 1],
    ]) {
      await database.query({ sql: 'select 1' }, limits)
      expect([dead.asked, live.asked]).toEqual([toDead, toLive])
    }
  })

  test('reports that eight hanging servers cannot be reached', async () => {
    const hanging = await serve(() => {})
    const error = await failure(ask(urlOf(Array(8).fill(hanging)), { timeoutMs: 900 }))
    expect(error).toMatchObject({
      kind: 'network',
      message: 'The database cannot be reached. Try again later.',
    })
    // A server that answers is still reached.
    const url = urlOf([...Array(7).fill(hanging), primary.port])
    expect(await ask(url, { timeoutMs: 3_000 })).toEqual(onPrimary)
  })

  test('tries no other server after the caller aborts', async () => {
    const hanging = await wayTo({ port: await serve(() => {}) })
    const left = AbortSignal.timeout(100)
    const work = ask(urlOf([hanging.port, hanging.port]), { signal: left, timeoutMs: 60_000 })
    expect((await failure(work)).message).toContain('cancelled')
    expect(hanging.asked).toBe(1)
  })

  test('tries no other server after a refused login', async () => {
    const next = await wayTo(primary)
    const refusing = await serve((socket) =>
      socket.once('data', () => socket.end(report('28P01', MARKER))),
    )
    expect(await failure(ask(urlOf([refusing, next.port])))).toMatchObject({ kind: 'auth' })
    expect(next.asked).toBe(0)
  })

  test('uses the servers in random order with load_balance_hosts=random', async () => {
    const url = urlOf([primary.port, standby.port], 'load_balance_hosts=random')
    const database = open(url, io)
    const met = new Set<unknown>()
    for (let i = 0; i < 64 && met.size < 2; i++) {
      met.add((await database.query({ sql: WHERE }, limits)).rows[0]![0])
    }
    expect(met).toEqual(new Set([primary.port, standby.port]))
  })

  test('sends a cancel request to the server that runs the statement', async () => {
    const [first, second] = [await wayTo({ port: 9 }), await wayTo(primary)]
    const url = urlOf([first.port, second.port])
    const signal = AbortSignal.timeout(500)
    await failure(
      open(url, io).query(
        { sql: 'select count(*) from generate_series(1, 1000000000)' },
        { ...limits, signal },
      ),
    )
    // One for the statement, and at least one to cancel it.
    let asked = 0
    await expect.poll(() => (asked += second.asked)).toBeGreaterThan(1)
    expect(first.asked).toBe(1)
  })
})

describe('target_session_attrs', () => {
  const both = [primary.port, standby.port]
  const cases: readonly (readonly [target: string, where: readonly unknown[]])[] = [
    ['any', onPrimary],
    ['read-write', onPrimary],
    ['primary', onPrimary],
    ['read-only', onStandby],
    ['standby', onStandby],
    ['prefer-standby', onStandby],
  ]

  test.each(cases)('finds a matching server: %s', async (target, where) => {
    const url = (ports: readonly number[]) => urlOf(ports, `target_session_attrs=${target}`)
    if (target !== 'any') expect(await ask(url(both.toReversed()))).toEqual(where)
    expect(await ask(url(both))).toEqual(where)
  })

  test.each(cases)(
    'finds a matching server if servers do not report their role: %s',
    async (target, where) => {
      const old = (port: number) =>
        serve((socket) => {
          const server = connect(port, '127.0.0.1')
          const end = () => void [socket.destroy(), server.destroy()]
          for (const it of [socket, server]) it.on('error', end).on('close', end)
          socket.pipe(server)
          server.on('data', (chunk: Buffer) =>
            socket.write(
              Buffer.from(
                chunk.toString('latin1').replace('in_hot_standby', 'in_hot_another'),
                'latin1',
              ),
            ),
          )
        })
      const ports = await Promise.all(both.map(old))
      expect(await ask(urlOf(ports, `target_session_attrs=${target}`))).toEqual(where)
    },
  )

  test('needs no query if the server reports its role at login', async () => {
    const sent: string[] = []
    const way = (serves: number) =>
      serve((socket) =>
        passOn(socket, serves, (chunk) => {
          sent.push(chunk.toString('latin1'))
          return chunk
        }),
      )
    const ports = [await way(primary.port), await way(standby.port)]
    const url = urlOf(ports, 'target_session_attrs=standby')
    expect((await open(url, io).query({ sql: 'select 42' }, limits)).rows).toEqual([[42]])
    expect(sent.join('')).toContain('select 42')
    expect(sent.join('')).not.toContain('pg_is_in_recovery')
  })

  test('falls back to a primary with prefer-standby', async () => {
    const [first, second] = [await wayTo(primary), await wayTo(primary)]
    const url = urlOf([first.port, 9, second.port], 'target_session_attrs=prefer-standby')
    expect(await ask(url)).toEqual(onPrimary)
    expect([first.asked, second.asked]).toEqual([1, 1])
  })

  test('reports that no server matches', async () => {
    for (const [target, { port }] of [
      ['standby', primary],
      ['read-only', primary],
      ['primary', standby],
      ['read-write', standby],
    ] as const) {
      // Nothing listens at port 9.
      for (const ports of [
        [port, port],
        [port, 9],
        [9, port],
      ]) {
        const error = await failure(ask(urlOf(ports, `target_session_attrs=${target}`)))
        expect(error).toMatchObject({
          kind: 'network',
          message: `None of the database servers is ${target} at the moment.`,
        })
      }
    }
  })

  test('counts a server with default_transaction_read_only as read-only', async () => {
    const options = 'options=-c%20default_transaction_read_only%3Don'
    const url = (target: string) =>
      urlOf([primary.port], `target_session_attrs=${target}&${options}`)
    expect(await ask(url('read-only'))).toEqual(onPrimary)
    expect(await ask(url('primary'))).toEqual(onPrimary)
    expect((await failure(ask(url('read-write')))).message).toContain('is read-write')
  })
})

// This must be the last test, because it promotes the standby.
test('a pooled connection is closed once its server is not a standby anymore', async () => {
  const machine = testMachine()
  const url = urlOf([primary.port, standby.port], 'target_session_attrs=standby')
  const database = await openOn(machine, url)
  const meet = async () =>
    (await database.query({ sql: `${WHERE}, pg_backend_pid()` }, limits)).rows[0]!
  const [port, isStandby, session] = await meet()
  expect([port, isStandby]).toEqual(onStandby)
  expect(await meet()).toEqual([port, isStandby, session])
  const client = new pg.Client({ host: '127.0.0.1', port: standby.port, user: 'postgres' })
  await client.connect()
  await client.query('select pg_promote()')
  await client.end()
  // The session learns of it with its next answer.
  const met = () => meet().catch((error: DatabaseError) => error.message)
  await expect.poll(met).toBe('None of the database servers is standby at the moment.')
  await machine.close()
})
