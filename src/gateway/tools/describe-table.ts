import * as z from 'zod/mini'
import { type ForeignKey, findTable } from '../../database/index.ts'
import { databaseTool } from '../database-tool.ts'
import { fitting } from '../rows.ts'
import { shownName } from '../table-name.ts'

export const describeTable = databaseTool({
  name: 'describe_table',
  title: 'Describe table',
  description: 'Columns, keys, indexes, comments of one table. Look before you write SQL.',
  input: z.strictObject({ table: z.string() }),
  output: z.object({ name: z.string(), columns: z.array(z.unknown()) }),
  async run({ table: name }, { database, caps, limits }) {
    const table = await findTable(database, name, limits)
    const shown = ({ columns, table: other, tableColumns }: ForeignKey) => ({
      columns,
      table: shownName(database.dialect, other),
      tableColumns,
    })
    const all = table.columns.map(({ primaryKey, nullable, ...column }) => ({
      ...column,
      nullable: nullable || undefined,
    }))
    const columns = all.slice(0, fitting(all, caps.bytes))
    return {
      name: shownName(database.dialect, table),
      kind: table.kind === 'table' ? undefined : table.kind,
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
