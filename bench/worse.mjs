// Compares Tidegate with itself at another commit.
import { digits, summary } from './table.mjs'

/** The values that are compared in a section, and their units. */
const values = {
  size: { bytes: 'bytes', gzipped: 'bytes gzipped' },
  startup: { ms: 'ms', cpu: 'CPU ms' },
}
const usual = { cpu: 'CPU µs' }

/**
 * Finds values that are worse than before by more than noise. Noise is the larger of the two differences between
 * minimum and maximum.
 * @param measured the rows of each section
 * @returns the number of rows compared, and a line for each row that is worse
 */
export function worse(measured, ref) {
  let compared = 0
  const lines = []
  for (const [section, rows] of Object.entries(measured)) {
    for (const [value, unit] of Object.entries(values[section] ?? usual)) {
      for (const [what, of] of Map.groupBy(rows, (it) => it.what ?? section)) {
        const byName = new Map(summary(of, undefined, value).map((it) => [it.name, it]))
        for (const now of byName.values()) {
          const before = byName.get(now.name.replace(/^\w+/, (it) => `${it}@${ref}`))
          if (!before || before === now) continue
          compared++
          const more = now.median - before.median
          const noise = Math.max(now.most - now.least, before.most - before.least)
          if (more <= noise) continue
          const shown = [before.median, now.median, more, noise].map(inThree)
          lines.push([`${what}, ${now.name}`, unit, ...shown])
        }
      }
    }
  }
  return { compared, lines }
}

/** A number with about three digits. Integers keep all digits. */
function inThree(number) {
  if (Number.isInteger(number)) return String(number)
  return digits(number, number < 10 ? 2 : number < 100 ? 1 : 0)
}
