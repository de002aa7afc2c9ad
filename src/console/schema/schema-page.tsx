import type { FC } from 'hono/jsx'
import { counted } from '../../ground/index.ts'
import { Done } from '../parts/done.tsx'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Note } from '../parts/note.tsx'
import { EndpointPage } from '../parts/page.tsx'
import { State } from '../parts/state.tsx'
import { cut } from '../parts/texts.ts'
import type { ConsoleVisit } from '../visit.ts'
import type { UnsavedTexts } from './columns.tsx'
import { RemoveEntry } from './gone.tsx'
import type { SchemaPlace } from './place.ts'
import { type ApiGlossary, NAME_CHARS, type SchemaPage, type ShownTable, speaks } from './shown.ts'
import { TableShown } from './table.tsx'
import { Tables } from './tables.tsx'
import { Terms, type TypedTerm } from './terms.tsx'

/** Messages about a submitted form. */
export interface FormMessages {
  readonly done?: string | undefined
  readonly problem?: string | undefined
  /** Columns that someone else described in the meantime; '' is the table. */
  readonly conflicts?: readonly string[] | undefined
  readonly typed?: UnsavedTexts | undefined
  readonly term?: TypedTerm | undefined
}

interface SchemaProps {
  readonly visit: ConsoleVisit
  readonly endpoint: ShownEndpoint
  readonly place: SchemaPlace
  readonly list: SchemaPage | undefined
  readonly table: ShownTable | undefined
  /** Reason the list or the table is missing. */
  readonly problem: string | undefined
  readonly messages: FormMessages
}

/** Page for a schema. */
export const SchemaShown: FC<SchemaProps> = (props) => {
  const { visit, endpoint, place, list, table, problem, messages } = props
  const writable = endpoint.from === 'registry'
  return (
    <EndpointPage
      visit={visit}
      title={`Schema of ${cut(endpoint.title, 80)}`}
      endpoint={endpoint}
      tab="schema"
      script={table && writable ? '/assets/schema.js' : undefined}
      under={
        <p class="row small dim">
          {!endpoint.active && <State kind="off" word="Switched off" />}
          {list && <span>{list.dialect}</span>}
          {list && !place.search && <span>{counted(list.total, 'table')} and views</span>}
        </p>
      }
    >
      <div class="beside">
        <Tables place={place} databases={Object.keys(endpoint.databases)} page={list} />
        <div class="stack far">
          <Notes {...messages} />
          {!writable && (
            <Note>
              This endpoint comes from the configuration. Edit its glossary there: in a database’s
              glossary field, and in terms.
            </Note>
          )}
          <Problem text={problem} />
          {table && <TableShown {...{ visit, place, table, writable }} typed={messages.typed} />}
          {!place.table && list && (
            <Overview visit={visit} endpoint={endpoint} place={place} list={list} />
          )}
          <Terms
            {...{ visit, place, writable }}
            terms={endpoint.terms ?? {}}
            typed={messages.term}
          />
        </div>
      </div>
    </EndpointPage>
  )
}

/** Confirmations for changes, by the flag in the address. */
const DONE: Readonly<Record<string, string>> = {
  saved: 'Saved. The model sees it in its next call.',
  same: 'No changes.',
  removed: 'Removed.',
  'term-saved': 'Term saved. The model sees it when it next connects.',
  'term-removed': 'Term removed.',
}

const Notes: FC<FormMessages> = ({ done, problem, conflicts = [] }) => (
  <>
    <Done flag={done} messages={DONE} />
    <Problem text={problem} />
    {conflicts.length > 0 && (
      <Note kind="low" role="alert">
        Someone else described{' '}
        {conflicts.slice(0, 10).map((it, i) => (
          <>
            {i > 0 && ', '}
            {it === '' ? 'the table' : <code dir="auto">{cut(it, NAME_CHARS)}</code>}
          </>
        ))}{' '}
        while you were writing. Their text is stored, and yours is still in the fields: save again
        to replace theirs. Your other changes are saved.
      </Note>
    )}
  </>
)

const Problem: FC<{ readonly text: string | undefined }> = ({ text }) =>
  text === undefined ? null : (
    <Note kind="bad" role="alert">
      {cut(text, 1_000)}
    </Note>
  )

/** Overview before a table is selected: the described part of the schema, and missing tables. */
const Overview: FC<
  Pick<SchemaProps, 'visit' | 'endpoint' | 'place'> & { readonly list: SchemaPage }
> = ({ visit, endpoint, place, list: { gone = [] } }) => {
  const glossary: ApiGlossary = endpoint.databases[place.database]?.glossary ?? {}
  const entries = Object.values(glossary).filter(speaks)
  const columns = entries.reduce((sum, it) => sum + Object.keys(it.columns ?? {}).length, 0)
  return (
    <>
      <section class="stack" aria-labelledby="overview">
        <h2 id="overview">What the model reads</h2>
        <p>
          Select a table to see its columns and relationships and to describe them. The model reads
          your text instead of the database’s comments.
        </p>
        <p class="dim">
          {entries.length === 0
            ? 'Nothing is described yet.'
            : `The glossary describes ${counted(entries.filter((it) => it.description).length, 'table')} and ${counted(columns, 'column')}.`}
        </p>
      </section>
      {gone.length > 0 && (
        <section class="note low" aria-labelledby="gone">
          <h2 id="gone">Missing tables</h2>
          <p>
            The glossary describes these tables, but the database does not have them or its role
            cannot read them. The model does not see these entries.
          </p>
          <ul class="gone">
            {gone.slice(0, MAX_GONE).map((it) => (
              <li>
                <div class="row">
                  <code dir="auto">{cut(it, NAME_CHARS)}</code>
                  {endpoint.from === 'registry' && (
                    <RemoveEntry visit={visit} place={place} entry={it} />
                  )}
                </div>
                <p class="small" dir="auto">
                  {cut(glossary[it]?.description ?? '', 200)}
                </p>
              </li>
            ))}
          </ul>
          {gone.length > MAX_GONE && <p>{gone.length - MAX_GONE} more are missing.</p>}
        </section>
      )}
    </>
  )
}

/** Maximum number of missing entries on a page. */
const MAX_GONE = 20
