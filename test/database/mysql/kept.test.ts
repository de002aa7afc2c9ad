import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import type { Io, UnguardedDatabase } from '../../../src/database/database.ts'
import { mysql } from '../../../src/database/mysql/tcp/tcp.ts'
import type { QueryContext } from '../../../src/database/rows.ts'
import { Sessions } from '../../../src/database/sessions.ts'
import { MOST_LENT } from '../../../src/database/transport/pool.ts'
import { passOn, startTcp } from '../../servers/tcp.ts'
import { failure } from '../../support/failure.ts'
import { testMachine } from '../../support/machine.ts'
import { describeMariaDb } from '../../support/mariadb.ts'

const limits: QueryContext = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }

const setup = (reader: string) => `
  create table users (id integer);
  insert into users select seq from seq_1_to_100;
  create table written (id integer);
  create role ${reader}_role;
  create role ${reader}_other;
  grant select on users to ${reader}_role, ${reader}_other;
  grant ${reader}_role to ${reader}@'%';
  grant ${reader}_other to ${reader}@'%';
  create function soiled() returns integer sql security invoker
  begin
    set @kept = 1, session sql_mode = 'ANSI_QUOTES', session group_concat_max_len = 4,
      session tx_read_only = 0, session max_statement_time = 0, session profiling = 1,
      session sql_select_limit = 1, names latin1;
    return get_lock('${reader}', 0) + last_insert_id(77);
  end;
  create function promoted() returns integer sql security invoker
  begin
    set role ${reader}_role;
    return 1;
  end;
  grant execute on function soiled to ${reader}@'%';
  grant execute on function promoted to ${reader}@'%';
  -- Another one than the server's.
  alter database character set latin2;
`

/** State that could leak from one call to the next. */
const STATE = `select @kept, @@sql_mode, @@group_concat_max_len, @@tx_read_only,
  @@max_statement_time, @@profiling, @@sql_select_limit, @@character_set_client, @@character_set_database, last_insert_id(),
  current_role(), database(), is_used_lock('LOCK')`

const ENDLESS = 'select count(*) from users a, users b, users c, users d, users e, users f'

await describeMariaDb('MariaDB with pooled connections', setup, (mariadb) => {
  const { reader } = mariadb
  const machine = testMachine()
  afterAll(async () => {
    await machine.close()
    await mariadb.admin(`drop role ${reader}_role, ${reader}_other`)
  })

  /** Opens the database without the guard, through a proxy that handles connections with `serve`. */
  const opened = async (
    serve?: (socket: Socket) => void,
    user = mariadb.owner,
  ): Promise<{
    ask: (sql: string, more?: Partial<QueryContext>) => Promise<readonly unknown[][]>
    database: UnguardedDatabase
    count: () => number
    open: () => number
    io: Io
  }> => {
    let count = 0
    const server = await startTcp((socket) => {
      count++
      if (serve) serve(socket)
      else passOn(socket, mariadb.port)
    })
    const io = { fetch, bindings: {}, machine }
    const url = new URL(mariadb.url(user).replace(/:\d+\//, `:${server.port}/`))
    const database = await mysql.openOn!(machine, url, io)
    afterAll(() => server.close())
    return {
      ask: async (sql, more) =>
        (await database.query({ sql }, { ...limits, ...more })).rows as unknown[][],
      database,
      count: () => count,
      open: () => server.open,
      io,
    }
  }
  const running = async () => {
    const sql = 'select id from information_schema.processlist where db = ? and info is not null'
    return (await mariadb.admin(`${sql} and user <> 'root'`, [mariadb.database])).length
  }

  test('reuses one connection for consecutive queries', async () => {
    const { ask, count } = await opened()
    const ids = []
    for (let i = 0; i < 5; i++) ids.push((await ask('select connection_id()'))[0]![0])
    expect(new Set(ids).size).toBe(1)
    await failure(ask('select nope'))
    expect(await ask('select id from users limit 10')).toHaveLength(10)
    expect(count()).toBe(1)
  })

  test('opens no more than MOST_LENT connections for 50 queries', async () => {
    const { ask, open } = await opened()
    const all = Array.from({ length: 50 }, (_, i) =>
      ask(`select ${i}, count(*) from users a, users b`),
    )
    expect((await Promise.all(all)).map(([row]) => row)).toEqual(all.map((_, i) => [i, 10_000]))
    expect(open()).toBeLessThanOrEqual(MOST_LENT)
  })

  test('reports when no connection becomes free in time', async () => {
    const { ask } = await opened()
    const caller = new AbortController()
    const long = Array.from({ length: MOST_LENT }, () =>
      failure(ask(ENDLESS, { signal: caller.signal })),
    )
    await expect.poll(running, { timeout: 20_000 }).toBe(MOST_LENT)
    const error = await failure(ask('select 1', { timeoutMs: 200 }))
    expect(error).toMatchObject({
      kind: 'network',
      message: expect.stringMatching(/^All 32 connections/),
    })
    caller.abort()
    await Promise.all(long)
    expect(await ask('select 1')).toEqual([[1]])
    await expect.poll(running).toBe(0)
  })

  test('does not deadlock when concurrent calls need several sessions', async () => {
    const { database } = await opened()
    const call = async () => {
      const sessions = new Sessions()
      // A session has one time limit, so another time limit needs another session.
      for (const timeoutMs of [9_000, 8_000, 9_000]) {
        const asked = { ...limits, timeoutMs, sessions }
        await Promise.all([
          database.query({ sql: 'select 1', internal: true }, asked),
          database.query({ sql: 'select 2', internal: true }, { ...asked, timeoutMs: 7_000 }),
        ])
      }
      await sessions.end()
    }
    await Promise.all(Array.from({ length: 12 }, call))
  })

  test('leaves no session state for the next call', async () => {
    const { ask, count } = await opened()
    const state = STATE.replace('LOCK', reader)
    const before = await ask(state)
    const [[id]] = (await ask('select connection_id()')) as [[number]]
    expect(await ask('select soiled() > 0, connection_id()')).toEqual([[1, id]])
    expect(await ask(`select connection_id()`)).toEqual([[id]])
    expect(await ask(state)).toEqual(before)
    expect(await ask('show profiles')).toEqual([])
    expect(await failure(ask('insert into written values (1) returning id'))).toMatchObject({
      kind: 'refused',
    })
    expect(count()).toBe(1)
  })

  test('does not reuse a connection after a role was set', async () => {
    const { ask, count } = await opened(undefined, reader)
    const role = 'select current_role()'
    expect(await ask(role)).toEqual([[null]])
    expect(await ask('select promoted()')).toEqual([[1]])
    expect(await ask(role)).toEqual([[null]])
    expect(count()).toBe(2)
    const as = (it: string) => ask(role, { identity: { role: `${reader}_${it}` } })
    for (let i = 0; i < 2; i++) {
      const all = await Promise.all([as('role'), as('other'), as('role'), ask(role), as('other')])
      expect(all.flat(2)).toEqual(
        ['role', 'other', 'role', '', 'other'].map((it) => (it ? `${reader}_${it}` : null)),
      )
    }
  })

  describe('with broken connections', () => {
    test('answers after the server killed them', async () => {
      const { ask } = await opened()
      const ids = await Promise.all(
        Array.from({ length: 3 }, () =>
          ask('select connection_id(), count(*) from users a, users b'),
        ),
      )
      for (const [row] of ids) await mariadb.admin(`kill connection ${row![0]}`)
      expect(await ask('select 1')).toEqual([[1]])
    })

    test('answers after they were silently lost', async () => {
      let isSilent = false
      const { ask, count } = await opened((socket) => {
        const mine = isSilent
        passOn(socket, mariadb.port, (chunk) => (isSilent && !mine ? Buffer.alloc(0) : chunk))
      })
      const some = Array.from({ length: 3 }, () => ask('select count(*) from users a, users b'))
      await Promise.all(some)
      const before = count()
      isSilent = true
      expect(await ask('select 1', { timeoutMs: 4_000 })).toEqual([[1]])
      expect(count()).toBe(before + 1)
    })

    test('does not reuse them if the server cannot reset a session', async () => {
      const { ask, count } = await opened((socket) =>
        passOn(socket, mariadb.port, (chunk) => {
          const at = chunk.indexOf(Buffer.from([1, 0, 0, 0, 0x1f]))
          if (at >= 0) chunk[at + 4] = 0x7f
          return chunk
        }),
      )
      for (let i = 1; i <= 3; i++) {
        expect(await ask('select @kept, @kept := 1')).toEqual([[null, 1]])
        expect(count()).toBe(i)
      }
    })
  })

  test('does not reuse a connection after an aborted call or a truncated answer', async () => {
    const { ask, count, open } = await opened()
    const caller = new AbortController()
    const work = failure(ask(ENDLESS, { signal: caller.signal }))
    await expect.poll(running).toBe(1)
    caller.abort()
    await work
    await expect.poll(running).toBe(0)
    await expect.poll(open).toBe(0)
    const before = count()
    await ask("select repeat('x', 10000) from users a, users b limit 5000", {
      maxRows: 5_000,
      maxBytes: 50_000,
    })
    await expect.poll(open).toBe(0)
    expect(await ask('select 1')).toEqual([[1]])
    // One for the answer, one to stop it, and one for the last query.
    expect(count()).toBe(before + 3)
  })

  test('closes its connections with the machine', async () => {
    const own = testMachine()
    const server = await startTcp((socket) => passOn(socket, mariadb.port))
    const url = new URL(mariadb.url().replace(/:\d+\//, `:${server.port}/`))
    const io = { fetch, bindings: {}, machine: own }
    const database = await mysql.openOn!(own, url, io)
    await database.query({ sql: 'select 1' }, limits)
    expect(server.open).toBe(1)
    await own.close()
    await expect.poll(() => server.open).toBe(0)
    await server.close()
  })

  describe('in a process', () => {
    const start = (...args: string[]) =>
      spawn(
        process.execPath,
        [new URL('../../servers/kept-mysql.ts', import.meta.url).pathname, ...args],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )

    test('does not keep the process alive', async () => {
      const child = start(mariadb.url(), 'select 1')
      const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
      expect([said.trim(), code]).toEqual(['[[1]]', 0])
    })

    test('leaves no query running after the process is killed', async () => {
      const child = start(mariadb.url(), ENDLESS, '3000')
      // Not the statements that begin a session, which end at once.
      const endless = () =>
        mariadb.admin(
          "select id from information_schema.processlist where db = ? and info like '%users f%' and user <> 'root'",
          [mariadb.database],
        )
      await expect.poll(endless, { timeout: 20_000 }).toHaveLength(1)
      child.kill('SIGKILL')
      await once(child, 'exit')
      await expect.poll(endless, { timeout: 10_000 }).toEqual([])
    })
  })
})
