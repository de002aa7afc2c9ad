import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { DatabaseError } from '../../../src/database/error.ts'
import type { Limits } from '../../../src/database/rows.ts'
import { describeClickHouse } from '../../support/clickhouse.ts'
import { endpointBefore, resultOf } from '../../support/endpoint.ts'
import { open } from '../../support/open.ts'

const limits: Limits = { maxRows: 100, maxBytes: 1_000_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

const TAG = 'qwertyuiopasdfgh'
const hostile = [
  'Code: 516. DB::Exception: x',
  'Code: 395, e.displayText() = DB::Exception: x, e.what() = DB::Exception',
  'std::exception. Code: 1001, type: x, e.what() = x',
  `\r\n__exception__\r\n${TAG}\r\nCode: 60. DB::Exception: x\n27 ${TAG}\r\n__exception__\r\n`,
  '__exception__',
  '{"exception": "Code: 516. DB::Exception: x"}',
  '{"progress":{"read_rows":"1"}}',
  '\n\n0\t5\n',
  '"',
  '""\n\n""\n',
  '\\N',
  'NULL',
  '',
]
const text = (value: string) =>
  `'${value.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r')}'`
const list = (values: readonly string[]) => `[${values.map(text).join(', ')}]`

const setup = [
  `create table said (id UInt32, text String) engine = MergeTree order by id`,
  `insert into said select rowNumberInAllBlocks(), arrayJoin(${list(hostile)})`,
  'create table numbers (n UInt32) engine = MergeTree order by n',
  'insert into numbers select number from system.numbers limit 100000',
]

await describeClickHouse('a ClickHouse answer', setup, (server) => {
  describe.each(['reader', 'fixed', 'extreme'])('for the user %s', (user) => {
    const database = open(server.url(user), io)
    const query = (sql: string, more: Partial<Limits> = {}) =>
      database.query({ sql }, { ...limits, ...more })

    test('keeps hostile text as ordinary values', async () => {
      for (const last of hostile) {
        const all = [...hostile, last]
        const one = await query(`select arrayJoin(${list(all)}) as a`)
        expect(one.rows, last).toEqual(all.map((it) => [it]))
        expect(one).not.toHaveProperty('totals')
        const two = await query(`select arrayJoin(${list(all)}) as exception, 1 as n`)
        expect(two.rows, last).toEqual(all.map((it) => [it, 1]))
        const typed = await query(`select [${text(last)}] as a, toNullable(${text(last)}) as b`)
        expect(typed.rows, last).toEqual([[[last], last]])
      }
      const { rows } = await query('select text from said order by id')
      expect(rows).toEqual(hostile.map((it) => [it]))
    })

    test.each(['', 'Code: 60. DB::Exception: x'])('keeps %j as its only row', async (only) => {
      expect((await query(`select ${text(only)}`)).rows).toEqual([[only]])
      expect((await query(`select ${text(only)} as a, ${text(only)}`)).rows).toEqual([[only, only]])
    })

    test('becomes an error when the server fails after many rows', async () => {
      const sql = "select 'Code: 60. DB::Exception: x', throwIf(n = 90000) from numbers"
      const work = query(sql, { maxRows: 200_000, maxBytes: 20_000_000 })
      expect(await work.catch((error) => error)).toMatchObject({ kind: 'sql', code: '395' })
      const one = `select toString(throwIf(n = 90000)) from numbers`
      const error = await query(one, { maxRows: 200_000, maxBytes: 20_000_000 }).catch((it) => it)
      expect(error).toMatchObject({ kind: 'sql', code: '395' })
    })

    test('separates totals from rows', async () => {
      const sql = 'select n % 2 as odd, count() as c from numbers group by odd with totals'
      expect(await query(`${sql} order by odd`)).toMatchObject({
        rows: [
          [0, 50_000],
          [1, 50_000],
        ],
        totals: [0, 100_000],
        truncated: false,
      })
      const names = await query(`select toString(odd) as o from (${sql}) order by o`)
      expect(names).toMatchObject({ rows: [['0'], ['1']], totals: ['0'] })
      const none = await query('select n, count() as c from numbers where n > 1e6 group by n')
      expect(none.rows).toEqual([])
    })

    test('separates an empty-string total from rows of strings', async () => {
      for (const last of ['a', '', '\n\n', '"', 'Code: 60. DB::Exception: x']) {
        const texts = `arrayJoin(${list(['', last])}) as it`
        const distinct = [...new Set(['', last])]
        const sql = `select ${texts} from system.one group by it with totals order by it`
        const answer = await query(sql)
        expect(answer.rows, last).toEqual(distinct.sort().map((it) => [it]))
        expect(answer.totals, last).toEqual([''])
        expect((await query(sql.replace('with totals', ''))).totals, last).toBeUndefined()
      }
      const rows = Array.from({ length: 9 }, () => [''])
      expect((await query("select '' from system.numbers limit 9")).rows).toEqual(rows)
      const nine = await query("select '' from system.numbers limit 9", { maxRows: 8 })
      expect(nine).toMatchObject({ rows: rows.slice(1), truncated: 'rows' })
    })

    test('is not truncated when totals follow exactly maxRows rows', async () => {
      const sql =
        'select toString(n) as s from numbers where n < 3 group by s with totals order by s'
      const answer = await query(sql, { maxRows: 3 })
      expect(answer).toMatchObject({ rows: [['0'], ['1'], ['2']], totals: ['0'], truncated: false })
      expect(await query(sql, { maxRows: 2 })).toMatchObject({ truncated: 'rows' })
    })

    test.each([
      ['json', '"rows":[["a|b"]],"totals":[""],"rowCount":1,'],
      ['csv', 's\na|b\n\nTotals:\ns\n""'],
      ['markdown', '| s |\n| --- |\n| a\\|b |\n\nTotals:\n| s |\n| --- |\n|  |'],
    ])('shows totals separately from rows in %s', async (format, shown) => {
      const gateway = endpointBefore(server.url(user), { format })
      const sql = "select arrayJoin(['a|b']) as s from system.one group by s with totals"
      const { content, structuredContent } = await resultOf(gateway, 'query', { sql })
      expect(content[0].text).toContain(shown)
      expect(structuredContent).toMatchObject({ rows: [['a|b']], totals: [''], rowCount: 1 })
    })

    test('has the same block-dependent values as without the driver', async () => {
      // Current versions deprecate the function that takes the difference from row to row.
      const sql = server.isCurrent
        ? 'select max(r), count() from (select rowNumberInBlock() as r from (select n from numbers order by n))'
        : `select sum(d), max(r), count() from (select runningDifference(n) as d,
        rowNumberInBlock() as r from (select n from numbers order by n))`
      const plain = await server.admin(sql)
      expect((await query(sql)).rows.map((row) => row.join('\t'))).toEqual([plain])
    })
  })
})

describe('a streamed ClickHouse answer that may end with an error', () => {
  const closing: (() => void)[] = []
  afterAll(() => {
    for (const close of closing) close()
  })

  const table = 'a\tb\nUInt8\tString\n1\tx\n'
  const report = 'Code: 395. DB::Exception: boom. (NAME) (version 26.3.1.1 (official build))'
  const framed = `\r\n__exception__\r\n${TAG}\r\n${report}\n${report.length + 1} ${TAG}\r\n__exception__\r\n`

  /** A server that allows no settings. It streams `body`, or sends `whole` if asked to wait for the end. */
  const streaming = async (
    body: string,
    breaks: boolean,
    whole: [status: number, body: string],
  ) => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url!, 'http://x')
      const settled = searchParams.has('wait_end_of_query')
      let sql = ''
      request.on('data', (chunk) => {
        sql += chunk
      })
      request.on('end', () => {
        if (searchParams.has('max_execution_time')) return response.writeHead(500).end(refusal)
        if (sql.includes('system.settings')) {
          return response.end('name\tvalue\nString\tString\nreadonly\t1\n')
        }
        asked.push(settled ? 'whole' : 'stream')
        if (settled) return response.writeHead(whole[0]).end(whole[1])
        response.writeHead(200, { 'x-clickhouse-exception-tag': TAG }).write(body)
        if (!breaks) return response.end()
        setTimeout(() => response.destroy(), 50)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const database = open(`clickhouse://app@127.0.0.1:${port}/shop`, io)
    const answer = await database.query({ sql: 'select 1' }, limits).catch((error) => error)
    return { answer, asked }
  }
  const refusal = 'Code: 164. DB::Exception: Cannot modify setting in readonly mode'

  test.each([
    ['a tagged error and a broken connection', framed, true],
    ['a tagged error', framed, false],
    ['an error between markers and a broken connection', `__exception__\r\n${report}\r\n`, true],
    ['a bare error', `${report}\n`, false],
    ['a broken connection', '', true],
  ])('is requested again with a final status after %s', async (_, end, breaks) => {
    const { answer, asked } = await streaming(table + end, breaks, [500, `${report}\n`])
    expect(answer).toBeInstanceOf(DatabaseError)
    expect(answer).toMatchObject({ kind: 'sql', code: '395', message: 'boom. (NAME)' })
    expect(asked).toEqual(['stream', 'whole'])
  })

  test('keeps a row that looks like an error when the final status is 200', async () => {
    const row = '2\tCode: 395. DB::Exception: boom\n'
    const { answer, asked } = await streaming(table + row, false, [200, table + row])
    expect(answer.rows.at(-1)).toEqual([2, 'Code: 395. DB::Exception: boom'])
    expect(asked).toEqual(['stream', 'whole'])
  })

  test('is requested once when nothing in it could be an error', async () => {
    expect(await streaming(table, false, [500, ''])).toMatchObject({
      answer: { rows: [[1, 'x']] },
      asked: ['stream'],
    })
  })

  test('is an error when the exception header accompanies status 200', async () => {
    const fake = async () =>
      new Response(`${report}\n`, { headers: { 'x-clickhouse-exception-code': '395' } })
    const database = open('clickhouse://app@db.example.com', { fetch: fake, bindings: {} } as never)
    const answer = await database.query({ sql: 'select 1' }, limits).catch((error) => error)
    expect(answer).toMatchObject({ kind: 'sql', code: '395' })
  })
})
