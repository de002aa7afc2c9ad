import type { Notes } from './pasted.ts'

/** Invisible characters that are often copied from web pages and emails. */
const INVISIBLE = /(?![\n\r\t])[\p{Cc}\p{Cf}]/gu

/** Removes invisible characters from a text, and replaces special spaces with plain ones. */
export function visibleText(text: string, notes: Pick<Notes, 'changes'>): string {
  const visible = text.toWellFormed().replace(INVISIBLE, '')
  if (visible.length !== text.length) notes.changes.push('Removed invisible characters.')
  return visible
    .replace(/[\u00a0\u2002-\u200a\u202f\u3000]/g, ' ')
    .replace(/\r\n?/g, '\n')
    .trim()
}

const PAIRS = ['""', "''", '``', '“”', '‘’', '<>']

/** Removes the quotes around a string, and a semicolon or comma at the end of a line of code. */
export function unquoted(text: string, notes: Pick<Notes, 'changes'>): string {
  const ended = text.trim().replace(/[;,]$/, '').trimEnd()
  const isQuoted =
    ended.length > 1 && PAIRS.some((it) => ended[0] === it[0] && ended.at(-1) === it[1])
  // Removes one quote of a pair that was copied without the other.
  const inner = isQuoted ? ended.slice(1, -1) : text.trim().replace(/^["'`“”‘’]/, '')
  const bare = isQuoted || !inner.includes('://') ? inner : inner.replace(/["'`“”‘’]$/, '')
  if (bare !== text.trim()) notes.changes.push('Removed the quotes.')
  return bare.trim()
}
