// Prints tables of measurements: medians, the spread over the rounds, ratios to the floor in a round.

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

/**
 * Summarizes the rounds for each name: the median, the minimum and the maximum of a value, and the median
 * of its ratios to the floor in the same round.
 */
export function summary(rows, floor, value = 'cpu') {
  const byName = Map.groupBy(rows, ({ name }) => name)
  const floors = byName.get(floor)
  return [...byName].map(([name, measured]) => {
    const values = measured.map((it) => it[value])
    const ratios = floors ? values.map((it, i) => it / floors[i][value]) : []
    return {
      name,
      median: median(values),
      least: Math.min(...values),
      most: Math.max(...values),
      ratio: ratios.length > 0 ? median(ratios) : undefined,
      ...(measured[0].p50 && { p50: median(measured.map((it) => it.p50)) }),
    }
  })
}

/** Writes a table in Markdown, with aligned columns. */
export function print(head, rows) {
  const all = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i].length)))
  const line = (row) =>
    `| ${row.map((it, i) => (i ? it.padStart(widths[i]) : it.padEnd(widths[i]))).join(' | ')} |`
  const rule = `|${widths.map((it, i) => (i ? `${'-'.repeat(it + 1)}:` : '-'.repeat(it + 2))).join('|')}|`
  console.log([line(all[0]), rule, ...all.slice(1).map(line)].join('\n'))
}

export const digits = (number, count = 0) => (number === undefined ? '' : number.toFixed(count))
export const times = (ratio) => (ratio === undefined ? '' : `${ratio.toFixed(2)}×`)
