/** Splits lines into words, so that a long list needs no quotes and commas for each word: `words('a b', 'c d')`. */
export const words = (...lines: readonly string[]): readonly string[] => lines.join(' ').split(' ')

/** The words of some lines as alternatives in a regular expression: `a|b|c`. */
export const either = (...lines: readonly string[]): string => words(...lines).join('|')

/** Lower-cases a name as engines and tokens do: toLowerCase() would turn a Kelvin sign into a k. */
export const asciiLower = (name: string) => name.replace(/[A-Z]+/g, (it) => it.toLowerCase())

/** The number of characters in the first bytes of a string. */
export const charactersIn = (text: string, bytes: number) =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes)).length
