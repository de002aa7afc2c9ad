import { pathWith } from '../parts/pages.tsx'
import { ask, type Visit } from '../visit.ts'

/** A table in a list. */
export interface ListedTable {
  readonly name: string
  readonly kind: string
  readonly columns: number
}

/** A page of the tables of a database. */
export interface TablePage {
  readonly tables: readonly ListedTable[]
  readonly total: number
  readonly next?: number
}

/** A page of the columns of a table. */
export interface ColumnPage {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly totalColumns: number
  readonly next?: number
}

/** Which part of a schema is asked for. */
interface Part {
  readonly database: string
  readonly search?: string | undefined
  readonly table?: string | undefined
  readonly offset?: number | undefined
  readonly limit: number
}

type Answered<T> = T | { readonly problem: string }

/** A page of tables, or why there is none. */
export const tablesOf = (visit: Visit, endpoint: string, part: Part) =>
  schemaOf<TablePage>(visit, endpoint, part, (body) => body)

/** A page of the columns of a table, or why there is none. */
export const columnsOf = (
  visit: Visit,
  endpoint: string,
  part: Part & { readonly table: string },
) => schemaOf<ColumnPage>(visit, endpoint, part, ({ table }) => table)

async function schemaOf<T>(
  visit: Visit,
  endpoint: string,
  { ...part }: Part,
  // biome-ignore lint/suspicious/noExplicitAny: the API has checked what it answers.
  read: (body: any) => T,
): Promise<Answered<T>> {
  const path = pathWith(`/endpoints/${endpoint}/schema`, part)
  const { status, body } = await ask(visit, 'GET', path)
  return status === 200
    ? read(body)
    : { problem: body?.error?.message ?? `The API answered ${status}.` }
}

/** The most columns of a table that a rule may name. */
const MAX_COLUMNS = 2_000

/** Columns of one answer of the API. */
const MOST = 200

/** The names of all columns of a table, as far as a rule may name them. */
export async function allColumns(
  visit: Visit,
  endpoint: string,
  { database, table }: { readonly database: string; readonly table: string },
): Promise<Answered<{ readonly names: readonly string[] }>> {
  const names: string[] = []
  for (let offset = 0; offset < MAX_COLUMNS; offset += MOST) {
    const page = await columnsOf(visit, endpoint, { database, table, offset, limit: MOST })
    if ('problem' in page) return page
    names.push(...page.columns.map(({ name }) => name))
    if (page.next === undefined) break
  }
  return { names }
}
