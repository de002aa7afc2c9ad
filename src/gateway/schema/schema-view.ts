import {
  allTables,
  bySessions,
  type Database,
  DatabaseError,
  described,
  type Glossary,
  listTables,
  namesOf,
  shownName,
  type TimeLimits,
} from '../../database/index.ts'
import { itemsThatFit } from '../answer/answer.ts'
import { ConfigError, type Endpoint } from '../config/endpoint.ts'
import type { CredentialIo } from '../open/endpoint-database.ts'
import { located } from '../open/open-database.ts'
import { entryOf, MAX_GONE, PAGE_BYTES, tableView } from './table-view.ts'

/** The part of a schema that an operator looks at. */
export interface SchemaQuestion {
  /** Needed if the endpoint has several databases. */
  readonly database?: string | undefined
  readonly search?: string | undefined
  /** The table to describe. Without it, tables are listed. */
  readonly table?: string | undefined
  /** Number of tables, or of columns in the table, before this page. */
  readonly offset: number
  readonly limit: number
  /** True to find glossary entries whose table no longer exists. */
  readonly compare?: boolean | undefined
}

/**
 * Reports that there is no answer for the operator: the table or database does not exist, or the database does not
 * answer.
 */
export class NoSchema extends Error {
  override readonly name = 'NoSchema'
  readonly kind: 'missing' | 'unanswered'

  constructor(kind: NoSchema['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** Time limit for one query, since a person is waiting for the page. */
const MAX_WAIT_MS = 15_000

/**
 * A part of a schema for the operator: the database's own comments, a person's descriptions, and the text that the
 * model reads. Throws {@link NoSchema}.
 */
export async function viewSchema(
  { databases, caps }: Pick<Endpoint, 'databases' | 'caps'>,
  io: CredentialIo,
  question: SchemaQuestion,
  signal: AbortSignal,
) {
  const names = Object.keys(databases)
  const chosen = question.database ?? (names.length === 1 ? names[0]! : undefined)
  if (chosen === undefined || !Object.hasOwn(databases, chosen)) {
    throw new NoSchema('missing', `Say which database: ${names.join(', ')}.`)
  }
  const config = databases[chosen]!
  const { glossary = {} } = config
  const about = { database: chosen }
  try {
    const database = await located(config, io).open()
    const timeoutMs = Math.min(caps.timeoutMs, MAX_WAIT_MS)
    const { title } = database.dialect
    return await bySessions(undefined, async (sessions) => {
      const limits = { timeoutMs, signal, sessions }
      if (question.table !== undefined) {
        const view = { ...question, database, glossary, caps, limits }
        return { ...about, dialect: title, table: await tableView(question.table, view) }
      }
      const open = await described(database, glossary)
      const list = await listView(open, glossary, question, limits)
      const gone = question.compare && (await goneOf(database, glossary, limits))
      return { ...about, dialect: title, ...list, ...(gone && { gone }) }
    })
  } catch (error) {
    if (error instanceof ConfigError) throw new NoSchema('unanswered', error.message)
    if (!(error instanceof DatabaseError)) throw error
    // An error without a code does not come from the engine. It means that no table has this name, or several do.
    const none = question.table !== undefined && error.kind === 'sql' && !error.code
    const message = [error.message, error.hint].filter(Boolean).join(' ')
    throw new NoSchema(none ? 'missing' : 'unanswered', message)
  }
}

async function listView(
  database: Database,
  glossary: Glossary,
  { search, offset, limit }: SchemaQuestion,
  limits: TimeLimits,
) {
  const { tables, total } = await listTables(database, { search, offset, limit, limits })
  const all = tables.map((it) => {
    const { description, columns = {} } = entryOf(it, database, glossary)
    return {
      name: shownName(database.dialect, it),
      kind: it.kind,
      estimatedRows: it.estimatedRows,
      columns: it.columnCount,
      described: description !== undefined,
      describedColumns: Object.keys(columns).length,
    }
  })
  const shown = all.slice(0, itemsThatFit(all, PAGE_BYTES))
  const next = offset + shown.length
  return {
    tables: shown,
    total,
    ...(shown.length > 0 && next < total && { next }),
  }
}

/** The entries in a glossary whose tables are gone. */
async function goneOf(
  database: Database,
  glossary: Glossary,
  limits: TimeLimits,
): Promise<readonly string[]> {
  // An entry remains after its last description is removed. It does not count.
  const names = Object.entries(glossary)
    .filter(([, { description, columns = {} }]) => description || Object.keys(columns).length > 0)
    .map(([name]) => name)
  if (names.length === 0) return []
  const all = await allTables(database, limits)
  const there = new Set(all.flatMap((it) => namesOf(database.dialect, it)))
  return names.filter((it) => !there.has(it)).slice(0, MAX_GONE)
}

export type SchemaView = Awaited<ReturnType<typeof viewSchema>>
