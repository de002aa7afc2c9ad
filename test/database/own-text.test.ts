import { afterAll, describe, expect, test } from 'vitest'
import type { UnguardedDatabase } from '../../src/database/database.ts'
import type { Catalog, Dialect } from '../../src/database/dialect.ts'
import { inspectRole } from '../../src/database/doctor/index.ts'
import { DatabaseError } from '../../src/database/error.ts'
import { guarded } from '../../src/database/guard/guarded.ts'
import type { Statement } from '../../src/database/rows.ts'
import { selectStatement } from '../../src/database/statements/select.ts'
import { textSearch } from '../../src/database/statements/text-search.ts'
import { startEngines } from '../support/engines.ts'
import { unguarded } from '../support/open.ts'

const made = 'create table people (id integer, name varchar(80))'
const engines = await startEngines({
  sqlite: [made],
  postgres: [made],
  mysql: [made],
  clickhouse: ['create table people (id Int32, name String) engine = MergeTree order by id'],
})
afterAll(() => engines.drop())

const io = { fetch, bindings: {} }
const limits = { maxRows: 10, maxBytes: 100_000, timeoutMs: 10_000 }

const people = (schema: string) => ({ schema, name: 'people' })

/** Each question of a catalog. A catalog that has one more does not compile. */
const questions: {
  [name in keyof Required<Catalog>]: (catalog: Catalog, schema: string) => Statement | undefined
} = {
  tables: (catalog) => catalog.tables({ search: 'peo', limit: 5 }),
  find: (catalog) => catalog.find('people'),
  near: (catalog) => catalog.near('peple'),
  columns: (catalog, schema) => catalog.columns([people(schema)]),
  keys: (catalog, schema) => catalog.keys(people(schema)),
  indexes: (catalog, schema) => catalog.indexes(people(schema)),
  secured: (catalog) => catalog.secured?.(['people']),
  overview: (catalog) => catalog.overview(),
  fingerprint: (catalog) => catalog.fingerprint(),
}

/** Everything that we write, and no author: the questions to the catalog, alone and joined, and selections. */
function statements(dialect: Dialect): [string, Statement][] {
  const { catalog, joining, schema } = dialect
  const own = Object.entries(questions).flatMap(([name, of]): [string, Statement][] => {
    const statement = of(catalog, schema)
    return statement ? [[name, { ...statement, internal: true }]] : []
  })
  const shaped = own.map(([, it]) => it).filter(({ shape }) => shape)
  const columns = [
    { name: 'id', type: 'integer', operators: undefined },
    { name: 'name', type: 'text', operators: undefined },
  ]
  const table = { ...people(schema), columns } as never
  return [
    ...own,
    ...(joining && shaped.length > 1
      ? ([['joined', { ...joining.of(shaped, 5), internal: true }]] as [string, Statement][])
      : []),
    ['selection', selectStatement(dialect, { table, columns: ['id', 'name'], limit: 5 } as never)],
    ['search', textSearch(dialect, table, { text: ['name'], shown: ['id'], query: 'x', limit: 5 })],
  ]
}

/** Ways to break a text, each where an engine quotes another part of it. */
const breaks: readonly ((sql: string) => string)[] = [
  (sql) => `${sql} tidegate_oops (`,
  (sql) => sql.replace(/^(\s*\(*\w+) /, '$1 tidegate_oops('),
  (sql) => sql.replace(/\bfrom /i, 'from tidegate_oops.'),
  (sql) => sql.replace(/^(\s*\(*select) /i, '$1 tidegate_oops, '),
  (sql) => sql.slice(0, sql.length / 2),
]

/** Three words that stand so in a text. */
const quoted = (message: string, sql: string) => {
  const words = (text: string) => text.toLowerCase().match(/\w+/g) ?? []
  const runs = (of: string[]) => of.slice(2).map((_, i) => of.slice(i, i + 3).join(' '))
  const own = new Set(runs(words(sql)))
  return runs(words(message)).filter((it) => own.has(it))
}

describe.each(engines.ways)('an error of $name', ({ url }) => {
  const plain = unguarded(url, io)
  const broken = (breakIt: (sql: string) => string, seen: string[]) =>
    guarded({
      ...plain,
      query: (statement, its) => {
        seen.push(statement.sql)
        return plain.query({ ...statement, sql: breakIt(statement.sql) }, its)
      },
    } as UnguardedDatabase)

  test.each(statements(plain.dialect))('quotes nothing of ours: %s', async (_, statement) => {
    let failed = 0
    for (const breakIt of breaks) {
      const seen: string[] = []
      const error = await broken(breakIt, seen)
        .query(statement, limits)
        .then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
      if (error === undefined) continue
      expect(error).toBeInstanceOf(DatabaseError)
      failed++
      const { message, hint = '' } = error as DatabaseError
      expect(message).not.toBe('')
      expect(quoted(`${message} ${hint}`, seen.join('\n'))).toEqual([])
      if (statement.internal) expect(message).not.toContain('tidegate_oops')
    }
    expect(failed).toBeGreaterThan(1)
  })

  test('quotes nothing of a question about the role', async () => {
    for (const breakIt of breaks) {
      const seen: string[] = []
      const error = await inspectRole(broken(breakIt, seen), limits).catch((thrown) => thrown)
      if (!(error instanceof DatabaseError)) continue
      expect(quoted(`${error.message} ${error.hint ?? ''}`, seen.join('\n'))).toEqual([])
    }
  })
})
