// Text output for people.

/** A heading, and the function that returns a row's cell. */
export type TerminalColumn<Row> = readonly [heading: string, cell: (row: Row) => unknown]

/** Lays out rows below their headings. Leaves out empty columns. */
export function table<Row>(columns: readonly TerminalColumn<Row>[], rows: readonly Row[]): string {
  const all = columns.map(([heading, cell]) => ({
    heading,
    texts: rows.map((row) => plain(cell(row) ?? '')),
  }))
  const shown = rows.length > 0 ? all.filter(({ texts }) => texts.some(Boolean)) : all
  const padded = shown.map(({ heading, texts }) => {
    const width = texts.reduce((most, it) => Math.max(most, it.length), heading.length)
    return [heading, ...texts].map((it) => it.padEnd(width))
  })
  return [undefined, ...rows]
    .map((_, i) =>
      padded
        .map((it) => it[i])
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Untrusted text, without characters that a terminal would interpret. */
export const plain = (text: unknown): string =>
  String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·')

/** A time in UTC, to the minute. */
export const time = (at: string | number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString().slice(0, 16).replace('T', ' ')
