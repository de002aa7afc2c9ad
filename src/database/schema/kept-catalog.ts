import { steadyNow } from '../../ground/index.ts'
import type { Database } from '../database.ts'
import type { Catalog, Dialect, TableName } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import type { Identity, Rows, Statement } from '../rows.ts'
import { KeptAnswers } from './kept-answers.ts'
import { keyOf } from './table-name.ts'

/** Wraps a database so that it uses the cached catalog. Its queries run as this identity. */
export type KeepCatalog = (database: Database, identity: Identity) => Database

/**
 * Caches the catalog's answers about single tables in one database for some seconds. A cached answer is
 * returned only to the same identity, and only to calls that specify how they use it. Lists, searches and
 * fingerprints always query the database. When a statement fails because a name does not exist or a privilege
 * is missing, the whole cache is cleared.
 *
 * The cache sits in front of the layer that hides tables, and caches that layer's answers: a table hidden
 * from a group is cached in the same way as a missing table. Otherwise the duration of a call would reveal the
 * difference.
 */
export async function catalogKeeper(seconds: number): Promise<KeepCatalog> {
  const answers = new KeptAnswers(seconds)
  return (database, { role, claims }) => {
    const { dialect } = database
    const whose = (name: string) => JSON.stringify([role ?? null, claims ?? null, name])
    return {
      ...database,
      dialect: { ...dialect, catalog: namedQuestions(dialect.catalog) },
      async query(statement, limits) {
        const { internal, kept } = statement
        const { catalog: use } = limits
        if (!internal) {
          return database.query(statement, limits).catch((error: unknown) => {
            if (contradicts(error, dialect)) answers.forget()
            throw error
          })
        }
        if (!kept || !use) return database.query(statement, limits)

        const name = whose(kept.name)
        const found = use.renews ? undefined : answers.get(name)
        // Answers from before the table's columns were read can be about an older table with that
        // name, or about a table that did not exist.
        const beside = kept.beside === undefined ? found : answers.get(whose(kept.beside))
        if (found && beside && beside.call <= found.call) {
          use.used = true
          return { ...JSON.parse(found.json), elapsedMs: 0 }
        }
        answers.delete(name)
        const at = steadyNow()
        const { timesForgotten } = answers
        const answer = await database.query(statement, limits)
        // If the cache was cleared in the meantime, this answer can be older than that.
        if (isWhole(answer, kept) && timesForgotten === answers.timesForgotten) {
          answers.set(name, { json: jsonOf(answer), call: use.call }, at)
        }
        return answer
      },
    }
  }
}

/** Wraps a catalog so that its questions about single tables have names. */
function namedQuestions(catalog: Catalog): Catalog {
  const columns = (tables: readonly TableName[]) => `columns ${tables.map(keyOf).join('\0')}`
  const ofTable = (what: string, table: TableName) => ({
    name: `${what} ${keyOf(table)}`,
    beside: columns([table]),
  })
  return {
    ...catalog,
    find: (name) => ({ ...catalog.find(name), kept: { name: `find ${name}` } }),
    columns: (tables) => ({ ...catalog.columns(tables), kept: { name: columns(tables) } }),
    keys: (table) => ({ ...catalog.keys(table), kept: ofTable('keys', table) }),
    indexes: (table) => ({ ...catalog.indexes(table), kept: ofTable('indexes', table) }),
  }
}

/** True if an answer is complete. A missing table can appear, so only keys and indexes can be empty. */
const isWhole = ({ rows, truncated }: Rows, { beside }: NonNullable<Statement['kept']>) =>
  !truncated && (rows.length > 0 || beside !== undefined)

const jsonOf = ({ elapsedMs: _, ...answer }: Rows) => JSON.stringify(answer)

/** True if an error reports that a name is unknown or a privilege is missing, so the cache can be out of date. */
function contradicts(error: unknown, { errorPatterns, hidesColumns = false }: Dialect): boolean {
  if (!(error instanceof DatabaseError)) return false
  const { kind, code, message } = error
  // An error without a code is our own refusal.
  if (kind === 'refused') return code !== undefined
  // Where columns are hidden, an error does not reveal what went wrong.
  const { table, column } = errorPatterns
  return kind === 'sql' && (hidesColumns || table.test(message) || column.test(message))
}
