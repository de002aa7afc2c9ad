import * as z from 'zod/mini'
import {
  type Database,
  type ForeignKey,
  findTable,
  type Limits,
  select,
  shownName,
  type Table,
} from '../../database/index.ts'
import { firstOf, fitting, listOf, shorten, sizeOf } from '../answer.ts'
import { atMost, databaseTool } from '../database-tool.ts'

export const describeTable = databaseTool({
  name: 'describe_table',
  title: 'Describe table',
  description: 'Columns, keys, indexes, comments of one table. Look before you write SQL.',
  input: z.strictObject({ table: z.string().check(atMost(1_000, 'characters')) }),
  output: listOf('columns'),
  async run({ table: name }, { database, caps, limits }) {
    const table = await findTable(database, name, limits)
    const shown = ({ columns, table: other, tableColumns }: ForeignKey) => ({
      columns,
      table: shownName(database.dialect, other),
      tableColumns,
    })
    const part = caps.bytes / 8
    const sampled = await samplesOf(table, database, limits, caps.samples)
    const cut: string[] = []
    /** The first of a list. One that is empty says nothing that its absence does not. */
    const some = <T>(what: string, list: readonly T[], most = part) => {
      const kept = list.slice(0, fitting(list, most))
      if (kept.length < list.length) cut.push(`${kept.length} of ${list.length} ${what}`)
      return kept.length > 0 ? kept : undefined
    }
    const keys = {
      primaryKey: table.primaryKey,
      uniqueKeys: some('uniqueKeys', table.uniqueKeys),
      foreignKeys: some('foreignKeys', table.foreignKeys.map(shown)),
      referencedBy: some('referencedBy', table.referencedBy.map(shown)),
      indexes: some(
        'indexes',
        table.indexes.map(({ partial, where, ...index }) => ({
          ...index,
          // Unique among these rows alone.
          where: partial ? (shorten(where, LONGEST) ?? 'only some rows') : undefined,
        })),
      ),
    }
    const columns = table.columns.map(
      ({ primaryKey, nullable, values, operators, ...column }, i) => ({
        ...column,
        default: shorten(column.default, LONGEST),
        comment: shorten(column.comment, LONGEST),
        values: values && firstOf(values, part),
        samples: sampled?.[i],
        nullable: nullable || undefined,
      }),
    )
    return {
      name: shownName(database.dialect, table),
      kind: table.kind === 'table' ? undefined : table.kind,
      comment: shorten(table.comment, LONGEST),
      estimatedRows: table.estimatedRows,
      columns: some('columns', columns, caps.bytes - sizeOf(keys)) ?? [],
      hint:
        cut[0] && `Only the first ${cut.join(', ')}: the others are in the database's own catalog.`,
      ...keys,
    }
  },
})

/** Of each column the values in the first rows, each once: what its texts and numbers look like. */
async function samplesOf(table: Table, database: Database, limits: Limits, most: number) {
  if (most === 0) return undefined
  const names = table.columns.map((it) => it.name)
  const first = select(database.dialect, { table, columns: names, limit: most })
  // What cannot be sampled can still be described.
  const found = await database.query(first, limits).catch(() => undefined)
  return table.columns.map((_, i) => {
    const values = new Set(found?.rows.map((row) => shorten(row[i], SAMPLE)))
    values.delete(null)
    return values.size > 0 ? [...values] : undefined
  })
}

/** Characters of a value that is only to show what it looks like. */
const SAMPLE = 40

/** Characters of a comment or of a default. */
const LONGEST = 500
