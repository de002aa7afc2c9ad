import { connect, type Socket } from 'node:net'
import { createConnection } from 'mysql2/promise'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { mysqlError } from '../../../src/database/mysql/error.ts'
import { limited } from '../../../src/database/mysql/limit.ts'
import { barrier, CHECKS, check, READ_ONLY } from '../../../src/database/mysql/read-only.ts'
import { mysql } from '../../../src/database/mysql/tcp/tcp.ts'
import type { Param, QueryContext, Rows } from '../../../src/database/rows.ts'
import { Sessions } from '../../../src/database/sessions.ts'
import { passOnSwapped } from '../../servers/swapping.ts'
import { passOn, startTcp, type TcpServer } from '../../servers/tcp.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { describeMariaDb } from '../../support/mariadb.ts'
import { open } from '../../support/open.ts'

const limits: QueryContext = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

const setup = (reader: string) => `
  create table users (id integer, email varchar(80));
  insert into users select seq, concat('user', seq) from seq_1_to_100;
  create table secrets (id integer);
  create function summed() returns bigint reads sql data
  begin
    declare n, total bigint default 0;
    declare done boolean default false;
    declare all_of cursor for select seq from seq_1_to_5000;
    declare continue handler for not found set done = true;
    open all_of;
    fetch all_of into n;
    while not done do
      set total = total + n;
      fetch all_of into n;
    end while;
    return total;
  end;
  create view sums as select summed() as s, (select count(*) from seq_1_to_5000) as n;
  grant execute on function summed to ${reader}@'%';
  create table elsewhere (id integer) engine = myisam comment = 'CONNECTION=''it''s'
    connection = 'mysql://me:a''${MARKER}\\\\''b@far/db/t';
  create user ${reader}_locked@'%' identified by '${MARKER}';
`

await describeMariaDb('MariaDB over TCP', setup, (mariadb) => {
  const database = open(mariadb.url(mariadb.reader), io)
  const unguarded = mysql.open(new URL(mariadb.url()), io)
  const query = (sql: string, more: Partial<QueryContext> = {}, params: Param[] = []) =>
    database.query({ sql, params }, { ...limits, ...more })
  afterAll(() => mariadb.admin(`drop user ${mariadb.reader}_locked@'%'`))

  /** The driver's sessions on the server, and their current statements. */
  const sessions = () =>
    mariadb.admin(
      'select id, info from information_schema.processlist where user in (?) and db = ?',
      [[mariadb.reader, mariadb.owner], mariadb.database],
    )
  const running = async () => (await sessions()).filter(({ info }) => info).length

  test('hides the address of the remote server of a table', async () => {
    const { rows } = await query('show create table elsewhere')
    expect(rows[0]?.[1]).toContain(`COMMENT='CONNECTION=''it''s' CONNECTION='…'`)
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${MARKER}|mysql:|far`))
    // Other SHOW statements contain such options as well. A comment that looks like one is masked, too.
    const status = await query("show table status like 'elsewhere'")
    expect(JSON.stringify(status.rows)).toContain("CONNECTION='…'")
  })

  test.each([
    ['select id from users order by id limit 10', 10, false],
    ['select id from users order by id limit 11', 10, 'rows'],
    ['select id from users', 10, 'rows'],
    ['select * from users limit 50', 10, 'rows'],
    ['(select id from users) union all (select id from users)', 10, 'rows'],
    ['select id from users where false', 0, false],
    ['show variables', 10, 'rows'],
  ])('answers %s with %i rows, truncated: %s', async (sql, count, truncated) => {
    const answer = await query(sql)
    expect(answer.rows).toHaveLength(count)
    expect(answer.truncated).toBe(truncated)
    expect(answer.columns.length).toBeGreaterThan(0)
  })

  test('aggregates over rows beyond the row limit', async () => {
    expect((await query('select count(*) from (select * from users) u')).rows).toEqual([[100]])
    const sql = 'select length(group_concat(a.email)) from users a, users b'
    const letters = 9 * 'user1'.length + 90 * 'user10'.length + 'user100'.length
    expect((await query(sql)).rows).toEqual([[100 * letters + 9_999]])
  })

  test('does not limit the rows that a stored function reads', async () => {
    const sum = (5_000 * 5_001) / 2
    expect((await query('select summed()')).rows).toEqual([[sum]])
    expect((await query('select * from sums')).rows).toEqual([[sum, 5_000]])
    const many = 'select summed() from users limit 12'
    expect(await query(many)).toMatchObject({ truncated: 'rows', rows: Array(10).fill([sum]) })
  })

  test.each([
    'select id from users order by id',
    'select id from users order by id -- all of them',
    'select id from users order by id # all of them',
    'select id from users order by id /* limit 1 */',
    "select id, 'limit 2' as `limit` from users order by id",
    'select id from users union all select id from users order by id',
    'select id from users where id > 50 union (select id from users limit 5) order by id',
    '(select id from users order by id limit 20) union select 200 order by id',
    '(select id from users order by id)',
    'with u as (select id from users limit 50) select * from u order by id',
    'with recursive n as (select 1 as i union all select i + 1 from n where i < 50) select i from n order by i',
    'select id % 30 as g, count(*) from users group by g with rollup',
    'select distinct id % 20 as g from users order by g',
    'select id, row_number() over (order by id desc) from users order by id',
    'select id, sum(id) over w from users window w as (order by id) order by id',
    'select * from (select id from users order by id desc limit 40) u order by id',
    'select id, (select count(*) from users v where v.id <= u.id) from users u order by id',
    'select id from users where id in (select id from users where id > 3) order by id',
    'select id from users order by id limit 40',
    'select id from users order by id limit 5, 40',
    'select id from users order by id limit 40 offset 3',
    'select id from users order by id offset 2 rows fetch next 40 rows only',
    'select id from users order by id fetch first 40 rows only',
    'select seq from seq_1_to_50 as `for` order by seq',
    'values (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12)',
    'select found_rows() union all select seq from seq_1_to_50',
    "select {d '2026-01-02'}, seq from seq_1_to_50 order by seq",
  ])('returns the same first rows as without a limit: %s', async (sql) => {
    const all = await query(sql, { maxRows: 1_000, maxBytes: 1_000_000 })
    expect(all.truncated).toBe(false)
    const first = await query(sql)
    expect(first).toMatchObject({ columns: all.columns, truncated: 'rows' })
    expect(first.rows).toEqual(all.rows.slice(0, 10))
  })

  test('omits whole rows beyond the byte limit', async () => {
    const sql = "select repeat('é', 100) from users limit 10"
    const row = 2 * 100 + 4
    const answer = await query(sql, { maxBytes: 3 * (row + 1) })
    expect(answer.truncated).toBe('bytes')
    expect(answer.rows).toHaveLength(3)
    expect(await query(sql, { maxBytes: 10 * (row + 1) })).toMatchObject({ truncated: false })
  })

  test('reports a single row beyond the byte limit', async () => {
    const error = await failure(query("select repeat('x', 200)", { maxBytes: 100 }))
    expect(error).toMatchObject({
      kind: 'too_large',
      hint: expect.stringContaining('shorter pieces'),
    })
    expect(await failure(query("select repeat('x', 15000000)"))).toMatchObject({
      kind: 'too_large',
    })
  })

  test('stops a long answer at the server, and leaves no session behind', async () => {
    const sql = "select repeat('x', 10000) from users a, users b, users c limit 1000000"
    const answer = await query(sql, { maxRows: 1_000_000, maxBytes: 100_000 })
    expect(answer).toMatchObject({ truncated: 'bytes' })
    expect(answer.rows).toHaveLength(9)
    await expect.poll(sessions).toEqual([])
  })

  test('sends typed values separately from the statement', async () => {
    const values = [null, true, 7, 1.5, '9007199254740993', "O'Neil \\ 😕\n", -3]
    const { rows } = await query(`select ${values.map(() => '?').join(', ')}`, {}, values)
    expect(rows).toEqual([[null, 1, 7, 1.5, '9007199254740993', "O'Neil \\ 😕\n", -3]])
    const page = await query('select id from users order by id limit ? offset ?', {}, [2, 5])
    expect(page.rows).toEqual([[6], [7]])
  })

  test('returns the rows before the limit even if a later row fails', async () => {
    // One packet has the rows and the error.
    const sql = 'select seq, exp(if(seq = 15, 1000, 1)) from seq_1_to_5000 limit 5000'
    const { rows, truncated } = await query(sql, { maxRows: 10 })
    expect(rows.map(([seq]) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(truncated).toBe('rows')
  })

  test('requires one value for each placeholder', async () => {
    for (const [sql, params] of [
      ['select ?', []],
      ['select 1', [1]],
      ["select '?', ? -- ?", [1, 2]],
    ] as const) {
      const error = await failure(query(sql, {}, [...params]))
      expect(error).toMatchObject({ kind: 'sql', message: expect.stringContaining('placeholder') })
    }
  })

  test('uses a read-only session with the SQL mode that the guard assumes', async () => {
    const { rows } = await query(
      `select @@tx_read_only, @@sql_mode, @@sql_select_limit, @@character_set_client,
        @@max_statement_time, @@lock_wait_timeout, "a\\"b", 'c' 'd'`,
      { timeoutMs: 1_500 },
    )
    expect(rows[0]).toEqual([
      1,
      'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
      '18446744073709551615',
      'utf8mb4',
      1.5,
      2,
      'a"b',
      'cd',
    ])
    const later = await query('select @seen, @seen := 1')
    expect(later.rows[0]?.[0]).toBeNull()
    expect((await query('select @seen')).rows).toEqual([[null]])
  })

  describe('in one session', () => {
    const counted = async () => {
      let connections = 0
      const server = await startTcp((socket) => {
        connections++
        passOn(socket, mariadb.port)
      })
      const url = mariadb.url(mariadb.reader).replace(/:\d+\//, `:${server.port}/`)
      const sessions = new Sessions()
      return {
        far: open(url, io),
        room: { ...limits, maxRows: 5_000, maxBytes: 1e9, sessions },
        connections: () => connections,
        async [Symbol.asyncDispose]() {
          await sessions.end()
          await expect.poll(() => server.open).toBe(0)
          await server.close()
        },
      }
    }
    const outcomes = async (all: readonly Promise<Rows>[]) =>
      (await Promise.allSettled(all)).map((it) =>
        it.status === 'fulfilled' ? it.value.rows : it.reason.code,
      )

    test('answers concurrent internal queries separately on one connection', async () => {
      await using it = await counted()
      const sqls = ['select 1', 'select nope', 'select ?', 'select 1 from nowhere', 'select 5']
      const all = sqls.map((sql) => {
        const params = sql.includes('?') ? ['x'] : []
        return it.far.query({ sql, params, internal: true }, it.room)
      })
      expect(await outcomes(all)).toEqual([[[1]], '1054', [['x']], '1146', [[5]]])
      const again = it.far.query({ sql: 'select 1', internal: true }, it.room)
      expect(await outcomes([again])).toEqual([[[1]]])
      expect(it.connections()).toBe(1)
    })

    test('runs nothing after a statement from the caller', async () => {
      await using it = await counted()
      const ask = (sql: string) => it.far.query({ sql }, it.room)
      expect((await ask('select @seen := 1, connection_id()')).rows[0]?.[0]).toBe(1)
      expect((await ask('select @seen')).rows).toEqual([[null]])
      expect(it.connections()).toBe(2)
    })

    test('repeats queries that were queued behind an answer that was too long', async () => {
      await using it = await counted()
      const long = "select repeat('x', 50000) from seq_1_to_5000"
      const all = [long, 'select 2', 'select 3'].map((sql) =>
        it.far.query({ sql, internal: true }, it.room),
      )
      const [first, ...rest] = await outcomes(all)
      expect(first.length).toBeGreaterThan(100)
      expect(rest).toEqual([[[2]], [[3]]])
    })
  })

  describe('behind a proxy that interferes', () => {
    // This user may write.
    const write = 'insert into written values (1) returning id'
    beforeAll(() => mariadb.admin('create table written (id integer)'))
    const ask = async (serve: (socket: Socket) => void, internal: boolean) => {
      const server = await startTcp(serve)
      const url = new URL(mariadb.url().replace(/:\d+\//, `:${server.port}/`))
      const error = await failure(mysql.open(url, io).query({ sql: write, internal }, limits))
      await server.close()
      return error
    }
    /** Replaces text in a statement with other text, padded to the same length. */
    const replacing = (text: string, other: string) => (socket: Socket) =>
      passOn(socket, mariadb.port, (chunk) => {
        const said = chunk.toString('latin1')
        return Buffer.from(said.replaceAll(text, other.padEnd(text.length)), 'latin1')
      })
    afterEach(async () => {
      expect(await mariadb.admin('select * from written')).toEqual([])
    })

    test.each([
      ['from the caller', false],
      ['of its own, sent together with the settings,', true],
    ])('runs no statement %s in a session that may write', async (_, internal) => {
      const error = await ask(replacing(READ_ONLY, 'do 1'), internal)
      expect(error.message).toBe('The database did not begin a read-only session.')
    })

    test.each([false, true])(
      'runs nothing even if the proxy forges the read-only check, internal: %s',
      async (ours) => {
        const forged = "select 'tx_read_only', 'ON' union select 'sql_mode', ''"
        const error = await ask((socket) => {
          passOn(socket, mariadb.port, (chunk) => {
            const said = chunk.toString('latin1').replaceAll(READ_ONLY, 'do 1'.padEnd(33))
            return Buffer.from(said.replaceAll(CHECKS, forged.padEnd(CHECKS.length)), 'latin1')
          })
        }, ours)
        expect(error.message).toBe('The database did not begin a read-only session.')
      },
    )

    test.each([false, true])('runs nothing in a swapped session, internal: %s', async (ours) => {
      const error = await ask((socket) => passOnSwapped(socket, mariadb.port), ours)
      expect(error).toMatchObject({ kind: expect.stringMatching(/sql|network|refused/) })
    })

    test('falls back to separate statements if the combined one fails', async () => {
      const server = await startTcp(replacing('begin not atomic', 'begin atomic not'))
      const url = new URL(mariadb.url().replace(/:\d+\//, `:${server.port}/`))
      const sql = 'select id from users order by id limit 2'
      const { rows } = await mysql.open(url, io).query({ sql, internal: true }, limits)
      expect(rows).toEqual([[1], [2]])
      await server.close()
    })
  })

  test.each([
    ['only reads', [READ_ONLY], true],
    ['may write', [], false],
    ['continues a transaction that may write', ['start transaction', READ_ONLY], false],
    ['continues a read-only transaction', ['start transaction read only', READ_ONLY], false],
  ])('passes the barrier in a session that %s, after %j: %s', async (_, before, passes) => {
    const { host, port, owner: user } = mariadb
    const client = await createConnection({ host, port, user })
    for (const sql of before) await client.query(sql)
    const answers = (sql: string) =>
      client.query(sql).then(
        () => true,
        () => false,
      )
    expect(await answers(barrier(undefined))).toBe(passes)
    expect(await answers('select 1')).toBe(passes)
    client.destroy()
  })

  test.each([false, true])(
    'does not pipeline to a server that does not identify as MariaDB, internal: %s',
    async (internal) => {
      const ahead: number[] = []
      const server = await startTcp((socket) => {
        const upstream = connect(mariadb.port, mariadb.host)
        let waits = false
        socket.on('data', (chunk: Buffer) => {
          for (let at = 0; at < chunk.length; at += 4 + chunk.readUIntLE(at, 3)) {
            const command = chunk[at + 4]!
            if (waits) ahead.push(command)
            // Closing a statement or the connection gets no answer.
            waits = command !== 0x19 && command !== 0x01
          }
          upstream.write(chunk)
        })
        upstream.on('error', () => {})
        upstream.on('data', (chunk: Buffer) => {
          waits = false
          const said = chunk.toString('latin1').replace('-MariaDB', '-OtherDB')
          socket.write(Buffer.from(said, 'latin1'))
        })
        socket.on('close', () => upstream.destroy())
        upstream.on('close', () => socket.destroy())
      })
      const url = mariadb.url(mariadb.reader).replace(/:\d+\//, `:${server.port}/`)
      const sql = 'select @@tx_read_only, id from users order by id limit 2'
      expect((await open(url, io).query({ sql, internal }, limits)).rows).toEqual([
        [1, 1],
        [1, 2],
      ])
      expect(ahead).toEqual([])
      await server.close()
    },
  )

  test('rejects a second statement even without the guard', async () => {
    const error = await failure(unguarded.query({ sql: 'select 1; select 2' }, limits))
    expect(error).toMatchObject({ kind: 'sql', code: '1064' })
  })

  test('leaves no session open after its queries', async () => {
    await Promise.all([query('select 1'), query('select 2'), failure(query('select nope'))])
    await expect.poll(sessions).toEqual([])
  })

  test.each([
    ['select nope from users', '1054'],
    ['select id frm users u', '1064'],
    ['select * from nowhere', '1146'],
    ["select * from json_table('x', '[' columns (a int path '$')) t", '4042'],
  ])('passes on the error in %s', async (sql, code) => {
    expect(await failure(query(sql))).toMatchObject({ kind: 'sql', code })
  })

  test.each(['show tables from nowhere', 'show create database nowhere'])(
    'does not report a database in the statement as a configuration error: %s',
    async (sql) => {
      const unguardedToo = [database, unguarded]
      for (const it of unguardedToo) {
        const error = await failure(it.query({ sql }, limits))
        expect(error.kind).toMatch(/^(?:sql|refused)$/)
        expect(error.message).toContain('nowhere')
      }
    },
  )

  test('does not report a refused file as a wrong login', () => {
    const message = `Access denied for user '${MARKER}'@'localhost' (using password: YES)`
    expect(mysqlError(1045, message, 1)).toMatchObject({
      kind: 'refused',
      message: 'Access denied',
    })
  })

  test.each([
    'select :p',
    'select 1 from users where id = :id',
    'select %s',
    'select ?',
    'select 1 limit ?',
  ])('explains parameters when a placeholder has no value: %s', async (sql) => {
    expect(await failure(query(sql))).toMatchObject({
      kind: 'sql',
      hint: 'Write $1 for the first value and $2 for the next, and send the values in params.',
    })
  })

  test('reports a table that the user may not read, without the user name', async () => {
    const error = await failure(query('select * from performance_schema.hosts'))
    expect(error).toMatchObject({ kind: 'refused', code: '1142' })
    expect(error.message).toBe('SELECT command denied for table `performance_schema`.`hosts`')
  })

  test('reports a wrong login as an auth error without the user name', async () => {
    const url = mariadb.url().replace(/\/\/.*@/, `//${mariadb.reader}_locked:x${MARKER}@`)
    const error = await failure(open(url, io).query({ sql: 'select 1' }, limits))
    expect(error).toMatchObject({ kind: 'auth', code: '1045' })
    expect(error.message).not.toContain('tidegate_')
  })

  test('reports a database that is missing or not granted', async () => {
    const owner = await failure(open(`${mariadb.url()}_not`, io).query({ sql: 'select 1' }, limits))
    expect(owner).toMatchObject({ kind: 'config', code: '1049' })
    const url = `${mariadb.url(mariadb.reader)}_not`
    const reader = await failure(open(url, io).query({ sql: 'select 1' }, limits))
    expect(reader).toMatchObject({ kind: 'auth', code: '1044' })
  })

  const endless = 'select count(*) from users a, users b, users c, users d, users e, users f'

  test('has the database stop a query at the time limit', async () => {
    expect(await failure(query(endless, { timeoutMs: 300 }))).toMatchObject({
      kind: 'timeout',
      code: '1969',
      message: 'The query was stopped after 0.3 seconds.',
    })
    await expect.poll(running, { timeout: 2_000 }).toBe(0)
  })

  test('does not wait long for a lock', async () => {
    const { host, port, database } = mariadb
    const holder = await createConnection({ host, port, user: 'root', database })
    await holder.query('lock tables secrets write')
    expect(await failure(query('select * from secrets'))).toMatchObject({
      kind: 'timeout',
      code: '1205',
    })
    await holder.end()
  })

  test('stops a query in the database when the caller aborts', async () => {
    const caller = new AbortController()
    const work = failure(query(endless, { signal: caller.signal }))
    await expect.poll(running).toBe(1)
    caller.abort()
    expect(await work).toMatchObject({
      kind: 'timeout',
      message: 'The query was cancelled by the client.',
    })
    await expect.poll(sessions, { timeout: 5_000 }).toEqual([])
  })

  test('runs a statement concurrently in one session with different values', async () => {
    const sql = 'select email from users where id = ?'
    for (let round = 0; round < 20; round++) {
      const call = new Sessions()
      const ask = (id: number) =>
        database.query({ sql, params: [id], internal: true }, { ...limits, sessions: call })
      const answers = await Promise.all([1, 2, 3, 4].map(ask))
      expect(answers.map(({ rows }) => rows)).toEqual([1, 2, 3, 4].map((id) => [[`user${id}`]]))
      await call.end()
    }
  })

  test('closes its connections if KILL QUERY is lost', async () => {
    const server = await startTcp((socket) =>
      passOn(socket, mariadb.port, (it) => (it.includes('kill query') ? Buffer.alloc(0) : it)),
    )
    const url = mariadb.url(mariadb.reader).replace(/:\d+\//, `:${server.port}/`)
    const caller = new AbortController()
    const work = open(url, io).query({ sql: endless }, { ...limits, signal: caller.signal })
    await expect.poll(running).toBe(1)
    caller.abort()
    expect(await failure(work)).toMatchObject({ kind: 'timeout' })
    await expect.poll(() => server.open).toBe(0)
    await server.close()
  })

  test('does not run a query for a caller that has already aborted', async () => {
    const work = query('select 1', { signal: AbortSignal.abort() })
    expect(await failure(work)).toMatchObject({ kind: 'timeout' })
  })

  describe('with a failing server', () => {
    const servers: TcpServer[] = []
    afterAll(() => Promise.all(servers.map((it) => it.close())))

    /** Opens a database on a server that handles every connection like this. */
    const behind = async (serve: (socket: Socket) => void) => {
      const server = await startTcp(serve)
      servers.push(server)
      const { reader: user, database } = mariadb
      return open(`mysql://${user}:${MARKER}@127.0.0.1:${server.port}/${database}`, io)
    }
    const ask = async (serve: (socket: Socket) => void, more: Partial<QueryContext> = {}) =>
      failure((await behind(serve)).query({ sql: 'select 1' }, { ...limits, ...more }))

    test('reports a refused connection', async () => {
      const url = `mysql://app:${MARKER}@127.0.0.1:9/shop`
      expect(await failure(open(url, io).query({ sql: 'select 1' }, limits))).toMatchObject({
        kind: 'network',
        message: 'The database cannot be reached. Try again later.',
      })
    })

    test.each<[string, (socket: Socket) => void]>([
      ['hangs up', (socket) => void socket.destroy()],
      ['speaks another protocol', (socket) => void socket.end(`HTTP/1.1 400 ${MARKER}\r\n\r\n`)],
      ['sends only zeros', (socket) => void socket.end(Buffer.alloc(64))],
    ])('reports a server that %s', async (_, serve) => {
      const error = await ask(serve, { timeoutMs: 2_000 })
      expect(error.kind).toBe('network')
    })

    test('stops waiting for a silent server', async () => {
      expect((await ask(() => {}, { timeoutMs: 100 })).kind).toMatch(/timeout|network/)
    })

    test('reports a connection that breaks during a query', async () => {
      const { host, port, reader, database: name } = mariadb
      const relay = await startTcp((socket) => {
        const server = connect(port, host)
        socket.pipe(server)
        server.on('error', () => {}).pipe(socket)
        server.on('data', (chunk: Buffer) => {
          // The answer to the prepare command contains the column name.
          if (chunk.includes('cut_here')) socket.destroy()
        })
      })
      servers.push(relay)
      const url = `mysql://${reader}@127.0.0.1:${relay.port}/${name}`
      const work = open(url, io).query({ sql: 'select 1 as cut_here' }, limits)
      expect(await failure(work)).toMatchObject({ kind: 'network' })
    })

    test('refuses an unencrypted connection if the URL requires TLS', async () => {
      const url = `${mariadb.url()}?ssl-mode=REQUIRED`
      expect(await failure(open(url, io).query({ sql: 'select 1' }, limits))).toMatchObject({
        kind: 'config',
        message: 'The database does not support TLS.',
      })
    })
  })
})

describe('a statement with an added limit', () => {
  test.each([
    ['select 1', 'select 1\nlimit 11'],
    ['select 1 -- x', 'select 1 -- x\nlimit 11'],
    ['explain format = json select 1', 'explain format = json select 1\nlimit 11'],
    [
      'with a as (select 1 limit 1) select * from a',
      'with a as (select 1 limit 1) select * from a\nlimit 11',
    ],
  ])('ends with the limit: %s', (sql, ended) => {
    expect(limited({ sql }, 11)).toBe(ended)
  })

  test.each([
    'select 1 limit 5',
    'select 1 LIMIT 5',
    'select 1 for update',
    'select 1 lock in share mode',
    "select 1 into outfile 'x'",
    'select * from t for system_time all',
    'select * from t fetch first row only',
    'select * from t procedure analyse()',
    'show tables',
    'describe users',
    'explain users',
    'table users',
    'values (1)',
    '(select 1)',
    'select 1; select 2',
    "select 'unfinished",
    'select (1',
    'select 1)',
  ])('is unchanged if no limit can be added: %s', (sql) => {
    expect(limited({ sql }, 11)).toBe(sql)
  })
})

describe('a MySQL session', () => {
  const mode = ['sql_mode', 'STRICT_TRANS_TABLES'] as const
  test.each([
    [[['tx_read_only', 'ON'], mode]],
    [[['transaction_read_only', 'ON'], mode]],
    [[['transaction_read_only', 'ON'], ['tx_read_only', 'ON'], mode]],
    [[['tx_read_only', 'ON'], ['in_transaction', '0'], mode]],
  ] as const)('is accepted when it reports %j', (variables) => {
    expect(() => check(variables)).not.toThrow()
  })

  test.each([
    [[]],
    [[mode]],
    [[['tx_read_only', 'ON']]],
    [[['tx_read_only', 'OFF'], mode]],
    [[['tx_read_only', 'ON'], ['in_transaction', '1'], mode]],
    [[['transaction_read_only', 'ON'], ['tx_read_only', 'OFF'], mode]],
    [
      [
        ['tx_read_only', 'ON'],
        ['sql_mode', 'ANSI_QUOTES,STRICT_TRANS_TABLES'],
      ],
    ],
    [
      [
        ['tx_read_only', 'ON'],
        ['sql_mode', 'NO_BACKSLASH_ESCAPES'],
      ],
    ],
  ] as const)('is rejected when it reports %j', (variables) => {
    expect(() => check(variables)).toThrow('did not begin a read-only session')
  })
})

describe('a MySQL URL', () => {
  test.each([
    ['mysql://db.example.com/secret', 'A MySQL URL needs a user, a host and a database'],
    ['mysql://app:secret@db.example.com', 'A MySQL URL needs a user, a host and a database'],
    ['mariadb://app:secret@db.example.com/x?ssl-mode=maybe', 'The ssl-mode'],
    ['mysql://app:secret%@db.example.com/x', 'a % that does not begin a percent-encoding'],
  ])('that is invalid is not repeated in the error: %s', async (url, sentence) => {
    const error = await failure(() => open(url, io))
    expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining(sentence) })
    expect(error.message).not.toContain('secret')
  })
})
