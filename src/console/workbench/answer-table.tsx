import { isObject } from '../../ground/index.ts'
import { fit, pageBytes } from '../parts/page-size.ts'
import { Table, type TableHeading } from '../parts/table.tsx'
import { grouped } from '../parts/texts.ts'

/** Columns and rows from a structured answer. */
export interface Tabular {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

const MAX_COLUMNS = 40
const MAX_CELL_BYTES = 400

/** Byte budget for the cells, and the markup overhead per cell. */
const MAX_BYTES = 20_000
const AROUND = 24

/** Rows of an answer, or its first list of objects. Undefined if it has neither. */
export function tabular(structure: Readonly<Record<string, unknown>>): Tabular | undefined {
  const { columns, rows } = structure
  if (Array.isArray(columns) && Array.isArray(rows) && rows.every(Array.isArray)) {
    return { columns: columns.map((it) => String(it?.name ?? '')), rows }
  }
  const list = Object.values(structure).find((it) => isList(it)) as
    | readonly Readonly<Record<string, unknown>>[]
    | undefined
  if (!list) return undefined
  const names = [...new Set(list.flatMap((it) => Object.keys(it)))]
  return { columns: names, rows: list.map((it) => names.map((name) => it[name])) }
}

const isList = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isObject)

/** Table of the answer, cut to fit on a page. A note says what is left out. */
export const AnswerTable = ({ columns, rows }: Tabular) => {
  const heads = columns.slice(0, MAX_COLUMNS).map((it) => fit(it, MAX_CELL_BYTES / 4).shown)
  const shown = rowsThatFit(rows, heads)
  const left = [
    shown.length < rows.length && `${grouped(shown.length)} of ${grouped(rows.length)} rows`,
    heads.length < columns.length && `${heads.length} of ${grouped(columns.length)} columns`,
  ].filter(Boolean)
  const isCut = shown.some((row) => row.some(({ left }) => left > 0))
  return (
    <>
      <div class="panel flush">
        <section class="scroll" aria-label="Rows of the answer" tabindex={0}>
          <Table
            caption="The answer"
            rows={shown}
            columns={heads.map((head, i) => columnOf(head, i, isOfNumbers(shown, i)))}
          />
        </section>
      </div>
      {rows.length === 0 && <p class="small dim">No rows.</p>}
      {(left.length > 0 || isCut) && (
        <p class="small dim">
          {left.length > 0 && `The table shows ${left.join(' and ')}. `}
          {isCut && 'Long cells are cut and end with “…”. '}
          See Text for the model’s view.
        </p>
      )}
    </>
  )
}

const columnOf = (
  head: string,
  i: number,
  isNumbers: boolean,
): TableHeading<readonly ShownCell[]> => ({
  head,
  dir: 'auto',
  ...(isNumbers ? { class: 'n' } : { tone: (row) => row[i]?.kind }),
  cell: (row) => `${row[i]?.shown ?? ''}${row[i]?.left ? '…' : ''}`,
})

const isOfNumbers = (rows: readonly (readonly ShownCell[])[], column: number): boolean =>
  rows.length > 0 && rows.every((row) => row[column]?.kind === 'n')

interface ShownCell {
  readonly shown: string
  readonly left: number
  /** Class of the cell: numbers are right-aligned and NULL is dim. */
  readonly kind: string | undefined
}

function rowsThatFit(
  rows: readonly (readonly unknown[])[],
  heads: readonly string[],
): readonly (readonly ShownCell[])[] {
  const found: (readonly ShownCell[])[] = []
  let bytes = heads.reduce((sum, it) => sum + pageBytes(it) + AROUND, 0)
  for (const row of rows) {
    const cells = row.slice(0, heads.length).map(cellOf)
    bytes += cells.reduce((sum, { shown }) => sum + pageBytes(shown) + AROUND, AROUND)
    if (bytes > MAX_BYTES && found.length > 0) break
    found.push(cells)
  }
  return found
}

function cellOf(value: unknown): ShownCell {
  if (value === null || value === undefined) return { shown: 'NULL', left: 0, kind: 'dim' }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { ...fit(text, MAX_CELL_BYTES), kind: typeof value === 'number' ? 'n' : undefined }
}
