import { meant, type Notes } from './draft.ts'

/** Characters that nobody sees, and that a page or a letter may bring along. */
const INVISIBLE = /(?![\n\r\t])[\p{Cc}\p{Cf}]/gu

/** A text without the characters that nobody sees, and with plain blanks. */
export function visibleText(text: string, notes: Notes): string {
  const visible = text.toWellFormed().replace(INVISIBLE, '')
  if (visible.length !== text.length) notes.changes.push('Took out characters that nobody sees.')
  return visible
    .replace(/[\u00a0\u2002-\u200a\u202f\u3000]/g, ' ')
    .replace(/\r\n?/g, '\n')
    .trim()
}

const PAIRS: readonly (readonly [open: string, close: string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['„', '“'],
  ['”', '”'],
  ['‘', '’'],
  ['’', '’'],
  ['«', '»'],
  ['<', '>'],
  ['\\"', '\\"'],
  ['(', ')'],
]

/** A text without the quotes around it, and without what ends a line of a program. */
export function unquoted(text: string, notes: Notes): string {
  let inner = text.trim()
  let isQuoted = false
  for (let i = 0; i < MAX_LAYERS; i++) {
    const ended = inner.replace(/[;,]$/, '').trimEnd()
    const pair = PAIRS.find(
      ([open, close]) =>
        ended.length >= open.length + close.length &&
        ended.startsWith(open) &&
        ended.endsWith(close),
    )
    if (!pair) break
    inner = ended.slice(pair[0].length, -pair[1].length).trim()
    isQuoted = true
  }
  // Half of a pair, which the other half was not copied with.
  const half = /^["'`“”‘’]/.exec(inner)
  if (half) inner = inner.slice(1)
  const end = /:\/\//.test(inner) && /["'`“”‘’]$/.test(inner)
  if (end) inner = inner.slice(0, -1)
  if (isQuoted || half || end) notes.changes.push('Took the quotes off.')
  return inner.trim()
}

const MAX_LAYERS = 6

/** A text that is encoded as a whole, as in a secret of Kubernetes or in a link, decoded. */
export function decodedWhole(text: string, notes: Notes): string {
  if (/^[a-z][a-z\d+]{1,40}%3A%2F%2F/i.test(text)) {
    notes.changes.push('Decoded the percent signs.')
    return meant(text)
  }
  if (text.length % 4 !== 0 || text.length < 24 || !/^[A-Za-z\d+/]+={0,2}$/.test(text)) return text
  const bytes = Uint8Array.from(atob(text), (it) => it.charCodeAt(0))
  const decoded = new TextDecoder().decode(bytes).trim()
  if (!/^[a-z][a-z\d+]{1,40}:\/\/[^\s\ufffd]+$/i.test(decoded)) return text
  notes.changes.push('Decoded base64.')
  return decoded
}
