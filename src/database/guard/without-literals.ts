import type { Lexis, Rules } from '../rules.ts'
import { lex } from './lexer.ts'
import { isOne, type Token, Unreadable } from './token.ts'

/** Longer statements never reach a database. */
const MAX_CHARACTERS = 100_000

/**
 * A statement that can be shown without the values that its author wrote into it: each text and each
 * number is a `?`, and comments are left out. Undefined for a statement that cannot be taken apart.
 */
export function withoutLiterals(sql: string, { lexis }: Rules): string | undefined {
  if (sql.length > MAX_CHARACTERS) return undefined
  const tokens = tokensOf(sql, lexis)
  if (!tokens) return undefined
  // SQLite reads "x" as a text where there is no such name.
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

/** The tokens of a text, which may have `$1` where its dialect writes another placeholder. */
function tokensOf(sql: string, lexis: Lexis): readonly Token[] | undefined {
  const numbered = lexis.asciiWords && !/\$(?!\d)/.test(sql)
  try {
    return lex(sql, numbered ? { ...lexis, asciiWords: false } : lexis)
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

/** Whether a token is a name by the place where it stands. */
const standsForName = (tokens: readonly Token[], i: number) =>
  isOne(tokens[i + 1], '.') || isOne(tokens[i - 1], '.', 'from', 'join', 'as')
