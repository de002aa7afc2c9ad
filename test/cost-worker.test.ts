import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startMariaDb } from './support/mariadb.ts'
import { startPostgres } from './support/postgres.ts'
import { callTool, type RunningWorker, startWorker } from './support/worker.ts'

const key = { authorization: 'Bearer k' }

const postgres = await startPostgres(`
  create table orders (id integer primary key, paid integer);
  insert into orders select n, n from generate_series(1, 5000) n;
  analyze;
`)
const mariadb = await startMariaDb(`
  create table orders (id integer primary key, paid integer);
  insert into orders select seq, seq from seq_1_to_5000;
  analyze table orders;
`)

afterAll(() => Promise.all([postgres?.drop(), mariadb?.drop()]))

describe.skipIf(!postgres || !mariadb)('a Worker with a cost limit', () => {
  let worker: RunningWorker
  beforeAll(async () => {
    const databases = { pg: { url: 'secret:PG' }, maria: { url: 'secret:MARIA' } }
    const caps = { cost: { plan: 1_000_000, rows: 1_000 } }
    worker = await startWorker({
      ENDPOINTS: JSON.stringify([{ name: 'shop', title: 'Shop', databases, caps }]),
      PG: postgres!.tcp(postgres!.reader),
      MARIA: mariadb!.url(mariadb!.reader),
      TIDEGATE_KEY: 'k',
    })
  })
  afterAll(() => worker.close())
  const call = (tool: string, database: string, sql: string) =>
    callTool(`${worker.url}/mcp`, tool, { database, sql }, key)

  test.each(['pg', 'maria'])('asks %s for the plan first, then for the rows', async (database) => {
    const cheap = await call('query', database, 'select paid from orders where id = 7')
    expect(cheap.structuredContent.rows).toEqual([[7]])
    const dear = await call('query', database, 'select paid from orders')
    expect(dear.isError).toBe(true)
    expect(dear.content[0].text).toMatch(
      /^This query is estimated at .* the limit here is 1,000 rows\. .*\nexplain_query shows the plan\.$/,
    )
    const { structuredContent } = await call('explain_query', database, 'select paid from orders')
    expect(structuredContent).toMatchObject({
      estimatedRows: expect.any(Number),
      limits: { cost: 1_000_000, rows: 1_000 },
    })
  })
})
