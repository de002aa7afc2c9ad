import { DatabaseError, type Failure } from '../database.ts'
import { Counts } from '../sqlite/cost.ts'
import { type Answer, type Query, read } from '../sqlite/read.ts'
import { demoStatements, EDITION } from './statements.ts'

/** What the driver sends. */
export type DemoQuery = Query

/** What it gets: rows, or the parts of a {@link DatabaseError}. */
export type DemoAnswer =
  | Answer
  | { error: { kind: Failure; message: string; code?: string; position?: number } }

/**
 * The demo database: a Durable Object that fills itself on first use and answers one query a
 * request. Nothing it is asked can change it, even where the guard in front of it fails: a text
 * runs only if SQLite finds it to be a single query whose program writes nothing, and then in a
 * transaction that is always rolled back.
 */
export class DemoStore {
  readonly #storage: DurableObjectStorage
  readonly #counts: Counts

  constructor(state: DurableObjectState) {
    this.#storage = state.storage
    this.#fill()
    this.#counts = new Counts(state.storage.sql)
  }

  /** Answers a {@link DemoQuery} with its rows, or with what a {@link DatabaseError} says. */
  async fetch(request: Request): Promise<Response> {
    const query = await request.json<DemoQuery>()
    try {
      return Response.json(this.#rolledBack(() => read(this.#storage.sql, this.#counts, query)))
    } catch (thrown) {
      if (!(thrown instanceof DatabaseError)) throw thrown
      // JSON leaves out what is undefined.
      const { kind, message, code, position } = thrown
      return Response.json({ error: { kind, message, code, position } })
    }
  }

  /** Makes the store, or makes it anew when it holds another edition: whole or not at all. */
  #fill(): void {
    const { sql, kv } = this.#storage
    if (kv.get('edition') === EDITION) return
    this.#storage.transactionSync(() => {
      const old = sql.exec<{ type: string; name: string }>(
        // Children were created after their parents, and have to go before them.
        `select type, name from sqlite_schema where type in ('table', 'view')
         and name not like '\\_%' escape '\\' and name not like 'sqlite\\_%' escape '\\'
         order by rowid desc`,
      )
      for (const { type, name } of old.toArray()) sql.exec(`drop ${type} ${name}`)
      for (const statement of demoStatements('sqlite')) sql.exec(statement)
      kv.put('edition', EDITION)
    })
  }

  #rolledBack<T>(work: () => T): T {
    const rollBack = Symbol('roll back')
    let result: T | undefined
    try {
      this.#storage.transactionSync(() => {
        result = work()
        throw rollBack
      })
    } catch (thrown) {
      if (thrown !== rollBack) throw thrown
    }
    return result as T
  }
}
