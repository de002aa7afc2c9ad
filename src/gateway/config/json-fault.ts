/** The kind of token that must come next. */
type Due = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'next' | 'end'

const BLANK = /[ \t\r\n]*/y
const TOKEN =
  /([{}[\],:])|("(?:[ !#-[\]-~\u00a0-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|((?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.$]))/y

/**
 * Describes where a string stops being valid JSON, and the character there. The result repeats at most one character of
 * the string. The messages from JavaScript engines differ, and repeat more.
 */
export function jsonFault(text: string): string {
  const open: ('{' | '[')[] = []
  let due: Due = 'value'
  let comma = -1
  for (let at = 0; ; at = TOKEN.lastIndex) {
    BLANK.lastIndex = at
    const start = at + BLANK.exec(text)![0].length
    TOKEN.lastIndex = start
    const [, mark, string, other] = TOKEN.exec(text) ?? []
    const after = step(due, mark ?? (string && '"') ?? (other && '0'), open)
    if (after) {
      comma = mark === ',' ? start : -1
      due = after
    } else if ((mark === '}' || mark === ']') && comma >= 0) {
      return `${place(text, comma)} there is an extra comma. Remove it.`
    } else {
      return `${place(text, start)} ${found(text.slice(start, start + 2), due)}`
    }
  }
}

/** The kind of token that must follow this one; undefined if the token is not allowed here. */
function step(due: Due, token: string | undefined, open: ('{' | '[')[]): Due | undefined {
  const isValue = due === 'value' || due === 'first value'
  const isName = due === 'name' || due === 'first name'
  if ((token === '{' || token === '[') && isValue) {
    open.push(token)
    return token === '{' ? 'first name' : 'first value'
  }
  if (token === '}' || token === ']') {
    const ends = due === 'next' || due === (token === '}' ? 'first name' : 'first value')
    if (!ends || open.pop() !== (token === '}' ? '{' : '[')) return undefined
    return open.length > 0 ? 'next' : 'end'
  }
  if (token === '"' && isName) return 'colon'
  if ((token === '"' || token === '0') && isValue) return open.length > 0 ? 'next' : 'end'
  if (token === ':' && due === 'colon') return 'value'
  if (token === ',' && due === 'next') return open.at(-1) === '{' ? 'name' : 'value'
  return undefined
}

const wanted: Readonly<Record<Due, string>> = {
  value: 'a value is expected',
  'first value': 'a value, or ], is expected',
  name: 'a name in double quotes is expected',
  'first name': 'a name in double quotes, or }, is expected',
  colon: 'a colon is expected',
  next: 'a comma or the closing bracket is expected',
  end: 'the text should end',
}

function found(rest: string, due: Due): string {
  const [character] = rest
  if (character === undefined) return `the text ends, but ${wanted[due]}.`
  if (character === '"' && /value|name/.test(due)) {
    return 'a string is not closed on its line, or has an invalid escape after \\.'
  }
  return `there is ${JSON.stringify(character)}, but ${wanted[due]}.`
}

function place(text: string, at: number): string {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return `At line ${line}, column ${at - before.lastIndexOf('\n')}`
}
