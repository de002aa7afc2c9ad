import type { Database } from '../database.ts'
import type { Catalog, Dialect, TableName } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import type { Identity, Rows, Statement } from '../rows.ts'
import { KeptAnswers } from './kept-answers.ts'
import { keyOf } from './table-name.ts'

/** Opens a database so that it uses what was kept of its catalog. Its queries run as this identity. */
export type KeepCatalog = (database: Database, identity: Identity) => Database

/**
 * Keeps for some seconds what the catalog of one database answers about single tables. What is kept is given
 * to the same identity alone, and only to calls that say how they use it. Lists, searches and fingerprints
 * are always asked anew. When a statement fails for a name that does not exist, or for a missing right, all is
 * forgotten.
 *
 * It keeps the answers of what is in front of a database as well, and comes before that: of a table that is
 * hidden from a group, as little is kept as of one that is not there. Otherwise, how long a call takes would
 * tell them apart.
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
        // What was asked before the columns of a table may be of another table of that name, or of none.
        const beside = kept.beside === undefined ? found : answers.get(whose(kept.beside))
        if (found && beside && beside.call <= found.call) {
          use.used = true
          return { ...JSON.parse(found.json), elapsedMs: 0 }
        }
        answers.delete(name)
        const at = Date.now()
        const { timesForgotten } = answers
        const answer = await database.query(statement, limits)
        // What was forgotten meanwhile may be known from before.
        if (isWhole(answer, kept) && timesForgotten === answers.timesForgotten) {
          answers.set(name, { json: jsonOf(answer), call: use.call }, at)
        }
        return answer
      },
    }
  }
}

/** The same catalog. Its questions about single tables have names. */
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

/**
 * Whether an answer is all that there is to know. A table that is not there may come at any time; only keys
 * and indexes may be none.
 */
const isWhole = ({ rows, truncated }: Rows, { beside }: NonNullable<Statement['kept']>) =>
  !truncated && (rows.length > 0 || beside !== undefined)

const jsonOf = ({ elapsedMs: _, ...answer }: Rows) => JSON.stringify(answer)

/** Whether an error says that a name is unknown, or that a right is missing: what is kept may be old. */
function contradicts(error: unknown, { errorPatterns, hidesColumns = false }: Dialect): boolean {
  if (!(error instanceof DatabaseError)) return false
  const { kind, code, message } = error
  // Without a code, we refused it ourselves.
  if (kind === 'refused') return code !== undefined
  // Where columns are hidden, an error does not say what is wrong.
  const { table, column } = errorPatterns
  return kind === 'sql' && (hidesColumns || table.test(message) || column.test(message))
}
