/**
 * A token of a statement. A `word` is a keyword or a bare name, and a `name` was quoted: both are in lower
 * case and without quotes. The value of every `text` is two quote characters, `''`, because the guard
 * never decides by the content of a string.
 */
export interface Token {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'symbol' | 'end'
  readonly value: string
  readonly start: number
  readonly end: number
  /** True for a string or name in which backslashes are escapes. */
  readonly escapes?: boolean
}

/** Thrown for SQL that engines could read in several ways. The message tells the author what to change. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** True if a token is one of these bare words or symbols. A quoted name is neither. */
export const isOne = (token: Token | undefined, ...values: string[]): boolean =>
  token !== undefined &&
  (token.kind === 'word' || token.kind === 'symbol') &&
  values.includes(token.value)

/** True if a token can be a name, quoted or not. */
export const isName = (token: Token | undefined): boolean =>
  token?.kind === 'word' || token?.kind === 'name'
