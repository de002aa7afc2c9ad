import { expect, test } from 'vitest'
import { rules } from '../../../src/database/clickhouse/rules.ts'
import { describeClickHouse, type TestClickHouse } from '../../support/clickhouse.ts'
import { refuse } from '../../support/guard.ts'

/** Table functions that compute their rows, or read only what the query in their argument reads. */
const COMPUTES = new Set(
  `format fuzzJSON fuzzQuery generateRandom generateSeries generate_series null numbers numbers_mt primes
  SQLStandardValues values view viewIfPermitted zeros zeros_mt`.split(/\s+/),
)

/** Categories of functions that do more than compute, and the exceptions that only compute. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  AI: [],
  Dictionary: ['dictionary'],
  Introspection: ['demangle', 'mergeTreePartInfo', 'isMergeTreePartCoveredBy', 'tid'],
}

/** The rows of a query on the system tables. */
const list = async (server: TestClickHouse, sql: string) =>
  (await server.admin(sql)).split('\n').map((line) => line.split('\t'))

const current = (server: TestClickHouse) => {
  test('allows exactly the table functions that only compute', async () => {
    const names = await list(server, 'select name from system.table_functions')
    expect(names.length).toBeGreaterThan(80)
    const wrong = names.filter(([name]) => {
      const allowed = refuse(`select * from ${name}(1)`, rules) === undefined
      return allowed !== COMPUTES.has(name!)
    })
    expect(wrong, 'sort them: COMPUTES here, or `calls` in rules.ts').toEqual([])
  })

  test('refuses sleep as an argument of every higher-order function', async () => {
    const names = await list(server, 'select name from system.functions where higher_order')
    expect(names.length).toBeGreaterThan(30)
    const known = rules.higherOrderFunctions!
    expect(names.filter(([name]) => !known.test(name!.toLowerCase()))).toEqual([])
    for (const [name] of names) {
      for (const way of ['sleep', 'ALL sleep', '+sleep', '(sleep)', 'sleep AS f', '(sleep AS f)']) {
        expect(refuse(`select ${name}(${way}, a) from t`, rules), `${name}, ${way}`).toBeDefined()
      }
    }
  })

  test('refuses AI, dictionary and table functions that do more than compute', async () => {
    const rows = await list(
      server,
      `select name, categories from system.functions where categories in (${Object.keys(MORE).map((it) => `'${it}'`)})
        or name in (select name from system.table_functions)`,
    )
    expect(rows.length).toBeGreaterThan(50)
    const wrong = rows.filter(([name, category]) => {
      const allowed = refuse(`select ${name}(1)`, rules) === undefined
      return allowed !== (MORE[category!]?.includes(name!) ?? COMPUTES.has(name!))
    })
    expect(wrong).toEqual([])
  })
}
await describeClickHouse('the guard on a current server', [], current, ['current'])
