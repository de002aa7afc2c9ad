/** The words of a command, without their quotes, as a shell splits them. */
export function shellWords(text: string): readonly string[] {
  const found: string[] = []
  let word: string | undefined
  let quote = ''
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]!
    if (quote === '' && /\s/.test(letter)) {
      if (word !== undefined) found.push(word)
      word = undefined
    } else if (letter === quote) {
      quote = ''
    } else if (quote === '' && (letter === '"' || letter === "'")) {
      quote = letter
      word ??= ''
    } else if (letter === '\\' && quote !== "'" && i + 1 < text.length) {
      i++
      word = (word ?? '') + text[i]
    } else {
      word = (word ?? '') + letter
    }
  }
  if (word !== undefined) found.push(word)
  return found
}
