/** The beginning of a text, and how many of its characters are left out. */
export interface Fitted {
  readonly shown: string
  readonly left: number
}

/** The beginning of a text that takes at most so many bytes of a page, where some characters are written longer. */
export function fit(text: string, bytes: number): Fitted {
  let taken = 0
  let end = 0
  while (end < text.length) {
    taken += bytesOf(text.charCodeAt(end))
    if (taken > bytes) break
    end++
  }
  return { shown: text.slice(0, end).toWellFormed(), left: text.length - end }
}

/** How many bytes of a page a text takes. */
export function pageBytes(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) bytes += bytesOf(text.charCodeAt(i))
  return bytes
}

/** The bytes of a UTF-16 unit in a page: `<` is `&lt;`. */
function bytesOf(unit: number): number {
  if (unit > 0x7f) return 3
  return ESCAPED[String.fromCharCode(unit)] ?? 1
}

const ESCAPED: Readonly<Record<string, number>> = { '"': 6, '&': 5, "'": 5, '<': 4, '>': 4 }

/** About how many tokens a text costs: models count differently, and most of them about so. */
export const estimatedTokens = (text: string): number => Math.ceil(text.length / 4)

/** A number as a person reads it: `12,345`. */
export const grouped = (number: number): string => number.toLocaleString('en-US')
