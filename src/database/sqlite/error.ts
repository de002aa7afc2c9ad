import { DatabaseError } from '../database.ts'

/**
 * What SQLite in a Durable Object said, taken apart: its words, its code and, if its text is
 * given, where in the statement it stumbled. Throws on what is not an answer of SQLite.
 */
export function sqliteError(thrown: unknown, sql?: string): DatabaseError {
  const said = thrown instanceof Error ? thrown.message : ''
  if (said.startsWith('Wrong number of parameter bindings')) {
    return new DatabaseError('sql', 'Send one parameter for each placeholder of the statement.')
  }
  const [, message, offset, code] =
    /^(.*?)(?: at offset (\d+))?: (SQLITE_[A-Z_]+)(?: \(extended: .*\))?$/s.exec(said) ?? []
  if (!message) throw thrown
  const position = sql && offset ? charactersIn(sql, Number(offset)) + 1 : undefined
  return new DatabaseError('sql', message, { code, position })
}

/** How many characters of a text its first bytes are. */
export const charactersIn = (text: string, bytes: number) =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes)).length
