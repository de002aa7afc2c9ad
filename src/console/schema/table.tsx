import { counted } from '../../ground/index.ts'
import { Form, Submit } from '../parts/form.tsx'
import { cut, grouped } from '../parts/texts.ts'
import type { ConsoleVisit } from '../visit.ts'
import { MAX_TEXT_CHARS, markOf } from './changes.ts'
import { ColumnTable, MAX_OWN_CHARS, type UnsavedTexts } from './columns.tsx'
import { RemoveEntry } from './gone.tsx'
import { addressesWithin, hrefOf, type SchemaPlace, schemaPath } from './place.ts'
import { Relationships } from './relations.tsx'
import { NAME_CHARS, type ShownTable } from './shown.ts'

/** Byte budget for the addresses of other tables. */
const MAX_ADDRESS_BYTES = 12_000

interface SchemaTableProps {
  readonly visit: ConsoleVisit
  readonly place: SchemaPlace
  readonly table: ShownTable
  /** True if its descriptions can be changed here. */
  readonly writable: boolean
  readonly typed?: UnsavedTexts | undefined
}

/** Selected table: description, relationships, columns, and the model's view. */
export const TableShown = (shown: SchemaTableProps) => {
  const { place, table } = shown
  return (
    <>
      <div class="row base">
        <h2 class="mono" id="table">
          <bdi>{cut(table.name, NAME_CHARS)}</bdi>
        </h2>
        <span class="small dim">{factsOf(table)}</span>
        <a class="small push" href={workbenchOf(place, table)}>
          Open in Workbench
        </a>
      </div>
      <Described {...shown} />
      {table.gone.length > 0 && <GoneColumns {...shown} />}
      <details>
        <summary>
          What the model reads: about {counted(table.reads.tokens, 'token')} in{' '}
          <code>describe_table</code>
        </summary>
        <pre class="read" dir="auto">
          {cut(table.reads.text, MAX_READ_CHARS)}
        </pre>
      </details>
    </>
  )
}

/** Link to the Workbench, with a query for the table's rows. */
function workbenchOf({ endpoint, database }: SchemaPlace, { name }: ShownTable): string {
  const path = `/console/endpoints/${endpoint}/workbench`
  if (name.length > NAME_CHARS) return path
  const given = JSON.stringify({ database, table: name })
  return `${path}?${new URLSearchParams({ tool: 'query_table', arguments: given })}`
}

/** Maximum length of the model's view on a page. */
const MAX_READ_CHARS = 2_000

function factsOf({ kind, estimatedRows, totalColumns, indexes }: ShownTable): string {
  return [
    ...(kind === 'table' ? [] : [kind]),
    ...(estimatedRows === undefined ? [] : [`about ${counted(estimatedRows, 'row')}`]),
    counted(totalColumns, 'column'),
    ...(indexes.length > 0 ? [counted(indexes.length, 'index', 'indexes')] : []),
  ].join(', ')
}

/** Form for the descriptions, with a page of columns. */
const Described = ({ visit, place, table, writable, typed }: SchemaTableProps) => {
  const hrefTo = addressesWithin(place, MAX_ADDRESS_BYTES)
  const canWrite = writable && table.entry !== undefined
  const about = typed?.get('') ?? table.description ?? ''
  const grid = <ColumnTable {...{ table, typed, canWrite, hrefTo }} />
  const picture = table.relations > 0 && <Relationships table={table} hrefTo={hrefTo} />
  const pages = table.columns.length < table.totalColumns && (
    <ColumnPages place={place} table={table} />
  )
  if (!canWrite) {
    return (
      <>
        {table.description && <p dir="auto">{table.description}</p>}
        {table.comment && <Own text={table.comment} />}
        {picture}
        <div class="panel flush">
          {grid}
          {pages}
        </div>
      </>
    )
  }
  return (
    <Form visit={visit} action={schemaPath(place, '/table')} class="stack far describing">
      <input type="hidden" name="entry" value={table.entry!} />
      <input type="hidden" name="seen" value={markOf(table.description)} />
      <div class="field">
        <label for="about">Description for the model</label>
        <textarea id="about" name="text" maxlength={MAX_TEXT_CHARS} rows={2} dir="auto">
          {`\n${about}`}
        </textarea>
        {table.comment && <Own text={table.comment} />}
      </div>
      {picture}
      <div class="panel flush">
        {grid}
        <footer>
          <Submit kind="main" text="Save" />
          <button class="button plain" type="reset">
            Undo
          </button>
          <span class="dim cost">
            The model sees it in its next call. One token is about four characters.
          </span>
        </footer>
        {pages}
      </div>
    </Form>
  )
}

const Own = ({ text }: { readonly text: string }) => (
  <p class="small dim">
    Comment in the database: <bdi>{cut(text, MAX_OWN_CHARS)}</bdi>
  </p>
)

const ColumnPages = ({ place, table }: Pick<SchemaTableProps, 'place' | 'table'>) => {
  const { columns, totalColumns, next } = table
  const back = Math.max(0, place.column - PAGE_COLUMNS)
  return (
    <footer>
      <span class="dim">
        Columns {grouped(place.column + 1)} to {grouped(place.column + columns.length)} of{' '}
        {grouped(totalColumns)}
      </span>
      {place.column > 0 && <a href={hrefOf(place, { column: back })}>Previous columns</a>}
      {next !== undefined && <a href={hrefOf(place, { column: next })}>More columns</a>}
    </footer>
  )
}

/** Columns per page. */
export const PAGE_COLUMNS = 40

/** Columns in the glossary that the table does not have. */
const GoneColumns = ({ visit, place, table, writable }: SchemaTableProps) => (
  <section class="note low" aria-labelledby="gone-columns">
    <h3 id="gone-columns">Missing columns</h3>
    <p>
      The glossary describes these columns, but the table does not have them, so the model does not
      see their descriptions. If a column was renamed, describe the new one and remove the old one.
    </p>
    <ul class="gone">
      {table.gone.slice(0, MAX_GONE).map((it) => (
        <li class="row">
          <code dir="auto">{cut(it, NAME_CHARS)}</code>
          {writable && (
            <RemoveEntry visit={visit} place={place} entry={table.entry ?? ''} column={it} />
          )}
        </li>
      ))}
    </ul>
  </section>
)

const MAX_GONE = 10
