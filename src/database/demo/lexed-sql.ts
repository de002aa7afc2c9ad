import { lex } from '../guard/lexer.ts'
import type { Token } from '../guard/token.ts'
import { rules } from '../sqlite/rules.ts'

/** A statement, or a part of one, and its tokens. */
export interface LexedSql {
  readonly sql: string
  readonly tokens: readonly Token[]
}

/** Takes a text apart. Throws {@link Unreadable}. */
export const lexSql = (sql: string): LexedSql => ({ sql, tokens: lex(sql, rules.lexis) })

/** Whether a token is this bare word. A name in quotes is no keyword. */
export const isWord = (token: Token | undefined, value: string): boolean =>
  token?.kind === 'word' && token.value === value

/** Whether a token is this symbol: a parenthesis, a comma, an operator. */
export const isSymbol = ({ kind, value }: Token, symbol: string): boolean =>
  kind === 'symbol' && value === symbol
