import { afterEach, describe, expect, test, vi } from 'vitest'
import { byCatalog } from '../../../src/database/catalog-use.ts'
import type { Database } from '../../../src/database/database.ts'
import { DatabaseError } from '../../../src/database/error.ts'
import { findTable } from '../../../src/database/schema/catalog.ts'
import { catalogKeeper } from '../../../src/database/schema/kept-catalog.ts'
import { sqlite } from '../../../src/database/sqlite/dialect.ts'
import { open } from '../../support/open.ts'
import { describePostgres } from '../../support/postgres.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** A database that keeps what its catalog answers. */
const keeping = async (database: Database) => (await catalogKeeper(60))(database, {})

/** A database of any tables with two columns, which counts the questions that it gets. */
function endless(about: (name: string) => string = (name) => name) {
  const asked: string[] = []
  const database: Database = {
    dialect: sqlite,
    async query({ params = [] }) {
      const name = String(params[0])
      asked.push(name)
      const rows = [['main', name, about(name), 'text', true, null, null, null]]
      return { columns: [], rows, truncated: false, elapsedMs: 1 }
    },
  }
  return { database, asked }
}

const columnsOf = (database: Database, name: string, limits = {}) =>
  byCatalog((catalog) =>
    database.query(
      { ...database.dialect.catalog.columns([{ schema: 'main', name }]), internal: true },
      { timeoutMs: 1_000, maxRows: 5_000, maxBytes: 4 << 20, catalog, ...limits },
    ),
  )

describe('The kept answers of a catalog', () => {
  test('are few, however many tables somebody asks about', async () => {
    const { database, asked } = endless()
    const kept = await keeping(database)
    for (let i = 0; i < 5_000; i++) await columnsOf(kept, `table ${i}`)
    asked.length = 0
    for (let i = 4_999; i >= 0; i--) await columnsOf(kept, `table ${i}`)
    expect(asked).toHaveLength(4_000)
    expect(asked[0]).toBe('table 3999')
  })

  test('have bounds of bytes, for a database and for all of an isolate', async () => {
    const large = (name: string) => name.padEnd(100_000, '-')
    const opened: { readonly kept: Database; readonly asked: string[] }[] = []
    for (let n = 0; n < 60; n++) {
      const { database, asked } = endless(large)
      const kept = await keeping(database)
      for (let i = 0; i < 10; i++) await columnsOf(kept, `table ${i}`)
      asked.length = 0
      opened.push({ kept, asked })
    }
    // The last ones first: what is asked anew takes the place of what is known.
    const known: boolean[] = []
    for (const { kept, asked } of opened.reverse()) {
      await columnsOf(kept, 'table 9')
      known.push(asked.length === 0)
    }
    expect(known).toEqual([...Array(33).fill(true), ...Array(27).fill(false)])
    const { database, asked } = endless((name) => name.padEnd(600_000, '-'))
    const kept = await keeping(database)
    for (let i = 0; i < 3; i++) await columnsOf(kept, 'huge')
    expect(asked).toHaveLength(3)
  })

  test('are never a cut one, an error, or none, and nobody can change them', async () => {
    let answer = async () => ({ rows: [['main', 't', 'a']], truncated: 'rows' as const })
    const { database } = endless()
    const query = vi.fn(async () => ({ columns: [], elapsedMs: 1, ...(await answer()) }))
    const kept = await keeping({ ...database, query: query as Database['query'] })
    const ask = () => columnsOf(kept, 't')
    await ask()
    answer = () => Promise.reject(new DatabaseError('network', 'It does not answer.'))
    await expect(ask()).rejects.toThrow('It does not answer.')
    answer = async () => ({ rows: [], truncated: false as never })
    await ask()
    answer = async () => ({ rows: [['main', 't', ['a']]], truncated: false as never }) as never
    await ask()
    expect(query).toHaveBeenCalledTimes(4)
    const { rows } = (await ask()) as unknown as { rows: string[][][] }
    rows[0]![2]!.push('b')
    rows.length = 0
    expect(await ask()).toEqual({
      columns: [],
      rows: [['main', 't', ['a']]],
      truncated: false,
      elapsedMs: 0,
    })
    expect(query).toHaveBeenCalledTimes(4)
  })

  test('are only given to questions of ours, in calls that use them', async () => {
    const { database, asked } = endless()
    const kept = await keeping(database)
    await columnsOf(kept, 't')
    await columnsOf(kept, 't')
    expect(asked).toHaveLength(1)
    await columnsOf(kept, 't', { catalog: undefined })
    expect(asked).toHaveLength(2)
    const question = kept.dialect.catalog.columns([{ schema: 'main', name: 't' }])
    const limits = { timeoutMs: 1_000, maxRows: 5_000, maxBytes: 4 << 20 }
    await byCatalog((catalog) => kept.query(question, { ...limits, catalog }))
    const { sql, params } = question
    await byCatalog((catalog) =>
      kept.query({ sql, params, internal: true }, { ...limits, catalog }),
    )
    expect(asked).toHaveLength(4)
  })

  test('are not those of a question that was under way when they were forgotten', async () => {
    const answers: (() => void)[] = []
    const { database, asked } = endless()
    const kept = await keeping({
      ...database,
      async query(statement, limits) {
        if (!statement.internal) {
          throw new DatabaseError('sql', 'no such column: x: SQLITE_ERROR')
        }
        const found = await database.query(statement, limits)
        await new Promise<void>((resolve) => answers.push(resolve))
        return found
      },
    })
    const late = columnsOf(kept, 't')
    await vi.waitFor(() => expect(answers).toHaveLength(1))
    const limits = { timeoutMs: 1_000, maxRows: 1, maxBytes: 1_000 }
    await expect(kept.query({ sql: 'select x from t' }, limits)).rejects.toThrow('no such column')
    answers.pop()!()
    await late
    const again = columnsOf(kept, 't')
    await vi.waitFor(() => expect(answers).toHaveLength(1))
    answers.pop()!()
    await again
    expect(asked).toHaveLength(2)
  })
})

const ROLES = (reader: string) => `
  alter role ${reader} noinherit;
  create table staff (id integer primary key, name text, salary integer);
  create role ${reader}_clerk; create role ${reader}_boss;
  grant ${reader}_clerk, ${reader}_boss to ${reader};
  revoke all on staff from ${reader};
  grant select (id, name) on staff to ${reader}_clerk;
  grant select on staff to ${reader}_boss;
`

await describePostgres('What is kept for a role of PostgreSQL', ROLES, (postgres) => {
  const { reader, admin } = postgres
  const database = open(postgres.url(reader), { fetch, bindings: {} })

  test('is never what another role may see, and is dropped with a right', async () => {
    const keep = await catalogKeeper(60)
    /** The same database as somebody else. */
    const as = (role?: string, claims?: string): Database => {
      const identity = { role: role && `${reader}_${role}`, claims }
      const query: Database['query'] = (statement, limits) =>
        database.query(statement, { ...limits, identity })
      return keep({ ...database, query }, identity)
    }
    const columns = (whose: Database) =>
      byCatalog(async (catalog) => {
        const found = await findTable(whose, 'staff', { timeoutMs: 10_000, catalog })
        return found.columns.map(({ name }) => name).join()
      })
    const none = 'There is no table called "staff".'
    try {
      for (let i = 0; i < 2; i++) {
        expect(await columns(as('boss'))).toBe('id,name,salary')
        expect(await columns(as('clerk'))).toBe('id,name')
        await expect(columns(as('unknown'))).rejects.toThrow('role')
        await expect(columns(as())).rejects.toThrow(none)
      }
      const asked = postgres.neon.requests.length
      await columns(as('boss'))
      await columns(as('clerk'))
      expect(postgres.neon.requests).toHaveLength(asked)
      await columns(as('boss', '{"sub":"ada"}'))
      expect(postgres.neon.requests.length).toBeGreaterThan(asked)

      await admin(`revoke select on staff from ${reader}_boss`)
      const limits = { timeoutMs: 10_000, maxRows: 10, maxBytes: 1_000 }
      const read = as('boss').query({ sql: 'select salary from staff' }, limits)
      await expect(read).rejects.toThrow('permission denied')
      await expect(columns(as('boss'))).rejects.toThrow(none)
      expect(await columns(as('clerk'))).toBe('id,name')
    } finally {
      const roles = `${reader}_clerk, ${reader}_boss`
      await admin(`drop owned by ${roles}; drop role ${roles}`)
    }
  })
})
