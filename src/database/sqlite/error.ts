import { DatabaseError } from '../error.ts'
import { charactersIn } from '../words.ts'

/** Advice for a placeholder without a value, or a value without a placeholder. */
export const PARAMETERS =
  'Send one parameter for each placeholder in the statement: write $1, $2, … and give their values in params.'

/** Messages about SQLite's limits on nested parentheses and operators, from its versions and from other parsers. */
const NESTED =
  /^(?:Recursion limit|Expression tree is too large|parser (?:stack overflow|overflowed its stack))/i

/** The error for SQLite's message about a statement. A useful message is kept. */
export const statementError = (
  words: string,
  { code, position }: { code?: string; position?: number | undefined } = {},
): DatabaseError =>
  NESTED.test(words)
    ? new DatabaseError('sql', 'The statement is nested too deeply for SQLite.', {
        code,
        hint: 'Simplify it: nest fewer parentheses, and write IN with a list instead of many ORs.',
      })
    : new DatabaseError('sql', words, { code, position })

/** Converts SQLite's error in a Durable Object, with its position in `sql`. Throws anything else. */
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

/** Splits a string at its last separator. */
function splitAtLast(text: string, mark: string): [before: string, behind: string] {
  const at = text.lastIndexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)]
}
