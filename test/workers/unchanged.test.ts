import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { read } from '../../src/database/demo/read.ts'
import { Counts } from '../../src/database/demo/table-sizes.ts'
import type { Cell } from '../../src/database/rows.ts'
import { d1 } from '../../src/database/sqlite/d1.ts'
import { queries, tables } from '../fuzz/queries.ts'
import { type Plain, unchanged } from '../fuzz/unchanged.ts'

const { QUERIES_DB: database, DEMO: namespace } = env as unknown as {
  readonly QUERIES_DB: D1Database
  readonly DEMO: DurableObjectNamespace
}

// For more queries, on the Node engines: npm run fuzz -- --unchanged d1 --count 100000 --seed 1
const SEED = 1

/** The form of an exact value on a platform that returns doubles, and no infinity. */
const seen = (cell: Cell, plain: unknown) => {
  if (typeof plain === 'number' && typeof cell === 'string') return Number(cell)
  return plain === null && /^-?Infinity$/.test(String(cell)) ? null : cell
}

test('D1 answers generated queries as it does without our driver', async () => {
  await database.batch([...tables(SEED)].map((statement) => database.prepare(statement)))
  const plain: Plain = async ({ sql, params }) => {
    try {
      const statement = database.prepare(sql).bind(...params)
      const [names, ...rows] = await statement.raw<unknown[]>({ columnNames: true })
      const values = rows.map((row) =>
        row.map((it) => (Array.isArray(it) ? Uint8Array.from(it) : it)),
      )
      return { names: names as string[], rows: values }
    } catch {
      return undefined
    }
  }
  const driven = d1.open(new URL('d1:QUERIES_DB'), { fetch, bindings: { QUERIES_DB: database } })
  const tally = await unchanged(plain, driven, queries(SEED, 200), { seen })
  expect(tally.changes).toEqual([])
  expect(tally.answered).toBeGreaterThan(100)
})

test('a Durable Object answers generated queries as it does without the demo', async () => {
  const stub = namespace.get(namespace.idFromName('unchanged.test'))
  await stub.fetch('https://demo/', {
    method: 'POST',
    body: JSON.stringify({ sql: 'select 1', params: [], maxRows: 1, maxBytes: 9, timeoutMs: 9 }),
  })
  const tally = await runInDurableObject(stub, async (_: DurableObject, { storage }) => {
    for (const statement of tables(SEED)) storage.sql.exec(statement)
    const plain: Plain = ({ sql, params }) => {
      try {
        const cursor = storage.sql.exec(sql, ...params)
        const rows = [...cursor.raw()].map((row) =>
          row.map((it) => (it instanceof ArrayBuffer ? new Uint8Array(it) : it)),
        )
        return { names: cursor.columnNames, rows }
      } catch {
        return undefined
      }
    }
    const counts = new Counts(storage.sql)
    let refused = 0
    const tally = await unchanged(
      plain,
      {
        query: async ({ sql, params = [] }, limits) => ({
          ...read(storage.sql, counts, { sql, params, ...limits }),
          elapsedMs: 0,
        }),
      },
      queries(SEED, 1_200),
      {
        seen,
        // These are mostly recursions, which cannot be shown to end.
        mayRefuse: ({ kind }) => kind === 'refused' && ++refused > 0,
      },
    )
    return { ...tally, answered: tally.answered - refused }
  })
  expect(tally.changes).toEqual([])
  expect(tally.answered).toBeGreaterThan(600)
})
