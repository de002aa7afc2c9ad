import * as z from 'zod/mini'
import { type ForeignKey, findTable } from '../../database/index.ts'
import { databaseTool } from '../database-tool.ts'
import { fitting } from '../rows.ts'
import { shownName } from '../table-name.ts'

const names = z.array(z.string())
const reference = z.object({ columns: names, table: z.string(), tableColumns: names })

export const describeTable = databaseTool({
  name: 'describe_table',
  title: 'Describe table',
  description:
    'Columns, types, keys, indexes and comments of one table or view. Look before you write SQL.',
  input: z.strictObject({ table: z.string().check(z.describe('As list_tables names it.')) }),
  output: z.object({
    name: z.string(),
    kind: z.string(),
    comment: z.optional(z.string()),
    estimatedRows: z.optional(z.number()),
    columns: z.array(
      z.object({
        name: z.string(),
        type: z.string(),
        nullable: z.boolean(),
        default: z.optional(z.string()),
        values: z.optional(names),
        comment: z.optional(z.string()),
      }),
    ),
    hint: z.optional(z.string()),
    primaryKey: names,
    uniqueKeys: z.optional(z.array(names)),
    foreignKeys: z.optional(z.array(reference)),
    referencedBy: z.optional(z.array(reference)),
    indexes: z.optional(
      z.array(z.object({ name: z.string(), unique: z.boolean(), columns: names })),
    ),
  }),
  async run({ table: name }, { database, caps, limits }) {
    const table = await findTable(database, name, limits)
    const shown = ({ columns, table: other, tableColumns }: ForeignKey) => ({
      columns,
      table: shownName(database.dialect, other),
      tableColumns,
    })
    const all = table.columns.map(({ primaryKey, ...column }) => column)
    const columns = all.slice(0, fitting(all, caps.bytes))
    return {
      name: shownName(database.dialect, table),
      kind: table.kind,
      comment: table.comment,
      estimatedRows: table.estimatedRows,
      columns,
      hint:
        columns.length < all.length
          ? `Only the first ${columns.length} of ${all.length} columns: the others are in the database's own catalog.`
          : undefined,
      primaryKey: table.primaryKey,
      uniqueKeys: some(table.uniqueKeys),
      foreignKeys: some(table.foreignKeys.map(shown)),
      referencedBy: some(table.referencedBy.map(shown)),
      indexes: some(table.indexes.map(({ name, unique, columns }) => ({ name, unique, columns }))),
    }
  },
})

/** An empty list says nothing that its absence does not. */
const some = <T>(list: readonly T[]) => (list.length > 0 ? list : undefined)
