import { describe, expect, test } from 'vitest'
import { clickhouse } from '../../src/database/clickhouse/driver.ts'
import { DatabaseError } from '../../src/database/error.ts'
import { guarded } from '../../src/database/guard/guarded.ts'
import { commentOf, withoutComment } from '../../src/database/guard/trace-comment.ts'
import { type Database, explain } from '../../src/database/index.ts'
import { mysql } from '../../src/database/mysql/tcp/tcp.ts'
import { neon } from '../../src/database/postgres/neon/neon.ts'
import { postgres } from '../../src/database/postgres/tcp/tcp.ts'
import type { QueryContext, Statement } from '../../src/database/rows.ts'
import { supabase } from '../../src/database/supabase/driver.ts'
import { describeMariaDb } from '../support/mariadb.ts'
import { describePostgres } from '../support/postgres.ts'

const trace = {
  endpoint: 'shop',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
}
const comment =
  "/*endpoint='shop',traceparent='00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'*/"
const limits: QueryContext = { maxRows: 3, maxBytes: 10_000, timeoutMs: 10_000 }
const traced: QueryContext = { ...limits, trace }

/** Statements that work, and that fail in the middle and at their ends. */
const statements: readonly Statement[] = [
  { sql: 'select id from users order by id' },
  { sql: 'select id from users where id = $1 -- the end', params: [7] },
  { sql: 'select id from users; -- the end' },
  { sql: 'select id from users /* the end */ ;' },
  { sql: 'with a as (select 1 as n) select n from a union all select 2 order by 1 limit 1' },
  { sql: 'select * from' },
  { sql: 'select (1' },
  { sql: 'select 1 frm users' },
  { sql: "select 'é', 1 frm users -- the end" },
  { sql: `select 1 frm users where ${'x'.repeat(60)}` },
  { sql: 'select\n nothing\nfrom users' },
  { sql: 'select id from users where id = $1 and\n', params: [1] },
  { sql: 'select 1 /*endpoint of mine*/ frm users' },
]

/** What a statement returns, or how it fails. */
const told = (work: Promise<unknown>) =>
  work.then(
    (it) => ({ ...(it as object), elapsedMs: 0 }),
    ({ kind, message, code, hint, position }: DatabaseError) => {
      return { kind, message, code, hint, position }
    },
  )

/** Asks with a comment and without. Both have to be the same. */
function sameWithComment(name: string, open: () => Database) {
  test.each(statements)(`${name} answers $sql as it does without a comment`, async (statement) => {
    const database = open()
    const plain = await told(database.query(statement, limits))
    expect(await told(database.query(statement, traced))).toEqual(plain)
    const plan = await told(explain(database, statement, limits))
    const same = await told(explain(database, statement, traced))
    // Costs and times are not always the same.
    expect(Object.keys(same)).toEqual(Object.keys(plan))
    if ('message' in plan) expect(same).toEqual(plan)
  })
}

const setup = `create table users (id integer, email varchar(80));
  insert into users values (1, 'a'), (2, 'b'), (7, 'c'), (8, 'd');`

await describePostgres('PostgreSQL', setup, (server) => {
  const io = { fetch, bindings: {} }
  sameWithComment('over TCP', () => guarded(postgres.open(new URL(server.tcp()), io)))
  sameWithComment('at Neon', () => guarded(neon.open(new URL(server.url()), io)))
  sameWithComment('at Supabase', () =>
    guarded(supabase.open(new URL(server.supabase.url(server.reader)), io)),
  )

  test('is told for which call a statement runs', async () => {
    const bodies: string[] = []
    const send: typeof fetch = (to, init) => {
      bodies.push(String(init?.body))
      return fetch(to, init)
    }
    const database = guarded(neon.open(new URL(server.url()), { fetch: send, bindings: {} }))
    await database.query({ sql: 'select id from users -- the end' }, traced)
    expect(bodies.join()).toContain(`select id from users ${comment}`)
  })
})

await describeMariaDb('MariaDB', setup, (server) => {
  const io = { fetch, bindings: {} }
  const open = () => guarded(mysql.open(new URL(server.url()), io))
  sameWithComment('over TCP', open)

  test('is told for which call a statement runs', async () => {
    const sql = 'select info from information_schema.processlist where id = connection_id()'
    const { rows } = await open().query({ sql }, traced)
    expect(String(rows[0]![0])).toContain(`${sql} ${comment}`)
  })
})

test('ClickHouse is told in a setting and a header, and the statement stays as it is', async () => {
  const asked: [URL, Headers, string][] = []
  const send = (async (to: string, init: RequestInit) => {
    asked.push([new URL(to), new Headers(init.headers), String(init.body)])
    return new Response('"n"\n"UInt8"\n1\n', { headers: { 'content-type': 'text/plain' } })
  }) as typeof fetch
  const database = guarded(
    clickhouse.open(new URL('clickhouse://u:p@127.0.0.1'), { fetch: send, bindings: {} }),
  )
  await database.query({ sql: 'select 1 as n' }, traced).catch(() => {})
  const [to, headers, body] = asked[0]!
  expect(JSON.parse(to.searchParams.get('log_comment')!)).toEqual(trace)
  expect(headers.get('traceparent')).toBe(trace.traceparent)
  expect(body).toBe('select 1 as n')
  asked.length = 0
  await database.query({ sql: 'select 1 as n' }, limits).catch(() => {})
  expect(asked[0]![0].searchParams.has('log_comment')).toBe(false)
  expect(asked[0]![1].has('traceparent')).toBe(false)
})

describe('a comment', () => {
  test('holds nothing that could end it', () => {
    for (const endpoint of ['*/ drop table t --', "a'b", 'A', '', 'a\n']) {
      expect(commentOf({ ...trace, endpoint })).toBe('')
    }
    expect(commentOf({ ...trace, traceparent: '*/' })).toBe('')
    expect(commentOf(trace)).toBe(` ${comment}`)
  })

  test('is cut from a message, as much of it as is quoted', () => {
    const of = (message: string) =>
      withoutComment(new DatabaseError('sql', message), ` ${comment}`, '').message
    expect(of(`near 'frm t ${comment}' at line 1`)).toBe("near 'frm t' at line 1")
    expect(of(`near 'frm t ${comment.slice(0, 40)}...' at line 1`)).toBe("near 'frm t' at line 1")
    expect(of(`near 't ${comment.slice(0, 9)}`)).toBe("near 't")
    expect(of(`near 't ${comment.slice(0, 3)}...'`)).toBe("near 't'")
    expect(of("near '/*endless*/'")).toBe("near '/*endless*/'")
    expect(of('nothing')).toBe('nothing')
  })
})
