import {
  columnsOf,
  type Database,
  type ForeignKey,
  findTable,
  type Glossary,
  keyOf,
  namesOf,
  shownName,
  type Table,
  type TableName,
  type TimeLimits,
} from '../../database/index.ts'
import { estimatedTokens, firstOf, itemsThatFit, shorten } from '../answer/answer.ts'
import type { Endpoint } from '../config/endpoint.ts'
import { descriptionOf, keyShown } from '../tools/describe-table.ts'

/** Maximum size of one page of an answer, in bytes. */
export const PAGE_BYTES = 64_000

/** Maximum numbers: glossary entries that are gone, keys and indexes in a table, neighbors, and their columns. */
export const MAX_GONE = 200
const MAX_LISTED = 50
const MAX_NEIGHBOURS = 6
const NEIGHBOUR_COLUMNS = 4

const MAX_TEXT_CHARS = 500

interface ColumnsPage {
  /** The page of its columns. */
  readonly offset: number
  readonly limit: number
  readonly database: Database
  readonly glossary: Glossary
  readonly caps: Endpoint['caps']
  readonly limits: TimeLimits
}

/** A table for the operator: its columns, keys and neighbors, and the text that the model reads. */
export async function tableView(
  name: string,
  { offset, limit, database, glossary, caps, limits }: ColumnsPage,
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
  const there = new Set(table.columns.map((it) => it.name))
  return {
    name: shownName(dialect, table),
    /** The name of its entry in the glossary. Without a name, the table cannot be described. */
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
    foreignKeys: table.foreignKeys.slice(0, MAX_LISTED).map(keyShown(dialect)),
    referencedBy: table.referencedBy.slice(0, MAX_LISTED).map(keyShown(dialect)),
    relations: table.foreignKeys.length + table.referencedBy.length,
    indexes: table.indexes
      .slice(0, MAX_LISTED)
      .map(({ name, unique, columns }) => ({ name, unique, columns })),
    neighbours: await neighboursOf(table, database, limits),
    reads: readOf(table, entry.description, said, database, caps),
  }
}

/** The result of `describe_table` without samples, and an estimate of its tokens. */
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
  return { text: shorten(text, MAX_READ_CHARS), tokens: estimatedTokens(text) }
}

/** Maximum number of characters to show from the text that the model reads. */
const MAX_READ_CHARS = 6_000

/** The first tables that this one references, and that reference it, with a few columns each. */
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
    const first = all.toSorted((a, b) => Number(keys.has(b.name)) - Number(keys.has(a.name)))
    return {
      name: shownName(database.dialect, it),
      columns: first.slice(0, NEIGHBOUR_COLUMNS),
      totalColumns: all.length,
    }
  })
}

/** The glossary entry for a table, and its name there, if it has one or can have one. */
export function entryOf(table: TableName, database: Database, glossary: Glossary) {
  // An object cannot have a key with this name. With the schema as a prefix, it can.
  const names = namesOf(database.dialect, table).filter((it) => it !== '__proto__')
  const name = names.find((it) => Object.hasOwn(glossary, it)) ?? names[0]
  const found = name !== undefined && Object.hasOwn(glossary, name) ? glossary[name]! : {}
  return { name, ...found }
}
