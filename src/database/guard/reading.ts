import type { Statement } from '../rows.ts'
import type { Rules } from '../rules.ts'
import { lex } from './lexer.ts'
import { type Token, Unreadable } from './token.ts'

/** A statement as tokens. It is read once, for all code that needs it on the way to the engine. */
export interface Reading {
  /** Its text without the semicolon and the comments after it. */
  readonly sql: string
  /** Its first word, past any parentheses: `select`, `show`. */
  readonly verb: string | undefined
  /** All tokens of the text; none where it cannot be taken apart. */
  readonly tokens: readonly Token[]
  /** Why the text is not one statement, as a sentence that its author can act on. */
  readonly fault: string | undefined
}

/** Characters of a statement: more than a person or a model writes, fewer than any engine's limit. */
const MAX_CHARACTERS = 100_000

// The key is the object and not its text, so a reading is forgotten together with its statement.
const readings = new WeakMap<Statement, { readonly rules: Rules; readonly reading: Reading }>()

/** Takes a statement apart. A statement that is read again is not lexed again. */
export function read(statement: Statement, rules: Rules): Reading {
  const found = readings.get(statement)
  if (found?.rules === rules) return found.reading
  const reading = takeApart(statement.sql, rules)
  readings.set(statement, { rules, reading })
  return reading
}

/**
 * The statement that was read, with these values, and without the semicolon and comments behind it. A
 * comment of ours may follow instead.
 */
export function trimmedStatement(
  reading: Reading,
  { params, internal }: Omit<Statement, 'sql'>,
  rules: Rules,
  comment = '',
): Statement {
  const statement = { sql: reading.sql + comment, params, internal }
  const tokens = reading.tokens.slice(0, lastOf(reading.tokens) + 1)
  const same = tokens.length === reading.tokens.length
  readings.set(statement, { rules, reading: same ? reading : { ...reading, tokens } })
  return statement
}

function takeApart(sql: string, { lexis }: Rules): Reading {
  const none = { sql, verb: undefined, tokens: [] }
  if (sql.length > MAX_CHARACTERS) {
    const fault = `Send at most ${MAX_CHARACTERS} characters; these are ${sql.length}.`
    return { ...none, fault }
  }
  try {
    const tokens = lex(sql, lexis)
    const last = lastOf(tokens)
    if (last < 0) return { ...none, fault: 'The statement is empty.' }
    const several = tokens.slice(0, last).some(isEnd)
    return {
      sql: sql.slice(0, tokens[last]!.end),
      verb: tokens.find((it) => it.kind !== 'symbol' || it.value !== '(')?.value,
      tokens,
      fault: several ? 'Send one statement at a time.' : undefined,
    }
  } catch (error) {
    if (error instanceof Unreadable) return { ...none, fault: error.message }
    throw error
  }
}

const isEnd = ({ kind }: Token) => kind === 'end'

/** The last token of the statement itself. */
const lastOf = (tokens: readonly Token[]) => tokens.findLastIndex((it) => !isEnd(it))
