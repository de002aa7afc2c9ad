import { DatabaseError } from '../error.ts'

/** What to do about a placeholder without a value, or a value without one. */
export const PARAMETERS =
  'Send one parameter for each placeholder of the statement: write $1, $2, … and give their values in params.'

/** The limits of SQLite for a tree of brackets and operators, in the words of its versions and of other parsers. */
const NESTED =
  /^(?:Recursion limit|Expression tree is too large|parser (?:stack overflow|overflowed its stack))/i

/** What SQLite says of a statement, in its own words unless nobody could act on them. */
export const statementError = (
  words: string,
  { code, position }: { code?: string; position?: number | undefined } = {},
): DatabaseError =>
  NESTED.test(words)
    ? new DatabaseError('sql', 'The statement is nested too deeply for SQLite.', {
        code,
        hint: 'Simplify it: put fewer brackets into each other, and write IN with a list for a long row of OR.',
      })
    : new DatabaseError('sql', words, { code, position })

/**
 * The error of SQLite in a Durable Object as its words, its code and, if the statement is given, the
 * place of the fault in it. What is not an error of SQLite is thrown again.
 */
export function sqliteError(thrown: unknown, sql?: string): DatabaseError {
  const said = thrown instanceof Error ? thrown.message : ''
  if (said.startsWith('Wrong number of parameter bindings')) {
    return new DatabaseError('sql', PARAMETERS)
  }
  const [brief] = said.endsWith(')') ? splitAtLast(said, ' (extended: ') : [said]
  const [words, code] = splitAtLast(brief, ': SQLITE_')
  if (!words || !/^[A-Z_]+$/.test(code)) throw thrown
  const [message, offset] = splitAtLast(words, ' at offset ')
  if (!/^\d+$/.test(offset)) return statementError(words, { code: `SQLITE_${code}` })
  const position = sql && charactersIn(sql, Number(offset)) + 1
  return new DatabaseError('sql', message, {
    code: `SQLITE_${code}`,
    position: position || undefined,
  })
}

/** The text before the last mark in it, and the text after that. */
function splitAtLast(text: string, mark: string): [before: string, behind: string] {
  const at = text.lastIndexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)]
}

/** How many characters the first bytes of a text are. */
export const charactersIn = (text: string, bytes: number) =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes)).length
