/** Cuts a string to a number of bytes in HTML. Returns its start, and the number of characters left out. */
export function fit(text: string, bytes: number) {
  let taken = 0
  let end = 0
  while (end < text.length) {
    taken += bytesOf(text.charCodeAt(end))
    if (taken > bytes) break
    end++
  }
  return { shown: text.slice(0, end).toWellFormed(), left: text.length - end }
}

/** The first items that fit in a byte budget, but at least one. */
export function fitting<Item>(
  items: readonly Item[],
  most: number,
  bytesOf: (item: Item) => number,
): readonly Item[] {
  let bytes = 0
  const past = items.findIndex((it) => {
    bytes += bytesOf(it)
    return bytes > most
  })
  return past < 0 ? items : items.slice(0, Math.max(1, past))
}

/** Size of a string in HTML, in bytes. */
export function pageBytes(text = ''): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) bytes += bytesOf(text.charCodeAt(i))
  return bytes
}

/** Size of a UTF-16 unit in HTML, in bytes: `<` is `&lt;`. Surrogates come in pairs of four bytes. */
function bytesOf(unit: number): number {
  if (unit > 0x7f) return unit <= 0x7ff || (unit & 0xf800) === 0xd800 ? 2 : 3
  return ESCAPED[String.fromCharCode(unit)] ?? 1
}

const ESCAPED: Readonly<Record<string, number>> = { '"': 6, '&': 5, "'": 5, '<': 4, '>': 4 }
