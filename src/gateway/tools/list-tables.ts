import * as z from 'zod/mini'
import { columnsOf, listTables as list, shownName } from '../../database/index.ts'
import { ToolError } from '../../mcp/index.ts'
import { firstOf, itemsThatFit, listSchema, shorten } from '../answer/answer.ts'
import { databaseTool } from './database-tool.ts'

/** Maximum size of a page in bytes, however long the names are. A model reads a page before every question. */
const PAGE_BYTES = 4_000

/** Number of tables on a page. With their columns, fewer fit. */
const PAGE_TABLES = 100
const DETAILED_TABLES = 30

const MAX_COMMENT_CHARS = 200

/** Without this, a model tries again with other words. */
const NOTHING_FOUND = 'No name, column or comment contains this: search for one word, or list all.'

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
  output: listSchema('tables'),
  async run({ search, detail, cursor }, { database, terms, limits }) {
    const offset = offsetOf(cursor)
    const { tables, total } = await list(database, {
      search,
      offset,
      limit: detail ? DETAILED_TABLES : PAGE_TABLES,
      limits,
    })
    const columns = detail
      ? await columnsOf(database, tables, { ...limits, catalog: undefined })
      : []
    const texts = columns.map((it) => it.map(([name, type]) => `${name} ${type}`.trim()))
    const all = tables.map((it, i) => ({
      name: shownName(database.dialect, it),
      kind: it.kind === 'table' ? undefined : it.kind,
      columns: texts[i] ? firstOf(texts[i], PAGE_BYTES / 2) : it.columnCount,
      estimatedRows: it.estimatedRows,
      comment: shorten(it.comment, MAX_COMMENT_CHARS),
    }))
    const shown = all.slice(0, itemsThatFit(all, PAGE_BYTES))
    const next = offset + shown.length
    const meant = search && offset === 0 ? termsFound(terms, search) : []
    return {
      tables: shown,
      total,
      ...(shown.length > 0 && next < total && { nextCursor: String(next) }),
      ...(meant.length > 0 && { terms: meant }),
      ...(search && total === 0 && meant.length === 0 && { hint: NOTHING_FOUND }),
    }
  },
})

/** Maximum size of the terms that a search finds, in bytes. */
const TERM_BYTES = 1_500

/** The endpoint's terms whose name or meaning contains the search text. */
function termsFound(terms: Readonly<Record<string, string>>, search: string) {
  const wanted = search.trim().toLowerCase()
  const found = Object.entries(terms)
    .filter(([term, meaning]) => {
      const name = term.toLowerCase()
      return wanted.includes(name) || `${name} ${meaning.toLowerCase()}`.includes(wanted)
    })
    .map(([term, meaning]) => ({ term, meaning }))
  return found.slice(0, itemsThatFit(found, TERM_BYTES))
}

/** A cursor is the number of tables before its page. */
function offsetOf(cursor = '0'): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw new ToolError('This cursor is not valid. Call list_tables without a cursor to start again.')
}
