/** The answer to a question: a value, or a list of values. */
export type Answer = string | number | boolean | null | readonly Answer[]

/**
 * True if an answer is right. A fraction may be off by one in its second decimal, numbers may be strings,
 * and times may have any common format. Lists must be in order. A list of one item equals that item.
 */
export function isRight(expected: Answer, given: Answer): boolean {
  if (isList(expected)) {
    if (!isList(given) || given.length !== expected.length) return false
    return expected.every((it, i) => isRight(it, given[i]!))
  }
  if (isList(given)) return given.length === 1 && isRight(expected, given[0]!)
  if (typeof expected === 'number') {
    const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given
    if (typeof number !== 'number') return false
    // The sum of ten thousand doubles is not exact, and half a cent can be rounded up or down.
    return Math.abs(number - expected) <= (Number.isInteger(expected) ? 1e-6 : 0.0101)
  }
  if (typeof expected === 'boolean') return given === expected || given === Number(expected)
  if (expected === null) return given === null
  return typeof given === 'string' && plain(given) === plain(expected)
}

const isList = (answer: Answer): answer is readonly Answer[] => Array.isArray(answer)

const plain = (text: string) =>
  text
    .trim()
    .normalize('NFC')
    .toLowerCase()
    .replace(/^(\d{4}-\d\d-\d\d)t(\d\d:\d\d:\d\d)(?:\.0+)?z?$/, '$1 $2')
