import * as z from 'zod/mini'
import { listTables as list } from '../../database/index.ts'
import { databaseTool } from '../database-tool.ts'
import { shownName } from '../table-name.ts'

/** Names are short: a page of them fits an answer. */
const PAGE = 100

export const listTables = databaseTool({
  name: 'list_tables',
  title: 'List tables',
  description:
    'Find tables and views by part of a table name, column name or comment; without a search, all of them. Start here.',
  input: z.strictObject({
    search: z.optional(
      z.string().check(z.maxLength(200), z.describe('Part of a name, such as "order". Not SQL.')),
    ),
    offset: z.optional(z.int().check(z.gte(0), z.describe('nextOffset of the answer before.'))),
  }),
  output: z.object({
    tables: z.array(
      z.object({
        name: z.string(),
        kind: z.string(),
        columns: z.int(),
        estimatedRows: z.optional(z.number()),
        comment: z.optional(z.string()),
      }),
    ),
    total: z.int(),
    nextOffset: z.optional(z.int()),
  }),
  async run({ search, offset = 0 }, { database, limits }) {
    const { tables, total } = await list(database, { search, offset, limit: PAGE, limits })
    const next = offset + tables.length
    return {
      tables: tables.map((it) => ({
        name: shownName(database.dialect, it),
        kind: it.kind,
        columns: it.columnCount,
        estimatedRows: it.estimatedRows,
        comment: it.comment?.slice(0, 200),
      })),
      total,
      ...(tables.length > 0 && next < total && { nextOffset: next }),
    }
  },
})
