// The Worker that `npm run attack` uses for SQLite in workerd: the real one, with extra routes that show
// what is in its databases, and that call their drivers without the guard.

import { demo } from '../../src/database/demo/driver.ts'
import { DatabaseError, DemoStore as Store } from '../../src/database/index.ts'
import { d1 } from '../../src/database/sqlite/d1.ts'
import app, { McpSession } from '../../src/index.ts'
import { tables } from './sqlite-tables.ts'

export { McpSession }

interface Env {
  readonly DEMO: DurableObjectNamespace
  readonly DB: D1Database
}

/** The demo store with the tables of the corpus. */
export class DemoStore extends Store {
  readonly #storage: DurableObjectStorage
  #filled: Promise<void> | undefined

  constructor(state: DurableObjectState) {
    super(state)
    this.#storage = state.storage
  }

  /** The store fills itself at its first query, and drops everything else at that time. */
  async #fill(): Promise<void> {
    const body = JSON.stringify({ sql: 'select 1', params: [], maxRows: 1, maxBytes: 1_000 })
    await super.fetch(new Request('https://demo/', { method: 'POST', body }))
    for (const statement of tables('fts5')) this.#storage.sql.exec(statement)
  }

  override async fetch(request: Request): Promise<Response> {
    this.#filled ??= this.#fill()
    await this.#filled
    if (new URL(request.url).pathname !== '/state') return super.fetch(request)
    const { sql, kv } = this.#storage
    const all = async (text: string) => [...sql.exec(text).raw()]
    return Response.json([await contents(all), [...kv.list()]])
  }
}

/** Every row of every table, the schema, and the readable settings of the connection. */
async function contents(all: (sql: string) => Promise<unknown[]>): Promise<unknown[]> {
  const schema = (await all('select type, name, sql from sqlite_schema')) as string[][]
  const names = schema.flatMap(([type, name]) =>
    type === 'table' && !/^(?:_cf_|__|sqlite_)/.test(name!) ? [name!] : [],
  )
  const rows = []
  for (const name of names) rows.push(await all(`select * from "${name}"`))
  const settings = []
  for (const name of [
    'foreign_keys',
    'defer_foreign_keys',
    'recursive_triggers',
    'case_sensitive_like',
  ]) {
    settings.push(await all(`pragma ${name}`).catch(() => []))
  }
  return [schema, rows, settings]
}

async function fill(database: D1Database): Promise<void> {
  await database.batch(tables('fts5').map((sql) => database.prepare(sql)))
}

export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url)
    const io = { fetch, bindings: { ...env } }
    const store = env.DEMO.get(env.DEMO.idFromName('store'))
    if (pathname === '/state/demo') return store.fetch('https://demo/state')
    if (pathname === '/state/d1') {
      const all = (sql: string) => env.DB.prepare(sql).raw()
      return Response.json(await contents(all))
    }
    if (pathname === '/fill') {
      await fill(env.DB)
      return new Response('Filled.')
    }
    if (pathname.startsWith('/driver/')) {
      const unguarded =
        pathname === '/driver/demo'
          ? demo.open(new URL('demo:'), io)
          : d1.open(new URL('d1:DB'), io)
      const { sql, limits } = await request.json<{ sql: string; limits: never }>()
      return unguarded.query({ sql }, limits).then(
        (rows) => Response.json(rows),
        (thrown) => {
          const message = thrown instanceof DatabaseError ? thrown.message : String(thrown)
          return Response.json({ message }, { status: 400 })
        },
      )
    }
    return app.fetch(request, env as never, context)
  },
}
