import { pathWith } from '../parts/pages.tsx'

/** Place in a schema, from the page's address. */
export interface SchemaPlace {
  readonly endpoint: string
  readonly database: string
  readonly search: string
  /** Number of tables before this page of the list. */
  readonly from: number
  /** Selected table. */
  readonly table: string | undefined
  /** Number of columns before this page. */
  readonly column: number
  /** Term that is being edited, and the number of terms before this page. */
  readonly term: string | undefined
  readonly terms: number
}

/** Place from an address's query, for a known endpoint and database. */
export const placeOf = (
  endpoint: string,
  database: string,
  { search = '', from, table, column, term, terms }: Readonly<Record<string, string>>,
): SchemaPlace => ({
  endpoint,
  database,
  search: search.slice(0, MAX_SEARCH_CHARS),
  from: numberOf(from),
  table: table?.slice(0, MAX_NAME_CHARS) || undefined,
  column: numberOf(column),
  term: term?.slice(0, MAX_NAME_CHARS) || undefined,
  terms: numberOf(terms),
})

/** Maximum lengths that the API accepts. */
export const MAX_SEARCH_CHARS = 200
const MAX_NAME_CHARS = 1_000

/** Address of a place. Empty fields are left out. */
export const hrefOf = (
  place: SchemaPlace,
  change: Partial<SchemaPlace> & { readonly done?: string } = {},
): string => schemaPath({ ...place, ...change })

/** Path below a schema, with the query of a place. */
export function schemaPath({ endpoint, ...place }: SchemaPlace, at = ''): string {
  const fields = Object.entries(place).map(([key, value]) => [
    key,
    value ? `${value}`.toWellFormed() : undefined,
  ])
  return pathWith(`/console/endpoints/${endpoint}/schema${at}`, Object.fromEntries(fields))
}

/** Address of a table in this place. */
export const tableHref = (place: SchemaPlace, table: string): string =>
  hrefOf(place, { table, column: 0, term: undefined })

/**
 * Makes links to other tables until their addresses use up a byte budget: a name can be long and appear often. A table
 * without a link is still in the list.
 */
export function addressesWithin(
  place: SchemaPlace,
  bytes: number,
): (table: string) => string | undefined {
  let left = bytes
  return (table) => {
    const href = tableHref(place, table)
    left -= href.length
    return left >= 0 ? href : undefined
  }
}

const numberOf = (text = '') => (/^\d{1,6}$/.test(text) ? Number(text) : 0)
