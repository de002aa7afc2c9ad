import type { FC } from 'hono/jsx'
import { fitting, pageBytes } from '../parts/page-size.ts'
import { Table } from '../parts/table.tsx'
import { cut } from '../parts/texts.ts'
import { MAX_TEXT_CHARS, markOf } from './changes.ts'
import { type HrefTo, TableLink } from './relations.tsx'
import { NAME_CHARS, type ShownColumn, type ShownTable } from './shown.ts'

/** Unsaved text by column; '' is the table. */
export type UnsavedTexts = ReadonlyMap<string, string>

/** Maximum length of a database comment on a page. */
export const MAX_OWN_CHARS = 200

/** Byte budget for the columns on a page, with names and descriptions. */
const MAX_COLUMN_BYTES = 30_000

/** Table with only the columns that fit on a page. */
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
  return { ...table, columns: [...columns], next: before + columns.length }
}

/** Columns of a table, with a field for each description that can be changed. */
export const ColumnTable: FC<{
  readonly table: ShownTable
  readonly typed: UnsavedTexts | undefined
  readonly canWrite: boolean
  readonly hrefTo: HrefTo
}> = ({ table, typed, canWrite, hrefTo }) => (
  <Table
    caption="Columns"
    class="fold columns"
    rows={table.columns}
    columns={[
      {
        head: 'Column',
        isName: true,
        cellId: (i) => `c${i}`,
        cell: ({ name }) => <code dir="auto">{cut(name, NAME_CHARS)}</code>,
      },
      { head: 'Type', class: 'small dim right', cell: ({ type }) => cut(type, 60) },
      {
        head: 'Key',
        class: 'small dim whole',
        cell: (it) => <Keys keys={keysOf(it, table)} hrefTo={hrefTo} />,
      },
      {
        head: 'Description for the model',
        id: 'says',
        class: 'whole',
        cell: (it, i) => {
          const text = typed?.get(it.name) ?? it.description ?? ''
          return (
            <>
              {canWrite && mayBeDescribed(it.name) ? (
                <Description column={it} text={text} labelledBy={`says c${i}`} />
              ) : (
                <span dir="auto">{text}</span>
              )}
              {it.comment && (
                <span class="under">
                  Comment in the database: <bdi>{cut(it.comment, MAX_OWN_CHARS)}</bdi>
                </span>
              )}
            </>
          )
        },
      },
    ]}
  />
)

const Keys = ({
  keys,
  hrefTo,
}: {
  readonly keys: readonly ColumnKey[]
  readonly hrefTo: HrefTo
}) => (
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
)

const Description: FC<{
  readonly column: ShownColumn
  readonly text: string
  readonly labelledBy: string
}> = ({ column: { name, description, comment }, text, labelledBy }) => {
  const all = {
    maxlength: MAX_TEXT_CHARS,
    dir: 'auto',
    'aria-labelledby': labelledBy,
  } as const
  return (
    <>
      <input type="hidden" name="seen" value={`${markOf(description)} ${name}`} />
      {text.length > LONG_CHARS || text.includes('\n') ? (
        <textarea name="text" rows={2} {...all}>
          {`\n${text}`}
        </textarea>
      ) : (
        <input
          name="text"
          value={text}
          placeholder={comment === undefined ? 'Not described' : undefined}
          {...all}
        />
      )}
    </>
  )
}

/** Maximum length of a column name that can be described. */
const MAX_COLUMN_CHARS = 256

/** True if the glossary can have this column name. An object cannot store `__proto__` as a key. */
const mayBeDescribed = (name: string) => name.length <= MAX_COLUMN_CHARS && name !== '__proto__'

/** Longer text gets an input with several lines. */
const LONG_CHARS = 70

interface ColumnKey {
  readonly text: string
  readonly table?: string
}

function keysOf({ name, nullable, values }: ShownColumn, table: ShownTable): readonly ColumnKey[] {
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
    ...(nullable ? [{ text: 'nullable' }] : []),
  ]
}
