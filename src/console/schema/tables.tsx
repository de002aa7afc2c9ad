import { Icon } from '../parts/icon.tsx'
import { hrefOf, MAX_SEARCH_CHARS, type Place } from './place.ts'
import { cut, fitting, type ListedTable, NAME_CHARS, pageBytes, type SchemaPage } from './shown.ts'

/** Bytes of the addresses of one page of tables: a long name in another script is long in an address. */
const MAX_ADDRESS_BYTES = 12_000

/** The tables to choose from: a search, and a page of what it finds. */
export const Tables = ({
  place,
  databases,
  page,
}: {
  readonly place: Place
  readonly databases: readonly string[]
  /** Undefined if the database does not answer. */
  readonly page: SchemaPage | undefined
}) => (
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
        <button class="button little" type="submit">
          Search
        </button>
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

const Databases = ({
  place: { endpoint, database },
  databases,
}: {
  readonly place: Place
  readonly databases: readonly string[]
}) => (
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

const Found = ({ place, page }: { readonly place: Place; readonly page: SchemaPage }) => {
  const { total } = page
  const links = page.tables.map((it) => ({
    ...it,
    href: hrefOf(place, { table: it.name, column: 0, term: undefined }),
  }))
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
            {(place.from + 1).toLocaleString('en')} to {last.toLocaleString('en')} of{' '}
            {total.toLocaleString('en')}
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

/** A table that is described. */
const LINES_OF_TEXT = ['M2 4h12M2 8h12M2 12h7']

/** Tables in one page of the list. */
export const PAGE_TABLES = 50

const NOTHING_FOUND = 'No name, comment or description contains this.'
const NO_TABLES = 'The role of this database may read no table.'

const beside = ({ kind, estimatedRows }: ListedTable): string =>
  kind === 'table' ? (estimatedRows?.toLocaleString('en') ?? '') : kind
