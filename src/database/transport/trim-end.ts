/** Removes a repeated character from the end of a string: `1.500` without `0` is `1.5`. */
export function trimEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}
