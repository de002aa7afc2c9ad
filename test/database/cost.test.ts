import { describe, expect, test } from 'vitest'
import { type Io, locate } from '../../src/database/index.ts'
import { gateway, readEndpoints } from '../../src/gateway/index.ts'
import { startCounting } from '../servers/counting.ts'
import { startPlanetScale } from '../servers/planetscale.ts'
import { endpointBefore, resultOf, structureOf } from '../support/endpoint.ts'
import { describeMariaDb } from '../support/mariadb.ts'
import { describePostgres, type TestPostgres } from '../support/postgres.ts'

const POSTGRES = `
  create table orders (id integer primary key, customer integer, paid integer);
  insert into orders select n, n % 1000, n from generate_series(1, 20000) n;
  create function slow() returns integer immutable language plpgsql
    as 'begin perform pg_sleep(60); return 1; end';
  analyze;
`

interface Way {
  readonly way: string
  url(it: TestPostgres): string
  io?(it: TestPostgres): Io
}

const ways: readonly Way[] = [
  { way: 'TCP', url: ({ tcp, reader }) => tcp(reader) },
  { way: 'Neon', url: ({ url, reader }) => url(reader) },
  {
    way: 'Supabase',
    url: ({ supabase }) => supabase.url('postgres'),
    io: ({ supabase }) => supabase.io,
  },
]

/** What a query that is estimated, or is not, costs on its way to a server at this port. */
async function countQuery(port: number, url: (port: number) => string, cost: object | undefined) {
  const counting = await startCounting(port)
  const settled = async () => {
    while (counting.open > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  try {
    const server = endpointBefore(url(counting.port), { caps: { cost } })
    // Behind the first call, the role is inspected.
    await structureOf(server, 'query', { sql: 'select 1' })
    await settled()
    const before = counting.counts
    await structureOf(server, 'query', { sql: 'select id from orders where id = 7' })
    await settled()
    const { trips, turns } = counting.counts
    return { trips: trips - before.trips, turns: turns - before.turns }
  } finally {
    await counting.close()
  }
}

/** What the model reads of a call that is refused. */
async function refusal(server: Parameters<typeof resultOf>[0], tool: string, args: object) {
  const { isError, content } = await resultOf(server, tool, args)
  return isError ? (content[0].text as string) : undefined
}

await describePostgres('PostgreSQL', POSTGRES, (postgres) => {
  describe.each(ways)('over $way', ({ url, io }) => {
    const endpoint = (more: object) =>
      endpointBefore(url(postgres), more, { fetch: io?.(postgres).fetch ?? fetch })
    const unlimited = () => endpoint({})
    const limited = (cost: object, more = {}) => endpoint({ caps: { cost }, ...more })

    test('runs a statement up to its limit, and refuses a dearer one', async () => {
      const server = limited({ plan: 100 })
      const few = await structureOf(server, 'query', { sql: 'select id from orders where id = 7' })
      expect(few.rows).toEqual([[7]])
      const said = await refusal(server, 'query', { sql: 'select count(*) from orders' })
      expect(said).toMatch(
        /^This query is estimated at cost \d{3} \(about 1 row\); the limit here is 100\. Filter on an indexed column/,
      )
      expect(said).toContain('explain_query shows the plan.')
    })

    test('counts what it refuses as refused', async () => {
      const database = await locate(url(postgres), io?.(postgres) ?? { fetch, bindings: {} }).open()
      const limits = { maxRows: 1, maxBytes: 10_000, timeoutMs: 10_000, cost: { plan: 1 } }
      const sql = 'select count(*) from orders'
      await expect(database.query({ sql }, limits)).rejects.toMatchObject({ kind: 'refused' })
    })

    test('refuses what is estimated at more than a double holds exactly', async () => {
      const sql = `select 1 from ${Array.from({ length: 7 }, (_, i) => `(select from orders limit 19997) o${i}`)}`
      for (const cost of [{ plan: 100 }, { rows: 100 }]) {
        expect(await refusal(limited(cost), 'query', { sql })).toMatch(
          /^This query is estimated at .*\d\.\de\+\d\d.*; the limit here is 100/,
        )
      }
      const { estimatedRows } = await structureOf(limited({ plan: 1 }), 'explain_query', { sql })
      expect(estimatedRows).toBeGreaterThan(1e30)
    })

    test('says that a plan is too long to be read', async () => {
      const depth = 240
      const sql = `select ${'(select '.repeat(depth)}1${')'.repeat(depth)}`
      expect(await refusal(limited({ plan: 100 }), 'query', { sql })).toMatch(
        /the plan for this one is longer than 1 MiB, so the query was not run\. Read fewer tables/,
      )
    })

    test('limits the rows that are returned', async () => {
      const server = limited({ rows: 1_000 })
      expect(await refusal(server, 'query', { sql: 'select * from orders' })).toMatch(
        /^This query is estimated at about 20,000 rows; the limit here is 1,000 rows\./,
      )
      const args = { sql: 'select id from orders order by id limit $1', params: [2] }
      expect((await structureOf(server, 'query', args)).rows).toEqual([[1], [2]])
    })

    test('estimates what runs: with its parameters, and the same figures as its plan', async () => {
      const args = { sql: 'select * from orders where id <= $1 -- few', params: [19_999] }
      const { estimatedCost, limits, summary } = await structureOf(
        limited({ plan: 1 }),
        'explain_query',
        args,
      )
      expect(limits).toEqual({ cost: 1 })
      expect(summary[0]).toContain(`cost ${estimatedCost}`)
      const said = await refusal(limited({ plan: 1 }), 'query', args)
      expect(said).toContain(`cost ${Math.ceil(estimatedCost)} `)
      expect(await refusal(limited({ plan: Math.ceil(estimatedCost) }), 'query', args)).toBe(
        undefined,
      )
    })

    test('tells where a wrong statement is wrong, as without a limit', async () => {
      const args = { sql: 'select id,\n  custmer from orders where id > $1', params: [1] }
      const said = await refusal(limited({ plan: 100 }), 'query', args)
      expect(said).toContain('column "custmer" does not exist')
      expect(said).toBe(await refusal(unlimited(), 'query', args))
    })

    test('estimates nothing of what has no plan, and of what is asked about the catalog', async () => {
      const server = limited({ plan: 1 })
      expect((await structureOf(server, 'query', { sql: 'show server_version' })).rowCount).toBe(1)
      expect((await structureOf(server, 'describe_table', { table: 'orders' })).name).toBe('orders')
    })

    test('stops a plan that takes too long', async () => {
      const server = endpoint({ caps: { timeoutMs: 500, cost: { plan: 100 } } })
      expect(await refusal(server, 'query', { sql: 'select slow()' })).toMatch(
        /^The query was stopped after 0\.5 seconds\./,
      )
    })

    test('holds for query_table and for tools of the operator', async () => {
      const sum = {
        name: 'total',
        description: 'The sum of all orders.',
        sql: 'select sum(paid) from orders',
        params: [],
      }
      const server = limited({ plan: 100 }, { tools: ['query_table', sum] })
      const said = await refusal(server, 'query_table', {
        table: 'orders',
        aggregates: ['sum(paid)'],
      })
      expect(said).toMatch(/^This query is estimated at cost/)
      expect(said).not.toContain('explain_query')
      expect(await refusal(server, 'total', {})).toMatch(/^This query is estimated at cost/)
      expect(await refusal(server, 'query_table', { table: 'orders', limit: 3 })).toBe(undefined)
    })
  })

  test('tells a group of it that sees only some tables', async () => {
    const { reader, tcp } = postgres
    const one = { name: 'main', title: 'Main', databases: { main: { url: 'secret:MAIN' } } }
    const ENDPOINTS = JSON.stringify([{ ...one, caps: { cost: { plan: 100 } } }])
    const io = { fetch, bindings: { MAIN: tcp(reader) } }
    const rules = { databases: { main: { tables: { orders: ['paid'] } } } }
    const server = gateway(readEndpoints({ ENDPOINTS })[0]!, io, { rules })
    const args = { table: 'orders', aggregates: ['sum(paid)'] }
    expect(await refusal(server, 'query_table', args)).toMatch(/^This query is estimated at cost/)
  })

  test('takes one turn more over TCP, by the same connection', async () => {
    const { config, reader, tcp } = postgres
    const count = (cost?: object) => countQuery(config.port!, (port) => tcp(reader, port), cost)
    const free = await count()
    expect(await count({ plan: 100 })).toEqual({ trips: 1, turns: free.turns + 1 })
  })
})

const MARIADB = (reader: string) => `
  create table customers (id integer primary key, name varchar(20));
  insert into customers select seq, concat('c', seq) from seq_1_to_100;
  create table orders (id integer primary key, customer integer, paid integer);
  insert into orders select seq, seq % 100, seq from seq_1_to_20000;
  analyze table customers, orders;
  create function opens() returns integer deterministic
    begin
      if @opened is null then set @opened = 1; set session transaction read write; end if;
      return 1;
    end;
  create view few as select * from customers where id < 3;
  grant execute on *.* to '${reader}'@'%';
`

await describeMariaDb('MariaDB', MARIADB, (mariadb) => {
  const limited = (cost: object, more = {}) =>
    endpointBefore(mariadb.url(mariadb.reader), { caps: { cost }, ...more })

  test('limits the rows that a statement goes through', async () => {
    const server = limited({ rows: 10_000 })
    const args = { sql: 'select id from orders where id = $1', params: [7] }
    expect((await structureOf(server, 'query', args)).rows).toEqual([[7]])
    expect(await refusal(server, 'query', { sql: 'select count(*) from orders' })).toMatch(
      /^This query is estimated at about (?:19|20),\d{3} rows; the limit here is 10,000 rows\. Filter on an indexed column, or join fewer tables\./,
    )
  })

  test('tells why a view has no plan', async () => {
    const said = await refusal(limited({ rows: 10 }), 'query', { sql: 'select * from few' })
    expect(said).toContain('The operator can grant SHOW VIEW on the view')
  })

  test('multiplies the rows of a join, and of a subquery that runs for each row', async () => {
    const server = limited({ rows: 1_000_000 })
    const sums = [
      'select count(*) from customers c join orders o on o.paid > c.id',
      'select (select max(paid) from orders o where o.customer > c.id) from customers c',
    ]
    for (const sql of sums) {
      const said = await refusal(server, 'query', { sql })
      expect(Number(/about ([\d,]+) rows/.exec(said!)![1]!.replaceAll(',', ''))).toBeGreaterThan(
        1_900_000,
      )
    }
    const apart = 'select (select max(paid) from orders) from customers'
    expect(await refusal(server, 'query', { sql: apart })).toBe(undefined)
  })

  test('takes what reads nothing and what has no plan', async () => {
    const server = limited({ plan: 1, rows: 1 })
    for (const sql of [
      'select 1',
      'show tables',
      'describe orders',
      'explain select * from orders',
    ]) {
      expect(await refusal(server, 'query', { sql })).toBe(undefined)
    }
  })

  test('explains with the same figures', async () => {
    const args = { sql: 'select * from orders where paid > $1', params: [3] }
    const { estimatedRows, limits, summary } = await structureOf(
      limited({ rows: 7 }),
      'explain_query',
      args,
    )
    expect(limits).toEqual({ rows: 7 })
    expect(summary[0]).toContain(`${estimatedRows} rows`)
    expect(await refusal(limited({ rows: 7 }), 'query', args)).toContain(
      `about ${estimatedRows.toLocaleString('en')} rows`,
    )
  })

  test('runs nothing of which it knows no figure that is limited', async () => {
    const said = await refusal(limited({ plan: 1_000_000 }), 'query', {
      sql: 'select id from orders where paid = 7',
    })
    // MariaDB tells a cost from version 11 on.
    if (Number.parseInt(mariadb.version, 10) >= 11) expect(said).toBe(undefined)
    else expect(said).toContain('did not estimate the cost of this one, so it was not run')
  })

  test('only reads, also if a function that lets the session write runs for the plan', async () => {
    const sql = 'select @opened, @@tx_read_only from orders where id = opens()'
    const { rows } = await structureOf(limited({ rows: 100 }), 'query', { sql })
    expect(rows).toEqual([[1, 1]])
  })

  test('is asked within the session of PlanetScale, which takes one request more', async () => {
    const server = await startPlanetScale(mariadb)
    try {
      const url = server.url(mariadb.reader)
      const ask = async (cost: object | undefined, sql: string) => {
        const before = server.queries.length
        const said = await refusal(endpointBefore(url, { caps: { cost } }), 'query', { sql })
        return { said, queries: server.queries.slice(before) }
      }
      const sql = 'select customer from orders where id = 7'
      const free = await ask(undefined, sql)
      const cheap = await ask({ rows: 100 }, sql)
      expect(cheap.said).toBe(undefined)
      expect(cheap.queries.length).toBe(free.queries.length + 1)
      const at = cheap.queries.findIndex((it) => it.startsWith('explain format=json select'))
      expect(cheap.queries[at - 1]).toBe('start transaction read only')
      const dear = await ask({ rows: 100 }, 'select sum(paid) from orders')
      expect(dear.said).toContain('the limit here is 100 rows')
      expect(dear.queries.filter((it) => it.startsWith('select sum'))).toEqual([])
      expect(dear.queries.at(-1)).toBe('rollback')
    } finally {
      await server.close()
    }
  })

  test('takes one turn more, by the same connection', async () => {
    const url = (port: number) => mariadb.url(mariadb.reader).replace(/:\d+\//, `:${port}/`)
    const count = (cost?: object) => countQuery(mariadb.port, url, cost)
    const free = await count()
    expect(await count({ rows: 100 })).toEqual({ trips: 1, turns: free.turns + 1 })
  })
})

describe('ClickHouse', () => {
  /** Answers for ClickHouse, with this estimate. */
  const clickhouse = (cost: object, estimate: string) => {
    const asked: string[] = []
    const answers: typeof fetch = async (_, init) => {
      const sql = String(init?.body)
      asked.push(sql)
      if (!sql.startsWith('explain estimate ')) return new Response('n\nUInt8\n1\n')
      const isError = estimate.startsWith('Code:')
      return new Response(estimate, { status: isError ? 400 : 200 })
    }
    const io = { fetch: answers }
    return { server: endpointBefore('clickhouse://reader@db/shop', { caps: { cost } }, io), asked }
  }
  const HEAD = 'database\ttable\tparts\trows\tmarks\nString\tString\tUInt64\tUInt64\tUInt64\n'
  const sql = 'select 1 as n'

  test('limits the rows that all tables of the statement are read for', async () => {
    const estimate = `${HEAD}shop\torders\t3\t700000\t90\nshop\titems\t1\t400000\t50\n`
    const { server, asked } = clickhouse({ rows: 1_000_000 }, estimate)
    expect(await refusal(server, 'query', { sql })).toBe(
      'This query is estimated at about 1,100,000 rows; the limit here is 1,000,000 rows. Filter on columns in the primary key or the partition key, or join fewer tables.\nexplain_query shows the plan.',
    )
    expect(asked).toEqual([`explain estimate ${sql}`])
    const roomy = clickhouse({ rows: 2_000_000 }, estimate)
    expect(await refusal(roomy.server, 'query', { sql })).toBe(undefined)
    expect(roomy.asked).toEqual([`explain estimate ${sql}`, sql])
  })

  test('reads nothing of which it estimates nothing', async () => {
    expect(await refusal(clickhouse({ rows: 1 }, HEAD).server, 'query', { sql })).toBe(undefined)
  })

  test('runs nothing in a version that gives no estimates', async () => {
    const said = `Code: 62, e.displayText() = DB::Exception: Syntax error: failed at position 9: estimate ${sql}. Expected one of: SELECT (version 21.8.1.1)`
    const { server, asked } = clickhouse({ rows: 1_000_000 }, said)
    expect(await refusal(server, 'query', { sql })).toContain(
      'this version of the database does not provide estimates',
    )
    expect(asked).toEqual([`explain estimate ${sql}`])
  })

  test('shows the estimate beside the plan, where there is one', async () => {
    const estimate = `${HEAD}shop\torders\t3\t700000\t90\n`
    const { server } = clickhouse({ rows: 1_000_000 }, estimate)
    const found = await structureOf(server, 'explain_query', { sql })
    expect(found).toMatchObject({ estimatedRows: 700_000, limits: { rows: 1_000_000 } })
  })
})
