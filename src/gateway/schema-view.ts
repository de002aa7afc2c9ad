import {
  allTables,
  bySessions,
  columnsOf,
  type Database,
  DatabaseError,
  type ForeignKey,
  findTable,
  type Glossary,
  keyOf,
  listTables,
  namesOf,
  shownName,
  type Table,
  type TableName,
  type TimeLimits,
} from '../database/index.ts'
import { firstOf, itemsThatFit, shorten } from './answer.ts'
import { ConfigError, type Endpoint } from './endpoint.ts'
import { describedDatabase } from './glossary.ts'
import { type CredentialIo, located } from './open-database.ts'
import { descriptionOf } from './tools/describe-table.ts'

/** Which part of a schema an operator looks at. */
export interface SchemaQuestion {
  /** Needed if the endpoint has several. */
  readonly database?: string | undefined
  readonly search?: string | undefined
  /** The table to describe. Without it, tables are listed. */
  readonly table?: string | undefined
  /** Tables, or columns of the table, before this page. */
  readonly offset: number
  readonly limit: number
  /** Whether to look which entries of the glossary have no table. */
  readonly compare?: boolean | undefined
}

/** Why an operator gets no answer: what they ask for is not there, or the database does not answer. */
export class NoSchema extends Error {
  override readonly name = 'NoSchema'
  readonly kind: 'missing' | 'unanswered'

  constructor(kind: NoSchema['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** A person waits for the page. */
const MAX_WAIT_MS = 15_000

/** Bytes of one page of an answer. */
const PAGE_BYTES = 64_000

/** Keys and indexes of one table, entries that are gone, and neighbours with their columns. */
const MAX_LISTED = 50
const MAX_GONE = 200
const MAX_NEIGHBOURS = 6
const NEIGHBOUR_COLUMNS = 4

const MAX_TEXT_CHARS = 500

/**
 * A part of a schema for the operator: what the database itself says, what a person says, and what the model
 * reads of both. Throws {@link NoSchema}.
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
    const it = located(config, io)
    const database = await it.open()
    const timeoutMs = Math.min(caps.timeoutMs, MAX_WAIT_MS)
    const { title } = database.dialect
    return await bySessions(undefined, async (sessions) => {
      const limits = { timeoutMs, signal, sessions }
      if (question.table !== undefined) {
        const view = { question, database, glossary, caps, limits }
        return { ...about, dialect: title, table: await tableView(question.table, view) }
      }
      const open = await describedDatabase(it, glossary).open()
      const list = await listView(open, glossary, question, limits)
      const gone = question.compare && (await goneOf(database, glossary, limits))
      return { ...about, dialect: title, ...list, ...(gone && { gone }) }
    })
  } catch (error) {
    if (error instanceof ConfigError) throw new NoSchema('unanswered', error.message)
    if (!(error instanceof DatabaseError)) throw error
    // An error without a code is not of the engine: no table has this name, or several have.
    const none = question.table !== undefined && error.kind === 'sql' && !error.code
    const message = [error.message, error.hint].filter(Boolean).join(' ')
    throw new NoSchema(none ? 'missing' : 'unanswered', message)
  }
}

/** The entry of a glossary that speaks of a table, and its name there, if it has one or may have one. */
function entryOf(table: TableName, database: Database, glossary: Glossary) {
  // No record keeps a key of this name. With its schema it is another one.
  const names = namesOf(database.dialect, table).filter((it) => it !== '__proto__')
  const name = names.find((it) => Object.hasOwn(glossary, it)) ?? names[0]
  const found = name !== undefined && Object.hasOwn(glossary, name) ? glossary[name]! : {}
  return { name, ...found }
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

/** The entries of a glossary whose table is gone. */
async function goneOf(
  database: Database,
  glossary: Glossary,
  limits: TimeLimits,
): Promise<readonly string[]> {
  // An entry whose words were all removed says nothing, and is not missed.
  const names = Object.entries(glossary)
    .filter(([, { description, columns = {} }]) => description || Object.keys(columns).length > 0)
    .map(([name]) => name)
  if (names.length === 0) return []
  const all = await allTables(database, limits)
  const there = new Set(all.flatMap((it) => namesOf(database.dialect, it)))
  return names.filter((it) => !there.has(it)).slice(0, MAX_GONE)
}

interface View {
  readonly question: SchemaQuestion
  readonly database: Database
  readonly glossary: Glossary
  readonly caps: Endpoint['caps']
  readonly limits: TimeLimits
}

async function tableView(
  name: string,
  { question: { offset, limit }, database, glossary, caps, limits }: View,
) {
  const { dialect } = database
  const table = await findTable(database, name, limits)
  const entry = entryOf(table, database, glossary)
  const said = new Map(Object.entries(entry.columns ?? {}))
  const all = table.columns.slice(offset, offset + limit).map((it) => ({
    name: it.name,
    type: it.type,
    nullable: it.nullable,
    default: shorten(it.default, MAX_TEXT_CHARS),
    values: it.values && firstOf(it.values, MAX_TEXT_CHARS),
    comment: shorten(it.comment, MAX_TEXT_CHARS),
    description: said.get(it.name),
  }))
  const columns = all.slice(0, itemsThatFit(all, PAGE_BYTES))
  const next = offset + columns.length
  const keyShown = ({ columns, table: other, tableColumns }: ForeignKey) => ({
    columns,
    table: shownName(dialect, other),
    tableColumns,
  })
  const there = new Set(table.columns.map((it) => it.name))
  return {
    name: shownName(dialect, table),
    /** The name of its entry in the glossary. Without one, it cannot be described. */
    entry: entry.name,
    kind: table.kind,
    comment: shorten(table.comment, MAX_TEXT_CHARS),
    description: entry.description,
    estimatedRows: table.estimatedRows,
    columns,
    totalColumns: table.columns.length,
    ...(columns.length > 0 && next < table.columns.length && { next }),
    gone: [...said.keys()].filter((it) => !there.has(it)).slice(0, MAX_GONE),
    primaryKey: table.primaryKey.slice(0, MAX_LISTED),
    uniqueKeys: table.uniqueKeys.slice(0, MAX_LISTED),
    foreignKeys: table.foreignKeys.slice(0, MAX_LISTED).map(keyShown),
    referencedBy: table.referencedBy.slice(0, MAX_LISTED).map(keyShown),
    relations: table.foreignKeys.length + table.referencedBy.length,
    indexes: table.indexes
      .slice(0, MAX_LISTED)
      .map(({ name, unique, columns }) => ({ name, unique, columns })),
    neighbours: await neighboursOf(table, database, limits),
    reads: readOf(table, entry.description, said, database, caps),
  }
}

/** What `describe_table` answers, without samples, and about how many tokens that is. */
function readOf(
  table: Table,
  description: string | undefined,
  said: ReadonlyMap<string, string>,
  { dialect }: Database,
  caps: Endpoint['caps'],
) {
  const told = {
    ...table,
    comment: description ?? table.comment,
    columns: table.columns.map((it) => ({ ...it, comment: said.get(it.name) ?? it.comment })),
  }
  const text = JSON.stringify(descriptionOf(told, dialect, caps))
  return { text: shorten(text, MAX_READ_CHARS), tokens: Math.ceil(text.length / TOKEN_CHARS) }
}

/** Characters of what the model reads that are shown. */
const MAX_READ_CHARS = 6_000

/** Characters of JSON for a token, as tokenizers have it on average. */
const TOKEN_CHARS = 4

/** The first tables to which foreign keys lead from here, and from which they come, with a few columns each. */
async function neighboursOf(table: Table, database: Database, limits: TimeLimits) {
  const { foreignKeys, referencedBy } = table
  const own = keyOf(table)
  const near = new Map<string, TableName & { readonly keys: Set<string> }>()
  const take = (keys: readonly ForeignKey[], most: number) => {
    for (const { table: other, tableColumns } of keys) {
      const key = keyOf(other)
      const known = near.get(key)
      if (known) for (const it of tableColumns) known.keys.add(it)
      else if (key !== own && near.size < most) {
        near.set(key, { ...other, keys: new Set(tableColumns) })
      }
    }
  }
  take(foreignKeys, MAX_NEIGHBOURS / 2)
  take(referencedBy, MAX_NEIGHBOURS)
  take(foreignKeys, MAX_NEIGHBOURS)
  const tables = [...near.values()]
  const columns = await columnsOf(database, tables, limits)
  return tables.map(({ keys, ...it }, i) => {
    const all = columns[i]!.map(([name, type]) => ({ name: String(name), type: String(type) }))
    const first = [
      ...all.filter(({ name }) => keys.has(name)),
      ...all.filter(({ name }) => !keys.has(name)),
    ]
    return {
      name: shownName(database.dialect, it),
      columns: first.slice(0, NEIGHBOUR_COLUMNS),
      totalColumns: all.length,
    }
  })
}

export type SchemaView = Awaited<ReturnType<typeof viewSchema>>
