import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Form } from '../parts/form.tsx'
import { EndpointHead, Page } from '../parts/page.tsx'
import { State } from '../parts/state.tsx'
import type { Visit } from '../visit.ts'
import { type Place, queryOf } from './place.ts'
import {
  counted,
  cut,
  type Glossary,
  NAME_CHARS,
  type SchemaPage,
  type ShownTable,
  speaks,
} from './shown.ts'
import { TableShown, type Typed } from './table.tsx'
import { Tables } from './tables.tsx'
import { Terms, type TypedTerm } from './terms.tsx'

/** What the page says of a form that was sent. */
export interface Said {
  readonly done?: string | undefined
  readonly problem?: string | undefined
  /** Columns that somebody else described meanwhile; '' is the table. */
  readonly conflicts?: readonly string[] | undefined
  readonly typed?: Typed | undefined
  readonly term?: TypedTerm | undefined
}

interface Asked<T> {
  readonly is?: T | undefined
  readonly problem?: string | undefined
}

/** The page of a schema. */
export const SchemaShown = ({
  visit,
  endpoint,
  place,
  list,
  table,
  said,
}: {
  readonly visit: Visit
  readonly endpoint: ShownEndpoint
  readonly place: Place
  readonly list: Asked<SchemaPage>
  readonly table: Asked<ShownTable> | undefined
  readonly said: Said
}) => {
  const writable = endpoint.from === 'registry'
  const problem = table?.problem ?? list.problem
  return (
    <Page
      visit={visit}
      title={`Schema of ${cut(endpoint.title, 80)}`}
      section="endpoints"
      script={table?.is && writable ? '/assets/schema.js' : undefined}
    >
      <EndpointHead visit={visit} endpoint={endpoint} tab="schema">
        <p class="row small dim">
          {!endpoint.active && <State kind="off" word="Switched off" />}
          {list.is && <span>{list.is.dialect}</span>}
          {list.is && !place.search && <span>{counted(list.is.total, 'table')} and views</span>}
        </p>
      </EndpointHead>
      <div class="beside">
        <Tables place={place} databases={Object.keys(endpoint.databases)} page={list.is} />
        <div class="stack far">
          <Notes said={said} />
          {!writable && (
            <p class="note">
              This endpoint is of the configuration, so its glossary is written there: in the field
              glossary of a database, and in terms.
            </p>
          )}
          {problem && (
            <div class="note bad" role="alert">
              <p dir="auto">{cut(problem, 1_000)}</p>
            </div>
          )}
          {table?.is && (
            <TableShown
              visit={visit}
              place={place}
              table={table.is}
              writable={writable}
              typed={said.typed}
            />
          )}
          {!table && list.is && (
            <Overview visit={visit} endpoint={endpoint} place={place} list={list.is} />
          )}
          <Terms
            visit={visit}
            place={place}
            terms={endpoint.terms ?? {}}
            writable={writable}
            typed={said.term}
          />
        </div>
      </div>
    </Page>
  )
}

/** What each flag of an address says. */
const DONE: Readonly<Record<string, string>> = {
  saved: 'Saved. The model reads it from its next call on.',
  same: 'Nothing was changed.',
  removed: 'Removed.',
  'term-saved': 'The term is saved. The model reads it when it connects next.',
  'term-removed': 'The term is removed.',
}

const Notes = ({ said: { done = '', problem, conflicts = [] } }: { readonly said: Said }) => (
  <>
    {Object.hasOwn(DONE, done) && (
      <p class="note" role="status">
        {DONE[done]}
      </p>
    )}
    {problem && (
      <div class="note bad" role="alert">
        <p dir="auto">{cut(problem, 1_000)}</p>
      </div>
    )}
    {conflicts.length > 0 && (
      <div class="note low" role="alert">
        <p>
          Somebody else described{' '}
          {conflicts.slice(0, 10).map((it, i) => (
            <>
              {i > 0 && ', '}
              {it === '' ? 'the table' : <code dir="auto">{cut(it, NAME_CHARS)}</code>}
            </>
          ))}{' '}
          while you wrote. Their words are kept, and yours stand in the fields: save again to put
          yours in their place. What else you changed is saved.
        </p>
      </div>
    )}
  </>
)

/** What is shown before a table is chosen: how much is described, and what is gone. */
const Overview = ({
  visit,
  endpoint,
  place,
  list,
}: {
  readonly visit: Visit
  readonly endpoint: ShownEndpoint
  readonly place: Place
  readonly list: SchemaPage
}) => {
  const glossary: Glossary = endpoint.databases[place.database]?.glossary ?? {}
  const entries = Object.values(glossary).filter(speaks)
  const columns = entries.reduce((sum, it) => sum + Object.keys(it.columns ?? {}).length, 0)
  const { gone = [] } = list
  return (
    <>
      <section class="stack" aria-labelledby="overview">
        <h2 id="overview">What the model reads</h2>
        <p>
          Choose a table to see its columns and relationships, and to say what they are. The model
          reads your words in place of the comments of the database.
        </p>
        <p class="dim">
          {entries.length === 0
            ? 'Nothing is described yet.'
            : `The glossary describes ${counted(entries.filter((it) => it.description).length, 'table')} and ${counted(columns, 'column')}.`}
        </p>
      </section>
      {gone.length > 0 && (
        <section class="note low" aria-labelledby="gone">
          <h2 id="gone">Tables that are gone</h2>
          <p>
            The glossary describes them, and the database does not have them, or its role may not
            read them. The model reads nothing of it.
          </p>
          <ul class="gone">
            {gone.slice(0, MAX_GONE).map((it) => (
              <li>
                <div class="row">
                  <code dir="auto">{cut(it, NAME_CHARS)}</code>
                  {endpoint.from === 'registry' && (
                    <Form
                      visit={visit}
                      action={`/console/endpoints/${place.endpoint}/schema/gone${queryOf(place)}`}
                    >
                      <input type="hidden" name="entry" value={it} />
                      <button class="button little" type="submit">
                        Remove
                      </button>
                    </Form>
                  )}
                </div>
                <p class="small" dir="auto">
                  {cut(glossary[it]?.description ?? '', 200)}
                </p>
              </li>
            ))}
          </ul>
          {gone.length > MAX_GONE && <p>{gone.length - MAX_GONE} more are gone.</p>}
        </section>
      )}
    </>
  )
}

/** Entries that are gone in one page. */
const MAX_GONE = 20
