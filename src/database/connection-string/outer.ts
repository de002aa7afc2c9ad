import type { Notes } from './draft.ts'

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
