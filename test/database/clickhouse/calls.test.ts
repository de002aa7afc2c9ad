import { expect, test } from 'vitest'
import { rules } from '../../../src/database/clickhouse/rules.ts'
import { describeClickHouse, type TestClickHouse } from '../../support/clickhouse.ts'
import { refuse } from '../../support/guard.ts'

/** Table functions that compute their rows, or read what their argument names as a statement of its own. */
const COMPUTES = new Set(
  `format fuzzJSON fuzzQuery generateRandom generateSeries generate_series null numbers numbers_mt primes
  SQLStandardValues values view viewIfPermitted zeros zeros_mt`.split(/\s+/),
)

/** Categories of functions that do more than compute, and what in them computes. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  AI: [],
  Dictionary: ['dictionary'],
  Introspection: ['demangle', 'mergeTreePartInfo', 'isMergeTreePartCoveredBy', 'tid'],
}

/** Reads as a server of its own list what it can be called for. */
const list = async (server: TestClickHouse, sql: string) =>
  (await server.admin(sql)).split('\n').map((line) => line.split('\t'))

const current = (server: TestClickHouse) => {
  test('each table function of the server computes, or is refused', async () => {
    const names = await list(server, 'select name from system.table_functions')
    expect(names.length).toBeGreaterThan(80)
    const wrong = names.filter(([name]) => {
      const allowed = refuse(`select * from ${name}(1)`, rules) === undefined
      return allowed !== COMPUTES.has(name!)
    })
    expect(wrong, 'sort them: COMPUTES here, or `calls` in rules.ts').toEqual([])
  })

  test('each function that takes another by its name is known', async () => {
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

  test('each function of a table function, and each that calls another server or program, is refused', async () => {
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
await describeClickHouse('the guard, and what a current server can call', [], current, ['current'])
