/** Where one is in a schema: what the address of the page says. */
export interface Place {
  readonly endpoint: string
  readonly database: string
  readonly search: string
  /** Tables before the page of the list. */
  readonly from: number
  /** The chosen table. */
  readonly table: string | undefined
  /** Its columns before the page of them. */
  readonly column: number
  /** The term that is being changed, and the terms before the page of them. */
  readonly term: string | undefined
  readonly terms: number
}

type Asked = Readonly<Record<string, string>>

/** The place that an address, or the hidden field of a form, names. Its endpoint and database are known. */
export const placeOf = (
  endpoint: string,
  database: string,
  { search = '', from, table, column, term, terms }: Asked,
): Place => ({
  endpoint,
  database,
  search: search.slice(0, MAX_SEARCH_CHARS),
  from: numberOf(from),
  table: table?.slice(0, MAX_NAME_CHARS) || undefined,
  column: numberOf(column),
  term: term?.slice(0, MAX_NAME_CHARS) || undefined,
  terms: numberOf(terms),
})

/** Characters that the API takes. */
export const MAX_SEARCH_CHARS = 200
export const MAX_NAME_CHARS = 1_000

/** The address of a place, for a link: what is left out is not in it. */
export function hrefOf(
  { endpoint, ...place }: Place,
  change: Partial<Place> & { readonly done?: string } = {},
): string {
  const { database, search, from, table, column, term, terms, done } = {
    done: undefined,
    ...place,
    ...change,
  }
  const all = { database, search, from, table, column, term, terms, done }
  const fields = Object.entries(all).flatMap(([key, value]) =>
    value ? [[key, String(value).toWellFormed()]] : [],
  )
  return `/console/endpoints/${endpoint}/schema?${new URLSearchParams(fields)}`
}

/**
 * Leads to other tables, as long as their addresses take no more than so many bytes of a page: a name may be long,
 * and stand there often. A table without an address is found in the list.
 */
export function addressesWithin(
  place: Place,
  bytes: number,
): (table: string) => string | undefined {
  let left = bytes
  return (table) => {
    const href = hrefOf(place, { table, column: 0, term: undefined })
    left -= href.length
    return left >= 0 ? href : undefined
  }
}

/** The table and its page as a query, which a form sends along. */
export const queryOf = (place: Place): string => new URL(hrefOf(place), 'http://x').search

const numberOf = (text = '') => (/^\d{1,6}$/.test(text) ? Number(text) : 0)
