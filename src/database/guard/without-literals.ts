import type { Lexis, Rules } from '../rules.ts'
import { lex } from './lexer.ts'
import { MAX_CHARACTERS } from './reading.ts'
import { isOne, type Token, Unreadable } from './token.ts'

/**
 * Removes the values from a statement so that it can be shown: each string and number becomes `?`, and comments
 * are left out. Undefined for a statement that cannot be tokenized.
 */
export function withoutLiterals(sql: string, { lexis }: Rules): string | undefined {
  if (sql.length > MAX_CHARACTERS) return undefined
  const tokens = tokensOf(sql, lexis)
  if (!tokens) return undefined
  // SQLite reads "x" as a string if there is no such name.
  const mayBeText = (token: Token, i: number) =>
    lexis.textNames && sql[token.start] === '"' && !standsForName(tokens, i)
  let end = 0
  return tokens
    .map((token, i) => {
      const gap = token.start > end && end > 0 ? ' ' : ''
      end = token.end
      const literal = token.kind === 'text' || token.kind === 'number' || mayBeText(token, i)
      return gap + (literal ? '?' : sql.slice(token.start, token.end))
    })
    .join('')
}

/** Tokens of a statement, which can contain `$1` even if its dialect has different placeholders. */
function tokensOf(sql: string, lexis: Lexis): readonly Token[] | undefined {
  const numbered = lexis.asciiWords && !/\$(?!\d)/.test(sql)
  try {
    return lex(sql, numbered ? { ...lexis, asciiWords: false } : lexis)
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

/** True if a token is a name because of its position. */
const standsForName = (tokens: readonly Token[], i: number) =>
  isOne(tokens[i + 1], '.') || isOne(tokens[i - 1], '.', 'from', 'join', 'as')
