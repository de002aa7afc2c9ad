import type { ShownEndpoint } from '../parts/endpoint.ts'
import { pathWith } from '../parts/pages.tsx'
import { pathOf } from './gauge.tsx'

/** What is shown of the step: a page of the tables of a database, or of the columns of a table. */
export interface Asked {
  readonly group?: string | undefined
  readonly database: string
  readonly search?: string | undefined
  readonly table?: string | undefined
  readonly offset: number
  readonly done?: string | undefined
}

/** What an address asks for. */
export function askedIn(
  { databases }: ShownEndpoint,
  query: Readonly<Record<string, string | undefined>>,
): Asked {
  const [first = 'main'] = Object.keys(databases)
  const { group, database = '', search, table, offset = '0', done } = query
  return {
    group: group || undefined,
    database: Object.hasOwn(databases, database) ? database : first,
    search: search?.slice(0, 200) || undefined,
    table: table?.slice(0, 1_000) || undefined,
    offset: /^\d{1,6}$/.test(offset) ? Number(offset) : 0,
    done,
  }
}

/** The address that asks for this, or of a form that is about it. */
export const hrefOf = ({ name }: ShownEndpoint, { offset, ...asked }: Asked, part = ''): string =>
  pathWith(pathOf(name, 'who') + part, { ...asked, offset: offset || undefined })
