import {
  byCatalog,
  bySessions,
  type Cell,
  DatabaseError,
  findTable,
  type QueryContext,
  selectStatement,
  type Table,
  textSearch,
} from '../../database/index.ts'
import { type Context, ToolError } from '../../mcp/index.ts'
import { shorten, shortenToBytes } from '../answer/answer.ts'
import { callOf } from '../calls.ts'
import type { Caps } from '../config/endpoint.ts'
import type { SearchConfig } from '../config/search-config.ts'
import { askerOf, type EndpointDatabase, type OpenedFor } from '../open/endpoint-database.ts'

/** A row as ChatGPT's `fetch` returns it: https://developers.openai.com/api/docs/mcp */
export interface Document {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly url: string
  readonly metadata: Readonly<Record<string, string>>
}

/** A searchable table of an endpoint, in a database that exists. */
export interface SearchedTable extends SearchConfig {
  readonly database: string
  readonly located: EndpointDatabase
  readonly caps: Caps
  /** The address of this deployment's pages for rows. */
  readonly pages: string
}

/** The caller of a search, and the parts of its query context that already exist. */
type Searcher = OpenedFor & Pick<QueryContext, 'signal' | 'sessions' | 'catalog'>

/** Maximum number of rows that one search finds in each table. */
const MAX_FOUND_ROWS = 10

/** Bytes that a query can read for each byte of an answer: fewer than for a tool, since it reads few rows. */
const SEARCH_READ_FACTOR = 20

const MAX_TITLE_CHARS = 200

/** A column in the `url` of a source. */
const URL_COLUMN = /\{([^{}]+)\}/g

/** Finds the rows in which these words occur. */
export async function search(
  sources: readonly SearchedTable[],
  query: string,
  context: Context,
): Promise<{ readonly results: readonly ReturnType<typeof referenceTo>[] }> {
  // Tables are searched in parallel, each in its own session.
  const found = await Promise.all(
    sources.map((it) => reading(context, (asker) => searchSource(it, query, asker))),
  )
  return { results: found.flatMap((it) => it ?? []) }
}

/** Reads a source for a caller, in its own sessions; undefined if the record does not exist. */
const reading = <T>(
  context: Context,
  read: (asker: Searcher) => Promise<T>,
): Promise<T | undefined> =>
  bySessions(undefined, (sessions) =>
    byCatalog((catalog) =>
      read({ ...askerOf(context), signal: context.signal, sessions, catalog }),
    ),
  ).catch((error: unknown) => {
    if (error instanceof NotThere) return undefined
    if (!(error instanceof DatabaseError)) throw error
    const call = callOf(context)
    if (call) call.failure = error.kind
    throw new ToolError(error.message)
  })

/** The catalog has no such table or column, or hides it from the caller. */
class NotThere extends Error {
  override readonly name = 'NotThere'
}

async function searchSource(source: SearchedTable, query: string, asker: Searcher) {
  const { database, table, limits } = await openTable(source, asker, true)
  const shown = [...new Set([...table.primaryKey, source.title, ...columnsInUrl(source)])]
  const asked = { text: source.text, shown, query, limit: MAX_FOUND_ROWS }
  const { rows } = await database.query(textSearch(database.dialect, table, asked), limits)
  return rows.map((row) => referenceTo(byColumn(shown, row), source, table))
}

/** Reads the row with this id; undefined if there is none. */
export const fetchDocument = (sources: readonly SearchedTable[], id: string, context: Context) =>
  reading(context, (asker) => readRow(sources, id, asker))

async function readRow(
  sources: readonly SearchedTable[],
  id: string,
  asker: Searcher,
): Promise<Document | undefined> {
  const [name, tableName, ...keys] = partsOf(id)
  const source = sources.find((it) => it.database === name && it.table === tableName)
  if (!source) return undefined
  const { database, table, limits } = await openTable(source, asker, false)
  if (keys.length !== table.primaryKey.length) throw new NotThere()
  const where = table.primaryKey.map(
    (column, i) => ({ column, op: 'eq', value: keys[i]! }) as const,
  )
  const statement = selectStatement(database.dialect, { table, where, limit: 1 })
  const { columns, rows } = await database.query(statement, limits)
  if (!rows[0]) return undefined
  const cells = byColumn(
    columns.map((it) => it.name),
    rows[0],
  )
  const lines = columns.map(({ name }, i) => `${name}: ${textOf(rows[0]![i])}`)
  const text = shortenToBytes(lines.join('\n'), source.caps.bytes)
  const metadata = { database: source.database, table: source.table }
  return { ...referenceTo(cells, source, table), text, metadata }
}

const columnsInUrl = ({ url = '' }: SearchedTable) =>
  [...url.matchAll(URL_COLUMN)].map(([, column]) => column!)

/** Opens the table of a source. Throws {@link NotThere} if it, or a column that is needed, is hidden. */
async function openTable(source: SearchedTable, asker: Searcher, isSearch: boolean) {
  const { located, table: name, caps } = source
  const database = await located.open(asker)
  const { hidesColumns } = database.dialect
  const { signal, sessions, catalog } = asker
  const limits: QueryContext = {
    maxRows: MAX_FOUND_ROWS,
    maxBytes: caps.bytes * SEARCH_READ_FACTOR,
    timeoutMs: caps.timeoutMs,
    cost: caps.cost,
    ...{ signal, sessions, catalog },
  }
  const table = await findTable(database, name, limits).catch((error: unknown) => {
    const isHidden = hidesColumns && error instanceof DatabaseError && error.kind === 'sql'
    throw isHidden ? new NotThere() : error
  })
  // `fetch` shows a row without these columns, unless they could be hidden.
  const needed =
    isSearch || hidesColumns ? [source.title, ...source.text, ...columnsInUrl(source)] : []
  const missing = needed.find((column) => !table.columns.some((it) => it.name === column))
  const hasKey = table.primaryKey.length > 0
  if (hasKey && missing === undefined) return { database, table, limits }
  if (hidesColumns) throw new NotThere()
  throw new ToolError(
    hasKey
      ? `This endpoint is set up to search ${table.name}.${missing}, which does not exist. Its operator has to correct that.`
      : `${name} has no primary key, which search and fetch need. Its operator has to add one.`,
  )
}

/** A map, since an operator can write `{constructor}` in an address. */
type SearchedRow = ReadonlyMap<string, Cell>

const byColumn = (columns: readonly string[], cells: readonly Cell[]): SearchedRow =>
  new Map(columns.map((name, i) => [name, cells[i] ?? null]))

/** The reference to a row: its id, its title and its address. */
function referenceTo(row: SearchedRow, source: SearchedTable, table: Table) {
  const keys = table.primaryKey.map((column) => textOf(row.get(column)))
  const id = [source.database, source.table, ...keys].map(encodeURIComponent).join('/')
  const url =
    source.url?.replace(URL_COLUMN, (_, column) => encodeURIComponent(textOf(row.get(column)))) ??
    `${source.pages}/${id}`
  return { id, title: shorten(textOf(row.get(source.title)), MAX_TITLE_CHARS), url }
}

const textOf = (cell: Cell | undefined): string =>
  cell !== null && typeof cell === 'object' ? JSON.stringify(cell) : String(cell ?? '')

/** The parts of an id: the database, the table, and the values of the primary key. */
function partsOf(id: string): readonly string[] {
  try {
    return id.split('/').map(decodeURIComponent)
  } catch {
    return []
  }
}
