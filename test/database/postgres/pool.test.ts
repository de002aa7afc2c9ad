import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { queryObjects } from 'node:v8'
import { afterEach, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import type { QueryContext } from '../../../src/database/rows.ts'
import { bySessions } from '../../../src/database/sessions.ts'
import { MOST_LENT } from '../../../src/database/transport/pool.ts'
import type { OwnMachine } from '../../../src/node/machine.ts'
import { startPooler, startSwapping } from '../../servers/pooler.ts'
import { passOn, report, startTcp } from '../../servers/tcp.ts'
import { failure } from '../../support/failure.ts'
import { openOn, testMachine } from '../../support/machine.ts'
import { describePostgres } from '../../support/postgres.ts'

const limits: QueryContext = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }

/** A function that leaves session state that a rollback does not undo, and one that reports this state. */
const setup = (reader: string) => `
  create function leave_traces() returns void volatile language plpgsql as $$ begin
    perform pg_advisory_lock(4711);
    perform set_config('my.trace', 'left', false);
    perform set_config('search_path', 'nowhere', false);
    perform set_config('default_transaction_read_only', 'off', false);
    perform set_config('statement_timeout', '1', false);
    execute 'prepare trace as select 1';
    execute 'declare trace cursor with hold for select 1';
    execute 'listen trace';
    execute 'set session role ${reader}';
  end $$;
  create function traces() returns text[] stable language sql as $$
    select array[
      (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
      (select count(*) from pg_prepared_statements where name = 'trace'),
      (select count(*) from pg_cursors where name = 'trace'),
      (select count(*) from pg_listening_channels())
    ]::text[] || array[coalesce(current_setting('my.trace', true), ''), current_user::text,
      current_setting('search_path')]
  $$;
`

await describePostgres('PostgreSQL with pooled connections', setup, (postgres) => {
  const port = postgres.config.port!
  const { reader } = postgres
  const ending: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const it of ending.splice(0).reverse()) await it.close()
  })
  const machine = (): OwnMachine => {
    const it = testMachine()
    ending.push(it)
    return it
  }
  const at = async (port: number, user = 'postgres') => openOn(machine(), postgres.tcp(user, port))
  const here = (user?: string) => at(port, user)
  const ask = async (database: Database, sql: string, more: Partial<QueryContext> = {}) =>
    (await database.query({ sql }, { ...limits, ...more })).rows[0]!
  const session = async (database: Database) => (await ask(database, 'select pg_backend_pid()'))[0]
  const sessionsOf = async (user: string) => {
    const sql =
      'select count(*)::int as count from pg_stat_activity where usename = $1 and datname = $2'
    return (await postgres.admin(sql, [user, postgres.config.database])).rows[0].count
  }
  /** A proxy that lets a test change the data of its first connection. */
  const startCut = async (
    change: (chunk: Buffer, cut: (report?: Buffer) => void) => Buffer | undefined,
  ) => {
    let connections = 0
    const server = await startTcp((client) => {
      connections++
      const isFirst = connections === 1
      passOn(client, port, (chunk) =>
        isFirst ? change(chunk, (report = Buffer.alloc(0)) => void client.end(report)) : chunk,
      )
    })
    ending.push(server)
    return {
      port: server.port,
      get connections() {
        return connections
      },
    }
  }
  const long = 'select count(*) from generate_series(1, 1000000000)'

  test('reports a server that goes silent at login', async () => {
    const server = await startTcp(() => {})
    ending.push(server)
    for (let i = 0; i < 5; i++) {
      const error = await failure(ask(await at(server.port), 'select 1', { timeoutMs: 300 }))
      expect(error).toMatchObject({ message: expect.stringMatching(/^The database cannot be/) })
    }
  })

  test('keeps no rows of earlier answers in memory', async () => {
    const database = await here()
    const answer = async () => {
      const sql = 'select i, i from generate_series(1, 1000) i'
      const { rows } = await database.query({ sql }, { ...limits, maxRows: 1_000, maxBytes: 1e6 })
      return rows.length
    }
    // Each row is an array. This call collects garbage before it counts.
    const arrays = () => Number(queryObjects(Array, { format: 'count' }))
    const first = await session(database)
    for (let i = 0; i < 3; i++) expect(await answer()).toBe(1_000)
    const before = arrays()
    for (let i = 0; i < 20; i++) expect(await answer()).toBe(1_000)
    expect(await session(database)).toBe(first)
    expect(arrays() - before).toBeLessThan(2_000)
  })

  test('reuses one connection for consecutive calls', async () => {
    const server = await startCut((chunk) => chunk)
    const database = await at(server.port)
    const first = await session(database)
    for (let i = 0; i < 5; i++) expect(await session(database)).toBe(first)
    await failure(ask(database, 'select nobody'))
    await failure(ask(database, 'explain select nobody'))
    expect(await ask(database, 'show server_encoding')).toEqual(['UTF8'])
    await ask(database, 'explain select 1')
    expect(await session(database)).toBe(first)
    expect(server.connections).toBe(1)
  })

  test('leaves no session state for the next call', async () => {
    const database = await here()
    const before = await ask(database, 'select traces(), pg_backend_pid()')
    await ask(database, 'select leave_traces()')
    expect(await ask(database, 'select traces(), pg_backend_pid()')).toEqual(before)
    expect(before[0]).toEqual(['0', '0', '0', '0', '', 'postgres', '"$user", public'])
    const locks =
      "select count(*)::int as count from pg_locks where locktype = 'advisory' and objid = 4711"
    expect((await postgres.admin(locks)).rows[0].count).toBe(0)
  })

  test('leaves no session state after a call that fails', async () => {
    const database = await here()
    const before = await ask(database, 'select traces(), pg_backend_pid()')
    await failure(ask(database, 'select leave_traces(), 1 / (length(version()) * 0)'))
    expect(await ask(database, 'select traces(), pg_backend_pid()')).toEqual(before)
  })

  test('uses separate sessions for callers with and without claims', async () => {
    const database = await here(reader)
    const claims = { identity: { claims: '{"sub":"ada"}' } }
    const told = "select current_setting('request.jwt.claims', true), pg_backend_pid()"
    const [ada, first] = await ask(database, told, claims)
    const [nobody, second] = await ask(database, told)
    expect([ada, nobody, first === second]).toEqual(['{"sub":"ada"}', null, false])
    expect(await ask(database, told, claims)).toEqual([ada, first])
  })

  test('resets the role after its call', async () => {
    const database = await here()
    const who = 'select current_user, session_user, pg_backend_pid()'
    const [, , pid] = await ask(database, who)
    expect(await ask(database, who, { identity: { role: reader } })).toEqual([
      reader,
      'postgres',
      pid,
    ])
    expect(await ask(database, who)).toEqual(['postgres', 'postgres', pid])
  })

  test('starts every call read-only', async () => {
    const database = await here()
    for (let i = 0; i < 2; i++) {
      await ask(database, 'select leave_traces()')
      expect(await ask(database, 'show transaction_read_only')).toEqual(['on'])
    }
  })

  test('retries on a new connection after an idle one was terminated', async () => {
    const database = await here(reader)
    for (let i = 0; i < 3; i++) {
      const pid = await session(database)
      await postgres.admin('select pg_terminate_backend($1)', [pid])
      expect(await session(database)).not.toBe(pid)
    }
  })

  test.each(['cut', 'told', 'silent'])(
    'retries on a new connection after an unnoticed failure: %s',
    async (how) => {
      let isBroken = false
      const server = await startCut((chunk, cut) => {
        if (!isBroken) return chunk
        if (how === 'told') cut(report('57P01', 'terminating'))
        return how === 'cut' ? undefined : Buffer.alloc(0)
      })
      const database = await at(server.port)
      const pid = await session(database)
      isBroken = true
      expect(await session(database)).not.toBe(pid)
    },
  )

  test('does not retry a statement that has started', async () => {
    let isBroken = false
    const server = await startCut((chunk, cut) => {
      if (isBroken) setTimeout(cut, 300)
      return chunk
    })
    const database = await at(server.port)
    await session(database)
    isBroken = true
    expect((await failure(ask(database, long))).kind).toBe('network')
    // The second one is for the cancel request.
    expect(server.connections).toBeLessThanOrEqual(2)
  })

  test('does not reuse an aborted connection, and leaves no statement running', async () => {
    const database = await here(reader)
    const first = await session(database)
    const left = failure(ask(database, long, { signal: AbortSignal.timeout(300) }))
    expect((await left).message).toContain('cancelled')
    const second = await session(database)
    expect(second).not.toBe(first)
    expect((await failure(ask(database, long, { timeoutMs: 300 }))).kind).toBe('timeout')
    const wide = "select repeat('x', 30000000)"
    expect((await failure(ask(database, wide))).kind).toBe('too_large')
    const running =
      "select count(*) from pg_stat_activity where state = 'active' and usename = current_user"
    await expect.poll(() => ask(database, running)).toEqual([1])
  })

  test('reuses a connection after the server stops its statement', async () => {
    const database = await here()
    const pid = await session(database)
    await failure(ask(database, long, { timeoutMs: 300 }))
    expect(await session(database)).toBe(pid)
  })

  test('opens at most MOST_LENT connections, and reports when none becomes free', async () => {
    const database = await here(reader)
    const some = 'select count(*), pg_backend_pid() from generate_series(1, 200000)'
    const all = await Promise.all(Array.from({ length: 50 }, () => ask(database, some)))
    expect(new Set(all.map(([, pid]) => pid)).size).toBeLessThanOrEqual(MOST_LENT)
    await expect.poll(() => sessionsOf(reader)).toBeLessThanOrEqual(5)
    const leaving = new AbortController()
    const busy = Array.from({ length: MOST_LENT }, () =>
      failure(ask(database, long, { signal: leaving.signal })),
    )
    await expect.poll(() => sessionsOf(reader), { timeout: 20_000 }).toBe(MOST_LENT)
    expect((await failure(ask(database, 'select 1', { timeoutMs: 300 }))).message).toBe(
      'All connections to the database are in use. Try again later.',
    )
    leaving.abort()
    await Promise.all(busy)
    expect(await ask(database, 'select 1')).toEqual([1])
  })

  test('does not deadlock when a call runs several queries', async () => {
    const database = await here()
    const call = () =>
      bySessions(undefined, async (sessions) => {
        await ask(database, 'select 1', { sessions })
        return ask(database, 'show server_encoding', { sessions })
      })
    const answers = await Promise.all(Array.from({ length: 10 }, call))
    expect(answers).toEqual(Array(10).fill(['UTF8']))
  })

  test('does not count the bytes of earlier answers', async () => {
    const database = await here()
    const pid = await session(database)
    for (let i = 0; i < 8; i++)
      await ask(database, "select repeat('x', 600000)", { maxBytes: 500_000 }).catch(() => {})
    for (let i = 0; i < 300; i++) await ask(database, 'select 1')
    expect(await session(database)).toBe(pid)
  })

  test('closes all sessions when the machine closes, even during a query', async () => {
    const own = machine()
    const database = await openOn(own, postgres.tcp(reader))
    await session(database)
    const running = failure(ask(database, long))
    const count = () => sessionsOf(reader)
    await expect.poll(count).toBe(1)
    await own.close()
    await running
    await expect.poll(count).toBe(0)
    expect((await failure(ask(database, 'select 1'))).message).toContain('shutting down')
  })

  test.each(['', "await machine.close(); console.log('closed')"])(
    'does not keep the process alive with an idle connection, after %j',
    async (last) => {
      const url = JSON.stringify(postgres.tcp(reader))
      const program = `
        const { openOn, testMachine } = await import('./test/support/machine.ts')
        const machine = testMachine()
        const database = await openOn(machine, ${url})
        const limits = { maxRows: 1, maxBytes: 1000, timeoutMs: 10000 }
        console.log((await database.query({ sql: 'select 42' }, limits)).rows[0][0])
        ${last}`
      const root = join(import.meta.dirname, '../../..')
      const args = ['--input-type=module', '--eval', program]
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
      expect(stdout).toBe(last ? '42\nclosed\n' : '42\n')
      await expect.poll(() => sessionsOf(reader)).toBe(0)
    },
  )

  test('leaves no session state in a transaction pooler', async () => {
    const pooler = await startPooler(port, 'postgres', postgres.config.database)
    ending.push(pooler)
    const database = await at(pooler.port)
    for (let i = 0; i < 3; i++) {
      await ask(database, 'select leave_traces()')
      expect((await ask(database, 'select traces()'))[0]).toEqual([
        '0',
        '0',
        '0',
        '0',
        '',
        'postgres',
        '"$user", public',
      ])
    }
  })

  test('runs nothing if a pooler loses the transaction', async () => {
    const swapping = await startSwapping(port, 'postgres', postgres.config.database, 1)
    ending.push(swapping)
    const database = await at(swapping.port)
    const error = await failure(ask(database, 'select leave_traces()'))
    expect(error.message).toBe('The database did not begin a read-only transaction.')
    // From the second statement on, this pooler keeps one session.
    expect((await ask(database, 'select traces()'))[0]).toContain('postgres')
  })
})
