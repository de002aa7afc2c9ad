/**
 * A piece of a statement. A `word` is a keyword or a bare name, a `name` was quoted: both are in
 * lower case and without quotes. The value of every `text` is two quote characters, `''`: the guard
 * decides nothing by what a text contains.
 */
export interface Token {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'symbol' | 'end'
  readonly value: string
  readonly start: number
  readonly end: number
  /** A text or a name in which backslashes escape. */
  readonly escapes?: boolean
}

/** Thrown for a text that engines could read in several ways. Its message tells the author what to change. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** Whether a token is one of these bare words or symbols. A name in quotes is neither. */
export const isOne = (token: Token | undefined, ...values: string[]): boolean =>
  token !== undefined &&
  (token.kind === 'word' || token.kind === 'symbol') &&
  values.includes(token.value)

/** Whether a token can be a name, in quotes or not. */
export const isName = (token: Token | undefined): boolean =>
  token?.kind === 'word' || token?.kind === 'name'
