import type { Lexis } from '../rules.ts'
import { skipBlank } from './blank.ts'
import { hasTextName } from './text-table-names.ts'
import { type Token, Unreadable } from './token.ts'

/**
 * Splits SQL into tokens the way the dialect's engine would, in linear time. Throws {@link
 * Unreadable} where engines, or two versions of one engine, might read it differently.
 */
export function lex(sql: string, lexis: Lexis): readonly Token[] {
  if (CONTROL_CHARACTER.test(sql) || !sql.isWellFormed()) {
    throw new Unreadable('Remove the control characters from the statement.')
  }
  const tokens: Token[] = []
  let at = 0
  while (at < sql.length) {
    const next = skipBlank(sql, at, lexis)
    if (next > at) {
      at = next
      continue
    }
    const token =
      readQuoted(sql, at, lexis, tokens.at(-1)) ??
      readWord(sql, at, lexis) ??
      readDigitName(sql, at, lexis, tokens.at(-1)) ??
      readNumber(sql, at) ??
      readParameter(sql, at, lexis) ??
      readSymbol(sql, at)
    tokens.push(token)
    at = token.end
  }
  if (tokens.some(isUescape) && tokens.some(({ kind, escapes }) => kind === 'name' && escapes)) {
    throw new Unreadable('Use a backslash as the escape character in names, and leave out UESCAPE.')
  }
  if (lexis.textNames && hasTextName(tokens)) {
    throw new Unreadable("Put table names in double quotes or no quotes: '…' is a string.")
  }
  return tokens
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_CHARACTER = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/
// A byte order mark is white space to SQLite and a letter to PostgreSQL, so it is neither here.
const LETTER = 'A-Za-z_\\u0080-\\ufefe\\uff00-\\uffff'
const WORD = new RegExp(`[${LETTER}][${LETTER}\\d$]*`, 'y')
const DOLLAR_TAG = new RegExp(`\\$(?:[${LETTER}][${LETTER}\\d]*)?\\$`, 'y')
const DIGIT_NAME = new RegExp(`\\d[${LETTER}\\d$]*`, 'y')
const NUMBER =
  /0b[01_]+|0o[0-7_]+|0x[\da-f_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[+-]?\d[\d_]*)?/iy
const NUMBERED_PARAMETER = /\$\d+/y
const NAMED_PARAMETER = new RegExp(`[$@#:](?:[${LETTER}\\d$]|::)+`, 'y')
const WORD_START = new RegExp(`[${LETTER}$]`, 'y')

/** The match of a sticky pattern at this position. */
function match(pattern: RegExp, sql: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(sql)?.[0]
}

/** Reads a quoted string or name, if one begins here. */
function readQuoted(sql: string, start: number, lexis: Lexis, before?: Token): Token | undefined {
  const open = sql[start]!
  const { backslashes = false } = lexis
  if (open === "'") {
    // PostgreSQL joins literals on consecutive lines; the second is read like the first.
    const escapes = backslashes || (before?.kind === 'text' && before.escapes === true)
    return text(start, closing(sql, start, "'", escapes), escapes)
  }
  if (open === '"' && lexis.doubleQuotes === 'text') {
    return text(start, closing(sql, start, '"', backslashes), false)
  }
  if (open === '"' || (open === '`' && lexis.backticks)) {
    const end = closing(sql, start, open, false)
    if (lexis.escapedNames && sql.slice(start, end).includes('\\')) {
      throw new Unreadable('Write names without backslashes.')
    }
    return quotedName(sql, start, end, open)
  }
  if (open === '[' && lexis.brackets) {
    const end = sql.indexOf(']', start)
    if (end < 0) throw new Unreadable('A name is not closed: ] is missing.')
    return quotedName(sql, start, end + 1, ']')
  }
  const tag = open === '$' && lexis.dollarQuotes ? match(DOLLAR_TAG, sql, start) : undefined
  if (tag === undefined) return undefined
  const end = sql.indexOf(tag, start + tag.length)
  if (end < 0)
    throw new Unreadable(`A string is not closed: a second ${tag.slice(0, 40)} is missing.`)
  return text(start, end + tag.length, false)
}

const text = (start: number, end: number, escapes: boolean): Token => ({
  kind: 'text',
  value: "''",
  start,
  end,
  escapes,
})

function quotedName(sql: string, start: number, end: number, quote: string): Token {
  const value = sql.slice(start + 1, end - 1).replaceAll(quote + quote, quote)
  return { kind: 'name', value: lowerCase(value), start, end }
}

/** Position after the quote that closes the one at `start`. A doubled quote does not close it. */
function closing(sql: string, start: number, quote: string, backslashes: boolean): number {
  for (let at = start + 1; at < sql.length; at++) {
    if (backslashes && sql[at] === '\\') at++
    else if (sql[at] === quote && sql[at + 1] === quote) at++
    else if (sql[at] === quote) return at + 1
  }
  throw new Unreadable(`A quote is not closed: ${quote} is missing.`)
}

function readWord(sql: string, start: number, lexis: Lexis): Token | undefined {
  const word = match(WORD, sql, start)
  if (lexis.asciiWords && /[$\u0080-\uffff]/.test(word ?? sql[start]!)) {
    throw new Unreadable('Quote names that contain characters other than A–Z, 0–9 and _.')
  }
  if (word === undefined) return undefined
  const value = lowerCase(word)
  const end = start + word.length
  if (lexis.escapePrefixes && value === 'e' && sql[end] === "'") {
    return text(start, closing(sql, end, "'", true), true)
  }
  if (lexis.escapePrefixes && value === 'u' && sql.startsWith('&"', end)) {
    const name = quotedName(sql, end + 1, closing(sql, end + 1, '"', false), '"')
    return { ...name, value: lowerCase(unescaped(name.value)), start, escapes: true }
  }
  return { kind: 'word', value, start, end }
}

const isUescape = ({ kind, value }: Token) => kind === 'word' && value === 'uescape'

/** An escaped character in `U&"…"`. */
const NAME_ESCAPE = /\\(?:([\da-f]{4})|\+([\da-f]{6})|(\\)|)/gi

function unescaped(name: string): string {
  const plain = name.replace(NAME_ESCAPE, (_, four, six, backslash) => {
    const code = parseInt(four ?? six ?? (backslash ? '5c' : '0'), 16)
    return code > 0x10ffff ? '\0' : String.fromCodePoint(code)
  })
  if (!CONTROL_CHARACTER.test(plain) && plain.isWellFormed()) return plain
  throw new Unreadable('Write names as they are, without U&"…" escapes.')
}

// Folds only the letters that every engine folds: toLowerCase() would turn a Kelvin sign into a k.
const lowerCase = (name: string) => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Reads a name that begins with a digit, as MySQL allows, or the dot in front of it. */
function readDigitName(
  sql: string,
  start: number,
  { digitNames }: Lexis,
  before?: Token,
): Token | undefined {
  if (!digitNames) return undefined
  const next = before?.end === start
  // `.1` is a number, except right after a bare name.
  if (sql[start] === '.' && next && before.kind === 'word') return readSymbol(sql, start)
  const word = match(DIGIT_NAME, sql, start)
  if (word === undefined) return undefined
  const token: Token = { kind: 'word', value: lowerCase(word), start, end: start + word.length }
  const exponent = /^\d+e$/i.test(word) && /^[+-]\d/.test(sql.slice(token.end, token.end + 2))
  const number = exponent || /^(?:\d+|0x[\da-fA-F]+|0b[01]+|\d+[eE]\d.*)$/.test(word)
  return number && !(next && before.value === '.') ? undefined : token
}

function readNumber(sql: string, start: number): Token | undefined {
  const value = match(NUMBER, sql, start)
  if (value === undefined) return undefined
  // `1into t` is two tokens in older versions of PostgreSQL and an error in newer ones; `1_$$` is a number
  // and a name in the older ones, or a number and the beginning of a string.
  return apart(sql, { kind: 'number', value, start, end: start + value.length })
}

function readParameter(sql: string, start: number, lexis: Lexis): Token | undefined {
  const value = match(lexis.parameterSuffixes ? NAMED_PARAMETER : NUMBERED_PARAMETER, sql, start)
  if (value === undefined) return undefined
  const token: Token = { kind: 'symbol', value, start, end: start + value.length }
  if (!lexis.parameterSuffixes) return apart(sql, token)
  if (sql[token.end] !== '(') return token
  throw new Unreadable(`Write the parameter ${value.slice(0, 40)} without parentheses.`)
}

/** Refuses a token that runs into the next word. */
function apart(sql: string, token: Token): Token {
  if (match(WORD_START, sql, token.end) === undefined) return token
  throw new Unreadable(`Put a space after ${token.value.slice(0, 40)}.`)
}

function readSymbol(sql: string, start: number): Token {
  const value = sql[start]!
  // MySQL reads `\Ninto` as NULL and INTO. No other dialect has a backslash outside of quotes.
  if (value === '\\')
    throw new Unreadable('Write NULL instead of \\N, and no other backslash outside of quotes.')
  if (value === '\ufeff') throw new Unreadable('Remove the byte order mark from the statement.')
  return { kind: value === ';' ? 'end' : 'symbol', value, start, end: start + 1 }
}
