import { expect, test, vi } from 'vitest'
import { gateway, KEPT_MS, readEndpoints } from '../../src/gateway/index.ts'
import { type Caller, memoryStores, sealWith, storeLimits } from '../../src/mcp/index.ts'
import { ask, requestOf } from '../support/mcp.ts'
import { describePostgres } from '../support/postgres.ts'

const setup = `
  create table events (id int primary key, amount numeric, note text);
  insert into events select g, case when g % 7 = 0 then null else g * 1.5 end,
    case when g = 3 then 'with "quotes", and' || chr(10) || 'a line' else 'note ' || g end
  from generate_series(1, 3000) g;
`

await describePostgres('an answer that is larger than its caps', setup, (postgres) => {
  const ada: Caller = { subject: 'ada', scopes: [] }
  const bob: Caller = { subject: 'bob', scopes: [] }

  function served(more: object = {}) {
    const [endpoint] = readEndpoints({
      ENDPOINTS: JSON.stringify([
        { name: 'shop', title: 'Shop', databases: { shop: { url: 'secret:SHOP' } }, ...more },
      ]),
    })
    const stores = memoryStores({ ...storeLimits, idleMs: KEPT_MS })
    const keeping = { stores, seal: sealWith('a secret') }
    const io = { fetch, bindings: { SHOP: postgres.tcp(postgres.reader) } }
    const server = gateway(endpoint!, io, { keeping })
    const request = async (version: string, method: string, params: object, caller: Caller) =>
      (await ask({ server, caller }, requestOf(version, { method, params: { ...params } }))).body
    return {
      async call(name: string, args: object, caller = ada) {
        const params = { name, arguments: args }
        return (await request('2026-07-28', 'tools/call', params, caller)).result
      },
      read: (uri: string, caller = ada, version = '2026-07-28') =>
        request(version, 'resources/read', { uri }, caller),
      text: async (uri: string) =>
        (await request('2025-11-25', 'resources/read', { uri }, ada)).result.contents[0].text,
    }
  }

  const all = { sql: 'select id, amount, note from events order by id' }

  test('says how many rows are stored, and where to read them', async () => {
    const { call } = served()
    const { structuredContent, content } = await call('query', all)
    expect(JSON.parse(content[0].text)).toEqual(structuredContent)
    const { hint, result, rows } = structuredContent
    expect(rows.length).toBeLessThanOrEqual(200)
    expect(result).toMatch(/^result:\/\/[\w.-]+$/)
    expect(hint).toContain('The first 2000 rows are kept for 30 minutes')
    expect(hint).toContain('give the result to query_table as its table.')
    const small = await call('query', { sql: 'select 1' })
    expect(small.structuredContent).not.toHaveProperty('result')
    const some = await call('query', { sql: `${all.sql} limit 500` })
    expect(some.structuredContent.hint).toContain('All 500 rows are kept')
  })

  test('can be read in pages, and whole as CSV or JSON Lines', async () => {
    const { call, read, text } = served()
    const { structuredContent } = await call('query', { sql: `${all.sql} limit 500` })
    const { result } = structuredContent
    const ids: number[] = []
    for (let uri = `${result}/0`; uri; ) {
      const page = JSON.parse((await read(uri)).result.contents[0].text)
      ids.push(...page.rows.map(([id]: [number]) => id))
      uri = page.next
    }
    expect(ids).toEqual(Array.from({ length: 500 }, (_, i) => i + 1))
    const lines = (await text(`${result}/jsonl`)).split('\n').map((it: string) => JSON.parse(it))
    expect(lines).toHaveLength(500)
    expect(lines[6]).toEqual([7, null, 'note 7'])
    const csv = await text(`${result}/csv`)
    expect(csv.split('\n').slice(0, 5)).toEqual([
      'id,amount,note',
      '1,1.5,note 1',
      '2,3.0,note 2',
      '3,4.5,"with ""quotes"", and',
      'a line"',
    ])
    for (const part of ['9999999', 'pdf', '-1', '..']) {
      const answer = await read(`${result}/${part}`)
      expect(part === '9999999' ? answer.result.contents[0].text : answer.error.message).toContain(
        part === '9999999' ? '"rows":[]' : 'no resource',
      )
    }
  })

  test('can be filtered, sorted and paged with query_table', async () => {
    const { call } = served()
    const { structuredContent } = await call('query', all)
    const rows = async (args: object) =>
      (await call('query_table', { table: structuredContent.result, ...args })).structuredContent
        .rows
    expect(await rows({ columns: ['id'], offset: 300, limit: 3 })).toEqual([[301], [302], [303]])
    const where = (column: string, op: string, value?: unknown) => ({
      columns: ['id'],
      where: [{ column, op, value }],
    })
    expect(await rows(where('amount', 'eq', '15'))).toEqual([[10]])
    expect(await rows(where('amount', 'between', ['13.50', 15]))).toEqual([[9], [10]])
    expect(await rows(where('id', 'in', [5, '6', 9_999]))).toEqual([[5], [6]])
    expect(await rows({ ...where('amount', 'is_null'), limit: 2 })).toEqual([[7], [14]])
    expect(await rows(where('note', 'like', 'note 199_'))).toHaveLength(10)
    expect(await rows(where('note', 'contains', 'QUOTES'))).toEqual([[3]])
    expect(
      await rows({
        columns: ['id'],
        where: [{ column: 'id', op: 'lt', value: 12 }],
        orderBy: ['amount desc', 'id'],
      }),
    ).toEqual([[7], [11], [10], [9], [8], [6], [5], [4], [3], [2], [1]])
    for (const [args, sentence] of [
      [{ columns: ['nmae'] }, 'It has: id, amount, note.'],
      [{ aggregates: ['count(*)'] }, 'cannot be aggregated'],
      [where('id', 'eq'), 'takes a value'],
    ] as const) {
      const refused = await call('query_table', { table: structuredContent.result, ...args })
      expect(refused).toMatchObject({ isError: true })
      expect(refused.content[0].text).toContain(sentence)
    }
  })

  test('is searched quickly, even for a LIKE pattern that could backtrack', async () => {
    const { call } = served()
    const sql = "select 1 as id, repeat('a', 50000) as x"
    const { result: table } = (await call('query', { sql })).structuredContent
    const like = async (value: string) => {
      const where = [{ column: 'x', op: 'like', value }]
      return (await call('query_table', { table, columns: ['id'], where })).structuredContent.rows
    }
    expect(await like(`${'%a'.repeat(40)}%b`)).toEqual([])
    expect(await like(`${'%a'.repeat(40)}%`)).toEqual([[1]])
  })

  test('can be read only by its caller, with the exact URI', async () => {
    const { call, read } = served()
    const { result } = (await call('query', all)).structuredContent
    const forged = result.replace(/.$/, (it: string) => (it === 'A' ? 'B' : 'A'))
    for (const [uri, caller] of [
      [result, bob],
      [forged, ada],
      ['result://nothing', ada],
    ] as const) {
      expect((await read(`${uri}/0`, caller)).error.message).toContain('no resource')
      const refused = await call('query_table', { table: uri }, caller)
      expect(refused).toMatchObject({ isError: true })
      expect(refused.content[0].text).toContain('run the statement again')
    }
    expect((await read(`${result}/0`)).error).toBeUndefined()
  })

  test('expires half an hour after its last use', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    try {
      const { call, read } = served()
      const { result } = (await call('query', all)).structuredContent
      await vi.advanceTimersByTimeAsync(KEPT_MS - 1_000)
      expect((await read(`${result}/0`)).error).toBeUndefined()
      await vi.advanceTimersByTimeAsync(1.2 * KEPT_MS)
      expect((await read(`${result}/0`)).error.message).toContain('no resource')
    } finally {
      vi.useRealTimers()
    }
  })

  test('is only truncated, and not stored, if keep is false', async () => {
    const { structuredContent } = await served({ keep: false }).call('query', all)
    expect(structuredContent.truncated).toBe(true)
    expect(structuredContent).not.toHaveProperty('result')
  })

  test('is stored up to the limits in keep', async () => {
    const { call } = served({ keep: { bytes: 10_000 }, caps: { bytes: 5_000 } })
    const { hint } = (await call('query', all)).structuredContent
    const [, count] = /The first (\d+) rows are kept/.exec(hint) ?? []
    expect(Number(count)).toBeGreaterThan(200)
    expect(Number(count)).toBeLessThan(600)
    const wide = served({ keep: { bytes: 1_000 } })
    const one = await wide.call('query', { sql: `select repeat('x', 5000) as x` })
    expect(one.structuredContent).not.toHaveProperty('result')
  })

  test('is limited in bytes, not in characters', async () => {
    const { call, text } = served({ keep: { bytes: 3_000 } })
    const sql = "select id, repeat('€', 100) as price from events order by id"
    const { structuredContent } = await call('query', { sql })
    const rows = (await text(`${structuredContent.result}/jsonl`)).split('\n')
    expect(rows).toHaveLength(9)
    expect(Buffer.byteLength(rows.join())).toBeLessThanOrEqual(3_000)
  })

  test('is reused for the same statement if repeatSeconds allows it, and says so', async () => {
    const { call } = served({ keep: { repeatSeconds: 60 } })
    const sql = 'select id, random() as luck from events order by id'
    const first = (await call('query', { sql })).structuredContent
    const again = (await call('query', { sql })).structuredContent
    expect(again.rows).toEqual(first.rows)
    expect(again.hint).toMatch(/Not run again: kept \d+ s ago\.$/)
    const other = (await call('query', { sql }, bob)).structuredContent
    expect(other.rows).not.toEqual(first.rows)
    const never = served()
    const one = (await never.call('query', { sql })).structuredContent
    const two = (await never.call('query', { sql })).structuredContent
    expect(two.rows).not.toEqual(one.rows)
  })
})
