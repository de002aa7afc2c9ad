import { DatabaseError, type Failure } from '../error.ts'
import type { Answer } from '../rows.ts'
import { Counts } from './counts.ts'
import { type Query, read } from './read.ts'
import { demoStatements, EDITION } from './statements.ts'

/** What the driver sends to the demo's Durable Object. */
export type DemoQuery = Query

/** What the driver gets back: rows, or the parts of a {@link DatabaseError}. */
export type DemoAnswer =
  | Answer
  | { error: { kind: Failure; message: string; code?: string; hint?: string; position?: number } }

/**
 * The name of a table that runs ANALYZE when it is read. It does so in a program that EXPLAIN does not
 * show, and the runtime allows it. SQLite has no escapes in names, so this pattern always finds it.
 */
const ANALYZES = /pragma_optimize/i

/**
 * The demo database: it fills its storage when it is made, and answers one query at a time. No query
 * can change it, even if the guard in front of it fails: a text runs only if SQLite reads it as a
 * single query whose program writes nothing, and then in a transaction that is always rolled back.
 */
export class Shop {
  readonly #storage: DurableObjectStorage
  readonly #counts: Counts

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#fill()
    this.#counts = new Counts(storage.sql)
  }

  /** Answers a {@link DemoQuery} with its rows, or with what a {@link DatabaseError} says. */
  answer(query: DemoQuery): DemoAnswer {
    try {
      if (ANALYZES.test(query.sql))
        throw new DatabaseError('refused', 'This database is only read.')
      return this.#rolledBack(() => read(this.#storage.sql, this.#counts, query))
    } catch (thrown) {
      if (!(thrown instanceof DatabaseError)) throw thrown
      const { kind, message, code, hint, position } = thrown
      const details = { ...(code && { code }), ...(hint && { hint }) }
      return { error: { kind, message, ...details, ...(position && { position }) } }
    }
  }

  /** Makes the tables, or replaces those of another edition: all of them, or none. */
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
