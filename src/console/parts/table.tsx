import type { Child } from 'hono/jsx'

/** A column: its heading, and its cell in each row. */
export interface TableHeading<Row> {
  readonly head: Child
  readonly cell: (row: Row, index: number) => Child
  /** Class of its cells. If it starts with `n`, for numbers, the heading is aligned like them. */
  readonly class?: string
  /** Further class of a cell, by its row. */
  readonly tone?: (row: Row) => string | undefined
  /** Name of the value, shown beside it where a narrow screen folds the rows. */
  readonly label?: string
  /** True if its cells name their rows. */
  readonly isName?: boolean
  readonly dir?: 'auto'
  /** Id of the heading, and of each cell. */
  readonly id?: string
  readonly cellId?: (index: number) => string
}

interface TableProps<Row> {
  readonly caption: string
  readonly columns: readonly TableHeading<Row>[]
  readonly rows: readonly Row[]
  /** Style of the table. `fold`: folds the rows on a narrow screen. */
  readonly class?: string
  /** Id of a row, for a script. */
  readonly rowId?: (row: Row) => string
  /** Attributes of the table’s body. */
  readonly body?: Readonly<Record<string, string | number | undefined>>
}

/** Heading that only screen readers see. */
export const hidden = (text: string): Child => <span class="hidden">{text}</span>

/** A table of data. */
export const Table = <Row,>({ caption, columns, rows, rowId, body, ...rest }: TableProps<Row>) => {
  const { class: style = '' } = rest
  // A style that folds rows would take the roles away.
  const role = (name: string) => (/\bfold\b/.test(style) ? name : undefined)
  return (
    <table role={role('table')} {...rest}>
      <caption class="hidden">{caption}</caption>
      <thead role={role('rowgroup')}>
        <tr role={role('row')}>
          {columns.map(({ head, class: kind = '', dir, id }) => (
            <th
              role={role('columnheader')}
              scope="col"
              class={/^n\b/.test(kind) ? 'n' : undefined}
              dir={dir}
              id={id}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role={role('rowgroup')} {...body}>
        {rows.map((row, i) => (
          <tr role={role('row')} data-id={rowId?.(row)}>
            {columns.map(({ cell, class: kind, tone, label, isName, dir, cellId }) => {
              const style = [kind, tone?.(row)].filter(Boolean).join(' ') || undefined
              const all = { class: style, dir, 'data-label': label, id: cellId?.(i) }
              return isName ? (
                <th role={role('rowheader')} scope="row" {...all}>
                  {cell(row, i)}
                </th>
              ) : (
                <td role={role('cell')} {...all}>
                  {cell(row, i)}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
