import { createClient as createClickHouse } from '@clickhouse/client-web'
import { createClient as createLibsql } from '@libsql/client/http'
import { neon, neonConfig } from '@neondatabase/serverless'
import { connect } from '@planetscale/database'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { startD1 } from '../servers/d1.ts'
import { startHrana } from '../servers/hrana.ts'
import { startPlanetScale } from '../servers/planetscale.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { describeClickHouse, type TestClickHouse } from '../support/clickhouse.ts'
import { describeMariaDb } from '../support/mariadb.ts'
import { describePostgres } from '../support/postgres.ts'

// What our drivers are tried against must be what vendors' own clients take for the original. Each is
// asked for the same as our driver: values, parameters, errors, transactions.

const setup = `
  create table users (id integer primary key, email varchar(80));
  insert into users values (1, 'ada@example.com'), (2, null);
`

await describePostgres("Neon's own client, at our server of its protocol", setup, (postgres) => {
  const { host, pathname } = new URL(postgres.url())
  const sql = neon(`postgres://postgres:x@${host}${pathname}`, { fullResults: true })
  neonConfig.fetchEndpoint = () => `http://${host}/sql`

  test('reads rows by name, and types by number', async () => {
    const { rows, fields, command } = await sql`select id, email from users order by id`
    expect(rows).toEqual([
      { id: 1, email: 'ada@example.com' },
      { id: 2, email: null },
    ])
    expect(fields.map(({ name, dataTypeID }) => [name, dataTypeID])).toEqual([
      ['id', 23],
      ['email', 1043],
    ])
    expect(command).toBe('SELECT')
  })

  test('sends values apart from the statement', async () => {
    const values = [7, 'it\'s "x"', true, null, 1.5]
    const { rows } = await sql.query(
      'select $1::int, $2::text, $3::bool, $4::text, $5::float8',
      values,
      { arrayMode: true },
    )
    expect(rows).toEqual([values])
    const lists = await sql`select ${[1, 2]}::int[] as it, ${{ a: [1] }}::jsonb as doc`
    expect(lists.rows).toEqual([{ it: [1, 2], doc: { a: [1] } }])
  })

  test('reads the values of types that it knows', async () => {
    const { rows } = await sql`
      select 9007199254740993::int8 as big, '{1,NULL}'::int4[] as list, '\\x00ff'::bytea as bytes,
        'NaN'::numeric as nan`
    expect(rows[0]).toMatchObject({ big: '9007199254740993', list: [1, null], nan: 'NaN' })
    expect(Buffer.from(rows[0]!.bytes as Uint8Array)).toEqual(Buffer.from([0, 255]))
  })

  test('is told what is wrong, and where', async () => {
    await expect(sql`select nope from users`).rejects.toMatchObject({
      name: 'NeonDbError',
      code: '42703',
      position: '8',
      severity: 'ERROR',
    })
    await expect(sql`select emial from users`).rejects.toMatchObject({
      hint: expect.stringContaining('users.email'),
    })
    const two = sql.query('select 1; select 2')
    await expect(two).rejects.toMatchObject({ code: '42601' })
  })

  test('runs several in one transaction, which it can make read-only', async () => {
    const made = await sql.transaction([
      sql`create table made (id integer)`,
      sql`insert into made values (1), (2)`,
      sql`select count(*)::int as n from made`,
    ])
    expect(made[2]!.rows).toEqual([{ n: 2 }])
    const wrong = sql.transaction([sql`delete from made`, sql`select 1 / 0`])
    await expect(wrong).rejects.toMatchObject({ code: '22012' })
    const refused = sql.transaction([sql`delete from made`], { readOnly: true })
    await expect(refused).rejects.toMatchObject({ code: '25006' })
    expect((await sql`select count(*)::int as n from made`).rows).toEqual([{ n: 2 }])
  })
})

await describeMariaDb(
  "PlanetScale's own client, at our server of its protocol",
  setup,
  (mariadb) => {
    const start = startPlanetScale(mariadb)
    afterAll(async () => (await start).close())
    const open = async (username = mariadb.owner) => {
      const { host } = new URL((await start).url('x'))
      return connect({
        ...{ host, username, password: '' },
        // It speaks HTTPS alone.
        fetch: (url, init) => fetch(url.replace('https:', 'http:'), init),
      })
    }

    test('reads rows by name, or in order', async () => {
      const connection = await open()
      const sql = 'select id, email from users order by id'
      const { rows, headers, types } = await connection.execute(sql)
      expect(rows).toEqual([
        { id: 1, email: 'ada@example.com' },
        { id: 2, email: null },
      ])
      expect([headers, types]).toEqual([['id', 'email'], { id: 'INT32', email: 'VARCHAR' }])
      const { rows: arrays } = await connection.execute(sql, null, { as: 'array' })
      expect(arrays[0]).toEqual([1, 'ada@example.com'])
    })

    test('reads the values of types that it knows', async () => {
      const { rows } = await (await open()).execute(
        `select 18446744073709551615 as big, 1.50 as price, x'00ff' as bytes, 0.1e0 as part,
        cast('2026-01-02 03:04:05.6' as datetime(1)) as at, 'ž🐘' as letters, null as none`,
      )
      expect(rows).toEqual([
        {
          big: '18446744073709551615',
          price: '1.50',
          bytes: new Uint8Array([0, 255]),
          part: 0.1,
          at: '2026-01-02 03:04:05.6',
          letters: 'ž🐘',
          none: null,
        },
      ])
    })

    test('writes values into the statement', async () => {
      const values = ['it\'s \\ "x"', 7]
      const { rows } = await (await open()).execute('select ? as a, ? as b', values)
      expect(rows).toEqual([{ a: values[0], b: 7 }])
    })

    test('is told what is wrong, and who may not come in', async () => {
      await expect((await open()).execute('select nope from users')).rejects.toMatchObject({
        name: 'DatabaseError',
        message: expect.stringMatching(/Unknown column 'nope'.*\(errno 1054\) \(sqlstate 42S22\)/s),
        body: { code: 'UNKNOWN' },
      })
      await expect((await open('nobody')).execute('select 1')).rejects.toMatchObject({
        status: 401,
      })
    })

    test('runs several in one transaction, which it can roll back', async () => {
      const connection = await open()
      const added = await connection.transaction(async (transaction) => {
        const { rowsAffected } = await transaction.execute("insert into users values (3, 'x')")
        const { rows } = await transaction.execute('select count(*) as n from users')
        return [rowsAffected, rows]
      })
      expect(added).toEqual([1, [{ n: '3' }]])
      const undone = connection.transaction(async (transaction) => {
        await transaction.execute('delete from users')
        await transaction.execute('select nope')
      })
      await expect(undone).rejects.toThrow('nope')
      expect((await connection.execute('select count(*) as n from users')).rows).toEqual([
        { n: '3' },
      ])
    })
  },
)

describe("libSQL's own client, at our server of its protocol", async () => {
  const server = await startHrana([setup])
  afterAll(() => server.close())
  const open = (authToken = TOKEN) =>
    createLibsql({ url: `http://127.0.0.1:${server.port}`, authToken, intMode: 'bigint' })

  test('reads rows by name and in order, with the types that were declared', async () => {
    const { columns, columnTypes, rows } = await open().execute('select * from users order by id')
    expect([columns, columnTypes]).toEqual([
      ['id', 'email'],
      ['INTEGER', 'varchar(80)'],
    ])
    expect(rows.map((row) => [row.id, row[1]])).toEqual([
      [1n, 'ada@example.com'],
      [2n, null],
    ])
  })

  test('sends values by position and by name, and reads them', async () => {
    const values = [9223372036854775807n, 1.5, 'ž🐘', null, new Uint8Array([0, 255])]
    const { rows } = await open().execute({ sql: 'select ?, ?, ?, ?, ?', args: values })
    const [big, real, text, none, bytes] = Array.from(rows[0]!)
    expect([big, real, text, none]).toEqual(values.slice(0, 4))
    expect(new Uint8Array(bytes as ArrayBuffer)).toEqual(new Uint8Array([0, 255]))
    const named = await open().execute({
      sql: 'select :a as it, $b as other',
      args: { a: 1, b: 'x' },
    })
    expect(named.rows[0]).toMatchObject({ it: 1, other: 'x' })
  })

  test('is told what is wrong, and that its token is', async () => {
    await expect(open().execute('select nope from users')).rejects.toMatchObject({
      name: 'LibsqlError',
      message: expect.stringContaining('no such column: nope'),
    })
    await expect(open('wrong').execute('select 1')).rejects.toThrow(/401/)
  })

  test('runs several in one transaction, of which all or none remain', async () => {
    const client = open()
    const [, , counted] = await client.batch(
      [
        'create table made (id integer)',
        'insert into made values (1), (2)',
        'select count(*) from made',
      ],
      'write',
    )
    expect(counted!.rows[0]![0]).toBe(2n)
    const wrong = client.batch(['delete from made', 'select nope'], 'write')
    await expect(wrong).rejects.toThrow('nope')
    expect((await client.execute('select count(*) from made')).rows[0]![0]).toBe(2n)
  })
})

// Cloudflare's SDK reads D1's answers by these types, and checks none of them:
// https://developers.cloudflare.com/api/resources/d1/subresources/database/methods/raw/
const count = z.optional(z.number())
const meta = z.strictObject({
  ...{ changes: count, duration: count, last_row_id: count, size_after: count },
  ...{ rows_read: count, rows_written: count, changed_db: z.optional(z.boolean()) },
  ...{ served_by: z.optional(z.string()), served_by_colo: z.optional(z.string()) },
  served_by_primary: z.optional(z.boolean()),
  served_by_region: z.optional(z.enum(['WNAM', 'ENAM', 'WEUR', 'EEUR', 'APAC', 'OC'])),
  timings: z.optional(z.strictObject({ sql_duration_ms: count })),
})
const message = z.strictObject({ code: z.int().check(z.gte(1000)), message: z.string() })
const rows = z.array(z.array(z.union([z.number(), z.string(), z.unknown()])))
const results = z.strictObject({ columns: z.array(z.string()), rows })
const envelope = z.strictObject({
  ...{ success: z.boolean(), errors: z.array(message), messages: z.array(message) },
  result: z.array(z.strictObject({ meta, results, success: z.boolean() })),
})

describe("Cloudflare's types of D1's answers, at our server of them", async () => {
  const server = await startD1([setup])
  afterAll(() => server.close())

  test.each([
    ['select id, email from users', 200],
    ['select nope from users', 400],
  ])('are those of the answer to %s', async (sql, status) => {
    const path = '/client/v4/accounts/an-account/d1/database/a-database/raw'
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ sql, params: [] }),
    })
    expect(response.status).toBe(status)
    const { success, result, errors } = envelope.parse(await response.json())
    expect([success, result.length, errors.length]).toEqual(
      status === 200 ? [true, 1, 0] : [false, 0, 1],
    )
  })
})

const byOwnClient = (server: TestClickHouse) => {
  const { host } = new URL(server.url())
  const client = createClickHouse({
    ...{ url: `http://${host}`, username: 'default', password: '', database: 'shop' },
    ...{ keep_alive: { enabled: false } },
  })
  afterAll(() => client.close())

  test('reads rows and types as our driver does', async () => {
    const query = "select toUInt64(18446744073709551615) as big, toDecimal64('1.50', 2) as price"
    const answer = await client.query({ query, format: 'JSONCompact' })
    expect(await answer.json()).toMatchObject({
      meta: [
        { name: 'big', type: 'UInt64' },
        { name: 'price', type: 'Decimal(18, 2)' },
      ],
      data: [['18446744073709551615', 1.5]],
    })
  })

  test('is told what is wrong, by number', async () => {
    // Of so old a server it passes on the text.
    await expect(client.query({ query: 'select nope' })).rejects.toThrow(/^Code: 47, /)
  })
}
// Our front of chdb speaks what our driver needs, and not all that this client asks for.
await describeClickHouse("ClickHouse's own client, at a real server", [], byOwnClient, ['debian'])
