import { fit, grouped, pageBytes } from './fit.ts'

/** A structured answer as the columns and rows of a table. */
export interface Tabular {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

const MAX_COLUMNS = 40
const MAX_CELL_BYTES = 400

/** What the cells of a table may take of a page, and what is written around each of them. */
const MAX_BYTES = 20_000
const AROUND = 24

/** The rows of an answer; or its first list of objects; or undefined, if it has neither. */
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
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((it) => typeof it === 'object' && it !== null && !Array.isArray(it))

/** The answer as a table, as much of it as a page takes. It says what is left out. */
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
          <table>
            <caption class="hidden">The answer</caption>
            <thead>
              <tr>
                {heads.map((it, i) => (
                  <th scope="col" dir="auto" class={isOfNumbers(shown, i) ? 'n' : undefined}>
                    {it}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <tr>
                  {row.map((it) => (
                    <td dir="auto" class={it.kind}>
                      {it.shown}
                      {it.left > 0 ? '…' : ''}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
      {rows.length === 0 && <p class="small dim">No rows.</p>}
      {(left.length > 0 || isCut) && (
        <p class="small dim">
          {left.length > 0 && `The table shows ${left.join(' and ')}. `}
          {isCut && 'Long cells are cut, and end with …. '}
          The model reads what stands under Text.
        </p>
      )}
    </>
  )
}

const isOfNumbers = (rows: readonly (readonly ShownCell[])[], column: number): boolean =>
  rows.length > 0 && rows.every((row) => row[column]?.kind === 'n')

interface ShownCell {
  readonly shown: string
  readonly left: number
  /** A number stands at the right, and NULL is no text. */
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
