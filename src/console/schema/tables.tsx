import type { FC } from 'hono/jsx'
import { Submit } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { fitting, pageBytes } from '../parts/page-size.ts'
import { cut, grouped } from '../parts/texts.ts'
import { hrefOf, MAX_SEARCH_CHARS, type SchemaPlace, tableHref } from './place.ts'
import { type ListedTable, NAME_CHARS, type SchemaPage } from './shown.ts'

/** Byte budget for the addresses of a page of tables. Names in other scripts get long in an address. */
const MAX_ADDRESS_BYTES = 12_000

/** Side bar of tables: a search and a page of its results. */
export const Tables: FC<{
  readonly place: SchemaPlace
  readonly databases: readonly string[]
  /** Undefined if the database does not answer. */
  readonly page: SchemaPage | undefined
}> = ({ place, databases, page }) => (
  <div class="side">
    {databases.length > 1 && <Databases place={place} databases={databases} />}
    <search>
      <form method="get" class="field">
        <input type="hidden" name="database" value={place.database} />
        <label class="hidden" for="search">
          Find tables and columns
        </label>
        <input
          id="search"
          name="search"
          type="search"
          maxlength={MAX_SEARCH_CHARS}
          value={place.search}
          placeholder="Table or column"
        />
        <Submit kind="little" text="Search" />
      </form>
    </search>
    {page && <Found place={place} page={page} />}
    <nav aria-label="Glossary">
      <h2>Glossary</h2>
      <ul class="words">
        <li>
          <a href="#terms">Terms</a>
        </li>
        <li>
          <a href={`/console/endpoints/${place.endpoint}/schema/glossary.json`} download>
            Export as JSON
          </a>
        </li>
      </ul>
    </nav>
  </div>
)

const Databases: FC<{
  readonly place: SchemaPlace
  readonly databases: readonly string[]
}> = ({ place: { endpoint, database }, databases }) => (
  <nav aria-label="Databases">
    <h2>Databases</h2>
    <ul>
      {databases.map((it) => (
        <li>
          <a
            href={`/console/endpoints/${endpoint}/schema?database=${it}`}
            aria-current={it === database ? 'true' : undefined}
          >
            {it}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

const Found = ({ place, page }: { readonly place: SchemaPlace; readonly page: SchemaPage }) => {
  const { total } = page
  const links = page.tables.map((it) => ({ ...it, href: tableHref(place, it.name) }))
  const tables = fitting(links, MAX_ADDRESS_BYTES, ({ href }) => pageBytes(href))
  const last = place.from + tables.length
  return (
    <nav aria-label="Tables">
      <h2>{place.search ? `Found for “${cut(place.search, 40)}”` : 'Tables'}</h2>
      {tables.length === 0 && <p class="small dim">{place.search ? NOTHING_FOUND : NO_TABLES}</p>}
      <ul>
        {tables.map((it) => (
          <li>
            <a href={it.href} aria-current={it.name === place.table ? 'true' : undefined}>
              <bdi>{cut(it.name, NAME_CHARS)}</bdi>
              {it.described && (
                <>
                  <Icon paths={LINES_OF_TEXT} />
                  <span class="hidden">described</span>
                </>
              )}
              <span>{beside(it)}</span>
            </a>
          </li>
        ))}
      </ul>
      {(place.from > 0 || last < total) && (
        <p class="row small dim">
          <span>
            {grouped(place.from + 1)} to {grouped(last)} of {grouped(total)}
          </span>
          {place.from > 0 && (
            <a href={hrefOf(place, { from: Math.max(0, place.from - PAGE_TABLES) })}>Back</a>
          )}
          {last < total && tables.length > 0 && <a href={hrefOf(place, { from: last })}>More</a>}
        </p>
      )}
      {place.search && (
        <p class="small">
          <a href={hrefOf(place, { search: '', from: 0 })}>All tables</a>
        </p>
      )}
    </nav>
  )
}

/** Icon for a described table. */
const LINES_OF_TEXT = ['M2 4h12M2 8h12M2 12h7']

/** Tables per page of the list. */
export const PAGE_TABLES = 50

const NOTHING_FOUND = 'No name, comment or description contains this text.'
const NO_TABLES = 'The role of this database cannot read any table.'

const beside = ({ kind, estimatedRows }: ListedTable): string =>
  kind === 'table' ? (estimatedRows?.toLocaleString('en') ?? '') : kind
