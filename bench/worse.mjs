// Compares Tidegate with itself at another commit.
import { digits, summary } from './table.mjs'

/** What is compared in a section, and its unit. */
const values = {
  size: { bytes: 'bytes', gzipped: 'bytes gzipped' },
  startup: { ms: 'ms', cpu: 'CPU ms' },
}
const usual = { cpu: 'CPU µs' }

/**
 * Finds what is worse than before by more than noise. Noise is the larger distance between least and
 * most of the two.
 * @param measured the rows of each section
 * @returns how many rows were compared, and a line for each that is worse
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

/** A number with about three digits, but a whole number whole. */
function inThree(number) {
  if (Number.isInteger(number)) return String(number)
  return digits(number, number < 10 ? 2 : number < 100 ? 1 : 0)
}
