import * as z from 'zod/mini'
import {
  type Database,
  type Dialect,
  type ForeignKey,
  findTable,
  type QueryContext,
  selectStatement,
  shownName,
  type Table,
} from '../../database/index.ts'
import { firstOf, itemsThatFit, jsonBytes, listSchema, shorten } from '../answer/answer.ts'
import type { Caps } from '../config/endpoint.ts'
import { atMost, databaseTool } from './database-tool.ts'

export const describeTable = databaseTool({
  name: 'describe_table',
  title: 'Describe table',
  description: 'Columns, keys, indexes, comments of one table. Look before you write SQL.',
  input: z.strictObject({ table: z.string().check(atMost(1_000, 'characters')) }),
  output: listSchema('columns'),
  async run({ table: name }, { database, caps, limits }) {
    const table = await findTable(database, name, limits)
    const samples = await samplesOf(table, database, limits, caps.samples)
    return descriptionOf(table, database.dialect, caps, samples)
  },
})

/** The description of a table for the model, within the size limit of an answer. */
export function descriptionOf(
  whole: Table,
  dialect: Dialect,
  caps: Pick<Caps, 'bytes'>,
  samples?: Awaited<ReturnType<typeof samplesOf>>,
) {
  // By following foreign keys from table to table, a caller could list all tables.
  const table = dialect.hidesTables ? { ...whole, foreignKeys: [], referencedBy: [] } : whole
  const keyOf = keyShown(dialect)
  const listBytes = caps.bytes / 8
  const keys = {
    primaryKey: table.primaryKey,
    uniqueKeys: firstItems(table.uniqueKeys, listBytes),
    foreignKeys: firstItems(table.foreignKeys.map(keyOf), listBytes),
    referencedBy: firstItems(table.referencedBy.map(keyOf), listBytes),
    indexes: firstItems(
      table.indexes.map(({ partial, where, ...index }) => ({
        ...index,
        // A partial index is unique among these rows only.
        where: partial ? (shorten(where, MAX_TEXT_CHARS) ?? 'only some rows') : undefined,
      })),
      listBytes,
    ),
  }
  const all = table.columns.map(({ primaryKey, nullable, values, operators, ...column }, i) => ({
    ...column,
    default: shorten(column.default, MAX_TEXT_CHARS),
    comment: shorten(column.comment, MAX_TEXT_CHARS),
    values: values && firstOf(values, listBytes),
    samples: samples?.[i],
    nullable: nullable || undefined,
  }))
  const columns = firstItems(all, caps.bytes - jsonBytes(keys)) ?? []
  return {
    name: shownName(dialect, table),
    kind: table.kind === 'table' ? undefined : table.kind,
    comment: shorten(table.comment, MAX_TEXT_CHARS),
    estimatedRows: table.estimatedRows,
    columns,
    hint: hintOf(table, { ...keys, columns }),
    ...keys,
  }
}

/** Shows a foreign key with the other table's shortest name. */
export const keyShown =
  (dialect: Dialect) =>
  ({ columns, table, tableColumns }: ForeignKey) => ({
    columns,
    table: shownName(dialect, table),
    tableColumns,
  })

/** The first items of a list; undefined if it is empty, which saves tokens. */
const firstItems = <T>(items: readonly T[], maxBytes: number): readonly T[] | undefined =>
  items.length > 0 ? items.slice(0, itemsThatFit(items, maxBytes)) : undefined

const lists = ['uniqueKeys', 'foreignKeys', 'referencedBy', 'indexes', 'columns'] as const

type DescribedLists = Readonly<
  Partial<Record<(typeof lists)[number], readonly unknown[] | undefined>>
>

/** Says which of a table's lists are cut; undefined if none are. */
function hintOf(table: Table, shown: DescribedLists): string | undefined {
  const cut = lists.flatMap((list) => {
    const [all, kept] = [table[list].length, shown[list]?.length ?? 0]
    return kept < all ? [`${kept} of ${all} ${list}`] : []
  })
  if (cut.length === 0) return undefined
  return `Only the first ${cut.join(', ')}: the others are in the database's own catalog.`
}

/** The distinct values of each column in the first rows, as examples. */
async function samplesOf(table: Table, database: Database, limits: QueryContext, maxRows: number) {
  if (maxRows === 0) return undefined
  const names = table.columns.map((it) => it.name)
  const first = selectStatement(database.dialect, { table, columns: names, limit: maxRows })
  // A table that cannot be sampled is still described.
  const found = await database.query(first, limits).catch(() => undefined)
  return table.columns.map((_, i) => {
    const values = new Set(found?.rows.map((row) => shorten(row[i], MAX_SAMPLE_CHARS)))
    values.delete(null)
    return values.size > 0 ? [...values] : undefined
  })
}

/** A sample is only an example of a column's values. */
const MAX_SAMPLE_CHARS = 40

/** Maximum length of a comment, a default or a condition. */
const MAX_TEXT_CHARS = 500
