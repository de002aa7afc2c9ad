import * as z from 'zod/mini'
import { columnsOf, listTables as list, shownName } from '../../database/index.ts'
import { ToolError } from '../../mcp/index.ts'
import { firstOf, fitting, listOf, shorten } from '../answer.ts'
import { databaseTool } from '../database-tool.ts'

/** What a page may weigh in bytes, however long the names are: it is read before every question. */
const PAGE = 4_000

/** Tables of a page with columns. SQLite on Cloudflare takes 100 parameters, and MySQL three a table. */
const DETAILED = 30

/** A model that is told only that there is nothing tries the same with other words. */
const NOTHING = 'No name, column or comment contains this: search for one word, or list all.'

export const listTables = databaseTool({
  name: 'list_tables',
  title: 'List tables',
  description:
    'Tables and views; search by part of a name, column or comment; detail lists columns. Start here.',
  input: z.strictObject({
    search: z.optional(z.string().check(z.maxLength(200))),
    detail: z.optional(z.boolean()),
    cursor: z.optional(z.string()),
  }),
  output: listOf('tables'),
  async run({ search, detail, cursor }, { database, limits }) {
    const offset = offsetOf(cursor)
    const { tables, total } = await list(database, {
      search,
      offset,
      limit: detail ? DETAILED : 100,
      limits,
    })
    const columns = detail ? await columnsOf(database, tables, limits) : []
    const texts = columns.map((it) => it.map(([name, type]) => `${name} ${type}`.trim()))
    const all = tables.map((it, i) => ({
      name: shownName(database.dialect, it),
      kind: it.kind === 'table' ? undefined : it.kind,
      columns: texts[i] ? firstOf(texts[i], PAGE / 2) : it.columnCount,
      estimatedRows: it.estimatedRows,
      comment: shorten(it.comment, 200),
    }))
    const shown = all.slice(0, fitting(all, PAGE))
    const next = offset + shown.length
    return {
      tables: shown,
      total,
      ...(shown.length > 0 && next < total && { nextCursor: String(next) }),
      ...(search && total === 0 && { hint: NOTHING }),
    }
  },
})

/** A cursor is how many tables came before. */
function offsetOf(cursor = '0'): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw new ToolError('This cursor is none of ours: list from the beginning.')
}
