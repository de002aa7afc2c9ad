/**
 * Reads the values in a row that PostgreSQL wrote as one string: `(1,,"a ""b""","")`, where an empty field is NULL
 * and `""` is an empty string. Undefined for any other string.
 */
export function readRecord(text: string, width: number): (string | null)[] | undefined {
  const values: (string | null)[] = []
  let at = 1
  while (values.length < width) {
    if (values.length > 0) at++
    if (text[at] === '"') {
      const [value, end] = quoted(text, at)
      values.push(value)
      at = end
    } else {
      const start = at
      while (at < text.length && text[at] !== ',' && text[at] !== ')') at++
      values.push(at === start ? null : text.slice(start, at))
    }
  }
  return text[0] === '(' && text[at] === ')' && at === text.length - 1 ? values : undefined
}

/** Reads a value between quotes, and returns its end. Quotes and backslashes in it are doubled. */
function quoted(text: string, start: number): readonly [value: string, end: number] {
  let value = ''
  let from = start + 1
  let at = from
  for (; at < text.length; at++) {
    if (text[at] !== '"' && text[at] !== '\\') continue
    value += text.slice(from, at)
    if (text[at] === '"' && text[at + 1] !== '"') return [value, at + 1]
    from = ++at
  }
  return [value, at]
}
