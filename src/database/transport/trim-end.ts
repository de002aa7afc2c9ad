/** A text without a character that is repeated at its end: `1.5` for `1.500` without `0`. */
export function trimEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}
