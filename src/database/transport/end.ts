/** A text without the characters of one kind that stand at its end: `1.5` of `1.500`. */
export function withoutEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}
