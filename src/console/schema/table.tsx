import { Form } from '../parts/form.tsx'
import type { Visit } from '../visit.ts'
import { MAX_TEXT_CHARS, markOf } from './changes.ts'
import { Picture } from './picture.tsx'
import { addressesWithin, hrefOf, type Place, queryOf } from './place.ts'
import {
  counted,
  cut,
  fitting,
  NAME_CHARS,
  pageBytes,
  type Relation,
  type ShownColumn,
  type ShownTable,
} from './shown.ts'

/** What a person wrote and was not saved, by column; '' is the table. */
export type Typed = ReadonlyMap<string, string>

/** Where a table is shown, if its address fits into the page. */
type HrefTo = (table: string) => string | undefined

/** Bytes of the addresses of other tables. */
const MAX_ADDRESS_BYTES = 12_000

/** Bytes of the columns of one page: their names, and what is said of them. */
const MAX_COLUMN_BYTES = 30_000

/** The same table with the columns that fit into a page. */
export function fitted(table: ShownTable, before: number): ShownTable {
  const columns = fitting(
    table.columns,
    MAX_COLUMN_BYTES,
    ({ name, comment, description }) =>
      2 * pageBytes(name) +
      pageBytes(comment && cut(comment, MAX_OWN_CHARS)) +
      pageBytes(description),
  )
  if (columns.length === table.columns.length) return table
  return { ...table, columns, next: before + columns.length }
}

interface Shown {
  readonly visit: Visit
  readonly place: Place
  readonly table: ShownTable
  /** Whether its descriptions may be changed here. */
  readonly writable: boolean
  readonly typed?: Typed | undefined
}

/** The chosen table: what it is, its relationships, its columns, and what the model reads. */
export const TableShown = (shown: Shown) => {
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

/** The Workbench, with the rows of the table. */
function workbenchOf({ endpoint, database }: Place, { name }: ShownTable): string {
  const path = `/console/endpoints/${endpoint}/workbench`
  if (name.length > NAME_CHARS) return path
  const given = JSON.stringify({ database, table: name })
  return `${path}?${new URLSearchParams({ tool: 'query_table', arguments: given })}`
}

/** Characters of what the model reads that a page shows. */
const MAX_READ_CHARS = 2_000

function factsOf({ kind, estimatedRows, totalColumns, indexes }: ShownTable): string {
  return [
    ...(kind === 'table' ? [] : [kind]),
    ...(estimatedRows === undefined ? [] : [`about ${counted(estimatedRows, 'row')}`]),
    counted(totalColumns, 'column'),
    ...(indexes.length > 0 ? [`${indexes.length} index${indexes.length === 1 ? '' : 'es'}`] : []),
  ].join(', ')
}

/** Relationships that the list names. */
const MAX_RELATIONS = 20

interface Related {
  readonly table: ShownTable
  readonly hrefTo: HrefTo
}

const Relationships = ({ table, hrefTo }: Related) => {
  const { foreignKeys, referencedBy, relations } = table
  const shown = [
    ...foreignKeys.map((it) => ({ ...it, out: true })),
    // A table that refers to itself stands here once.
    ...referencedBy.filter((it) => it.table !== table.name).map((it) => ({ ...it, out: false })),
  ].slice(0, MAX_RELATIONS)
  const repeated = referencedBy.filter((it) => it.table === table.name).length
  const left = relations - repeated - shown.length
  const drawn = table.neighbours.length
  const near = new Set(
    [...foreignKeys, ...referencedBy].map((it) => it.table).filter((it) => it !== table.name),
  ).size
  return (
    <figure class="stack relations">
      <div class="panel flush">
        <section class="scroll" aria-label="Picture of the relationships" tabindex={0}>
          <Picture table={table} hrefTo={hrefTo} />
        </section>
      </div>
      <figcaption class="small">
        <ul class="near">
          {shown.map((it) => (
            <li>
              <RelationShown table={table} hrefTo={hrefTo} relation={it} out={it.out} />
            </li>
          ))}
          {left > 0 && <li class="dim">{left.toLocaleString('en')} more</li>}
          {drawn < near && (
            <li class="dim">
              The picture shows {drawn} of {near.toLocaleString('en')}.
            </li>
          )}
        </ul>
      </figcaption>
    </figure>
  )
}

const RelationShown = ({
  table,
  hrefTo,
  relation: { columns, table: other, tableColumns },
  out,
}: Related & { readonly relation: Relation; readonly out: boolean }) => {
  const here = <code dir="auto">{listed(columns)}</code>
  const there = <code dir="auto">{listed(tableColumns)}</code>
  if (other === table.name) {
    return (
      <>
        {here} refers to {there} of the same table
      </>
    )
  }
  const link = <TableLink href={hrefTo(other)} text={cut(other, NAME_CHARS)} />
  return out ? (
    <>
      {here} refers to {link}
    </>
  ) : (
    <>
      {link} by {there} refers to it
    </>
  )
}

/** The name of a table, which leads there. */
const TableLink = ({ href, text }: { readonly href: string | undefined; readonly text: string }) =>
  href === undefined ? (
    <bdi>{text}</bdi>
  ) : (
    <a href={href}>
      <bdi>{text}</bdi>
    </a>
  )

const listed = (names: readonly string[]) => cut(names.slice(0, 5).join(', '), 60)

/** The form of the descriptions, and the page of columns. */
const Described = ({ visit, place, table, writable, typed }: Shown) => {
  const hrefTo = addressesWithin(place, MAX_ADDRESS_BYTES)
  const rows = table.columns.map((it, i) => ({ ...it, i, keys: keysOf(it, table) }))
  const canWrite = writable && table.entry !== undefined
  const about = typed?.get('') ?? table.description ?? ''
  const grid = (
    <table role="table" class="fold columns">
      <caption class="hidden">Columns</caption>
      <thead role="rowgroup">
        <tr role="row">
          {['Column', 'Type', 'Key'].map((it) => (
            <th role="columnheader" scope="col">
              {it}
            </th>
          ))}
          <th role="columnheader" scope="col" id="says">
            What it is, for the model
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((it) => (
          <ColumnRow
            {...it}
            canWrite={canWrite && mayBeDescribed(it.name)}
            text={typed?.get(it.name) ?? it.description ?? ''}
            hrefTo={hrefTo}
          />
        ))}
      </tbody>
    </table>
  )
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
    <Form
      visit={visit}
      action={`/console/endpoints/${place.endpoint}/schema/table${queryOf(place)}`}
      class="stack far describing"
    >
      <input type="hidden" name="entry" value={table.entry!} />
      <input type="hidden" name="seen" value={markOf(table.description)} />
      <div class="field">
        <label for="about">What it is, for the model</label>
        <textarea id="about" name="text" maxlength={MAX_TEXT_CHARS} rows={2} dir="auto">
          {`\n${about}`}
        </textarea>
        {table.comment && <Own text={table.comment} />}
      </div>
      {picture}
      <div class="panel flush">
        {grid}
        <footer>
          <button class="button main" type="submit">
            Save
          </button>
          <button class="button plain" type="reset">
            Undo
          </button>
          <span class="dim cost">
            The model reads it from its next call on. Four characters are about one token.
          </span>
        </footer>
        {pages}
      </div>
    </Form>
  )
}

/** Characters of a column that may be described. */
const MAX_COLUMN_CHARS = 256

/** Whether the glossary takes this name of a column: no record keeps a key of the other one. */
const mayBeDescribed = (name: string) => name.length <= MAX_COLUMN_CHARS && name !== '__proto__'

const Own = ({ text }: { readonly text: string }) => (
  <p class="small dim">
    The database says: <bdi>{cut(text, MAX_OWN_CHARS)}</bdi>
  </p>
)

/** Characters of a comment of the database that a page shows. */
const MAX_OWN_CHARS = 200

interface Row extends ShownColumn {
  readonly i: number
  readonly keys: readonly Key[]
  readonly canWrite: boolean
  readonly text: string
  readonly hrefTo: HrefTo
}

const ColumnRow = ({ i, name, type, keys, canWrite, text, hrefTo, ...it }: Row) => (
  <tr role="row">
    <th role="rowheader" scope="row" id={`c${i}`}>
      <code dir="auto">{cut(name, NAME_CHARS)}</code>
    </th>
    <td role="cell" class="small dim right">
      {cut(type, 60)}
    </td>
    <td role="cell" class="small dim whole">
      <ul>
        {keys.map(({ text, table }) => (
          <li>
            {table === undefined ? (
              text
            ) : (
              <>
                → <TableLink href={hrefTo(table)} text={text} />
              </>
            )}
          </li>
        ))}
      </ul>
    </td>
    <td role="cell" class="whole">
      {canWrite ? (
        <>
          <input type="hidden" name="seen" value={`${markOf(it.description)} ${name}`} />
          {text.length > LONG_CHARS || text.includes('\n') ? (
            <textarea
              name="text"
              maxlength={MAX_TEXT_CHARS}
              rows={2}
              dir="auto"
              aria-labelledby={`says c${i}`}
            >
              {`\n${text}`}
            </textarea>
          ) : (
            <input
              name="text"
              value={text}
              maxlength={MAX_TEXT_CHARS}
              dir="auto"
              placeholder={it.comment === undefined ? 'Not described' : undefined}
              aria-labelledby={`says c${i}`}
            />
          )}
        </>
      ) : (
        <span dir="auto">{text}</span>
      )}
      {it.comment && (
        <span class="under">
          The database says: <bdi>{cut(it.comment, MAX_OWN_CHARS)}</bdi>
        </span>
      )}
    </td>
  </tr>
)

/** A longer text is written in several lines. */
const LONG_CHARS = 70

interface Key {
  readonly text: string
  readonly table?: string
}

function keysOf({ name, nullable, values }: ShownColumn, table: ShownTable): readonly Key[] {
  const { primaryKey, uniqueKeys, foreignKeys, indexes } = table
  const isAlone = (columns: readonly string[]) => columns.length === 1 && columns[0] === name
  const to = foreignKeys.filter(({ columns }) => columns.includes(name)).slice(0, 3)
  return [
    ...(primaryKey.includes(name) ? [{ text: 'primary key' }] : []),
    ...to.map((it) => ({
      table: it.table,
      text: cut(`${it.table}.${it.tableColumns[it.columns.indexOf(name)] ?? ''}`, 60),
    })),
    ...(uniqueKeys.some(isAlone) ? [{ text: 'unique' }] : []),
    ...(indexes.some(({ columns }) => columns[0] === name) ? [{ text: 'indexed' }] : []),
    ...(values ? [{ text: cut(`one of ${values.join(', ')}`, 80) }] : []),
    ...(nullable ? [{ text: 'may be empty' }] : []),
  ]
}

const ColumnPages = ({ place, table }: Pick<Shown, 'place' | 'table'>) => {
  const { columns, totalColumns, next } = table
  const back = Math.max(0, place.column - PAGE_COLUMNS)
  return (
    <footer>
      <span class="dim">
        Columns {(place.column + 1).toLocaleString('en')} to{' '}
        {(place.column + columns.length).toLocaleString('en')} of{' '}
        {totalColumns.toLocaleString('en')}
      </span>
      {place.column > 0 && <a href={hrefOf(place, { column: back })}>Columns before</a>}
      {next !== undefined && <a href={hrefOf(place, { column: next })}>More columns</a>}
    </footer>
  )
}

/** Columns in one page. */
export const PAGE_COLUMNS = 40

/** Columns of the glossary that the table does not have. */
const GoneColumns = ({ visit, place, table, writable }: Shown) => (
  <section class="note low" aria-labelledby="gone-columns">
    <h3 id="gone-columns">Columns that are gone</h3>
    <p>
      The glossary describes them, and the table does not have them: the model reads nothing of it.
      Describe the new column, and remove the old one.
    </p>
    <ul class="gone">
      {table.gone.slice(0, MAX_GONE).map((it) => (
        <li class="row">
          <code dir="auto">{cut(it, NAME_CHARS)}</code>
          {writable && (
            <Form
              visit={visit}
              action={`/console/endpoints/${place.endpoint}/schema/gone${queryOf(place)}`}
            >
              <input type="hidden" name="entry" value={table.entry ?? ''} />
              <input type="hidden" name="column" value={it} />
              <button class="button little" type="submit">
                Remove
              </button>
            </Form>
          )}
        </li>
      ))}
    </ul>
  </section>
)

const MAX_GONE = 10
