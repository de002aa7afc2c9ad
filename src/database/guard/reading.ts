import type { Statement } from '../rows.ts'
import type { Rules } from '../rules.ts'
import { lex } from './lexer.ts'
import { type Token, Unreadable } from './token.ts'

/** A tokenized statement. It is tokenized once for all code that needs it on the way to the engine. */
export interface StatementReading {
  /** Its text without the semicolon and the comments after it. */
  readonly sql: string
  /** Its first word, past any parentheses: `select`, `show`. */
  readonly verb: string | undefined
  /** All tokens of the text; empty if it cannot be tokenized. */
  readonly tokens: readonly Token[]
  /** Reason why the text is not a single statement, as a sentence that its author can act on. */
  readonly fault: string | undefined
}

/** Maximum length of a statement in characters: more than people or models write, but below any engine's limit. */
export const MAX_CHARACTERS = 100_000

// The key is the object rather than its text, so a reading is freed together with its statement.
const readings = new WeakMap<
  Statement,
  { readonly rules: Rules; readonly reading: StatementReading }
>()

/** Tokenizes a statement. The result is cached per statement. */
export function read(statement: Statement, rules: Rules): StatementReading {
  const found = readings.get(statement)
  if (found?.rules === rules) return found.reading
  const reading = takeApart(statement.sql, rules)
  readings.set(statement, { rules, reading })
  return reading
}

/** The statement with these values, without the trailing semicolon and comments. Our own comment can follow instead. */
export function trimmedStatement(
  reading: StatementReading,
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

function takeApart(sql: string, { lexis }: Rules): StatementReading {
  const none = { sql, verb: undefined, tokens: [] }
  if (sql.length > MAX_CHARACTERS) {
    const fault = `Send at most ${MAX_CHARACTERS} characters; this statement has ${sql.length}.`
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
      fault: several ? 'Send one statement at a time.' : longName(tokens),
    }
  } catch (error) {
    if (error instanceof Unreadable) return { ...none, fault: error.message }
    throw error
  }
}

/** Maximum length of a name. Engines that accept longer names can need a second per ten thousand characters. */
const MAX_NAME_CHARACTERS = 1_000

/** The refusal for a statement with a name that is too long. */
function longName(tokens: readonly Token[]): string | undefined {
  const name = tokens.find(
    ({ kind, start, end }) =>
      (kind === 'name' || kind === 'word') && end - start > MAX_NAME_CHARACTERS,
  )
  return (
    name &&
    `Names can be at most ${MAX_NAME_CHARACTERS} characters long; this statement has one with ${name.end - name.start}.`
  )
}

const isEnd = ({ kind }: Token) => kind === 'end'

/** The last token of the statement itself. */
const lastOf = (tokens: readonly Token[]) => tokens.findLastIndex((it) => !isEnd(it))
