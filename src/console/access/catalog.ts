import { refusedBy } from '../parts/draft.ts'
import { pathWith } from '../parts/pages.tsx'
import { ask, type Visit } from '../visit.ts'

/** A page of tables, or why there is none. */
export interface FoundTables {
  readonly tables: readonly { readonly name: string; readonly columns?: number | undefined }[]
  readonly total: number
  readonly next?: string | undefined
  readonly problem?: string | undefined
}

interface FoundColumns {
  readonly columns: readonly { readonly name: string; readonly type?: string | undefined }[]
  readonly problem?: string | undefined
}

/** Tables of a page, and columns that are asked for at once. */
const TABLES = 50
const COLUMNS = 200

/** A rule names no more columns. */
const MAX_COLUMNS = 2_000

/** A page of the tables of a database. */
export async function tablesOf(
  visit: Visit,
  endpoint: string,
  query: {
    readonly database: string
    readonly search?: string | undefined
    readonly offset?: string | undefined
  },
): Promise<FoundTables> {
  const found = await ask(visit, 'GET', schemaPath(endpoint, { ...query, limit: TABLES }))
  const refused = refusedBy(found)
  if (refused) return { tables: [], total: 0, problem: refused.message }
  const { tables = [], total = 0, next } = found.body
  return { tables, total, ...(next !== undefined && { next: `${next}` }) }
}

/** All columns of a table. */
export async function columnsOf(
  visit: Visit,
  endpoint: string,
  database: string,
  table: string,
): Promise<FoundColumns> {
  const columns: { name: string; type: string }[] = []
  let offset: number | undefined = 0
  while (offset !== undefined && columns.length < MAX_COLUMNS) {
    const query = { database, table, offset, limit: COLUMNS }
    const found = await ask(visit, 'GET', schemaPath(endpoint, query))
    const refused = refusedBy(found)
    if (refused) return { columns: [], problem: refused.message }
    columns.push(...found.body.table.columns)
    offset = found.body.table.next
  }
  return { columns }
}

const schemaPath = (endpoint: string, query: Parameters<typeof pathWith>[1]): string =>
  pathWith(`/endpoints/${endpoint}/schema`, query)
