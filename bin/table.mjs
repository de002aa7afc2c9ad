// What is printed for people.

/**
 * Lays out rows below their headings, without the columns that have nothing to show.
 * @param columns a heading and how to get the cell of a row, for each
 */
export function table(columns, rows) {
  const cells = (cell) => rows.map((row) => plain(cell(row) ?? ''))
  const all = columns.map(([heading, cell]) => [heading, ...cells(cell)])
  const shown = rows.length > 0 ? all.filter(([, ...texts]) => texts.some(Boolean)) : all
  const padded = shown.map((texts) => {
    const width = texts.reduce((most, it) => Math.max(most, it.length), 0)
    return texts.map((it) => it.padEnd(width))
  })
  const lines = [0, ...rows.map((_, i) => i + 1)].map((i) => padded.map((it) => it[i]).join('  '))
  return lines.map((line) => line.trimEnd()).join('\n')
}

/** A text of others without what a terminal would obey. */
export const plain = (text) => String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·')

/** A time in UTC, to the minute. */
export const time = (at) => at && new Date(at).toISOString().slice(0, 16).replace('T', ' ')

/** "1 endpoint", "2 endpoints". */
export const count = (n, noun) => `${n} ${noun}${n === 1 ? '' : 's'}`
