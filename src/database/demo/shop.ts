import { DatabaseError } from '../error.ts'
import type { Answer } from '../rows.ts'
import { type DemoQuery, read } from './read.ts'
import { demoStatements, EDITION } from './statements.ts'
import { Counts } from './table-sizes.ts'

/** The reply to the driver: rows, or the parts of a {@link DatabaseError}. */
export type DemoAnswer =
  | Answer
  | { error: Pick<DatabaseError, 'kind' | 'message' | 'code' | 'hint' | 'position'> }

/**
 * Matches the name of a table that runs ANALYZE when it is read. It does so in a program that EXPLAIN does
 * not show, and the runtime allows it. SQLite has no escapes in names, so this pattern always finds it.
 */
const ANALYZES = /pragma_optimize/i

/**
 * The demo database. It fills its storage when it is created, and answers one query at a time. No query can
 * change it, even if the guard in front of it fails: a statement runs only if SQLite reads it as a single query
 * whose program writes nothing, and then in a transaction that is always rolled back.
 */
export class Shop {
  readonly #storage: DurableObjectStorage
  readonly #counts: Counts

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#fill()
    this.#counts = new Counts(storage.sql)
  }

  /** Answers a {@link DemoQuery} with its rows, or with the contents of a {@link DatabaseError}. */
  answer(query: DemoQuery): DemoAnswer {
    try {
      if (ANALYZES.test(query.sql)) {
        throw new DatabaseError('refused', 'This database is read-only.')
      }
      return this.#rolledBack(() => read(this.#storage.sql, this.#counts, query))
    } catch (thrown) {
      if (!(thrown instanceof DatabaseError)) throw thrown
      const { kind, message, code, hint, position } = thrown
      return { error: { kind, message, code, hint, position } }
    }
  }

  /** Creates the tables, or replaces another edition's tables: all of them, or none. */
  #fill(): void {
    const { sql, kv } = this.#storage
    if (kv.get('edition') === EDITION) return
    this.#storage.transactionSync(() => {
      const old = sql.exec<{ type: string; name: string }>(
        // Children were created after their parents, and must be dropped before them.
        `select type, name from sqlite_schema where type in ('table', 'view')
         and name not like '\\_%' escape '\\' and name not like 'sqlite\\_%' escape '\\'
         order by rowid desc`,
      )
      for (const { type, name } of old.toArray()) sql.exec(`drop ${type} ${name}`)
      for (const statement of demoStatements()) sql.exec(statement)
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
