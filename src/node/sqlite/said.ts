import {
  DatabaseError,
  type Failure,
  PARAMETERS,
  statementError,
} from '../../database/sqlite/reader.ts'

/** SQLite's result codes: https://sqlite.org/rescode.html */
const RANGE = 25

const BUSY = 'Another program has locked the file. Try again.'
const TOO_LARGE = 'The result, or an intermediate value, is too large.'
const UNDONE =
  'A write to this file was interrupted. The next program that writes will undo it. Open it once with that program, or with sqlite3.'

/** Messages by extended code. SQLite's own message about a file can contain its path. */
const SENTENCES: Readonly<Record<number, [kind: Failure, message: string]>> = {
  3: ['config', 'SQLite is not allowed to read this file.'],
  5: ['network', BUSY],
  6: ['network', BUSY],
  7: ['too_large', TOO_LARGE],
  8: ['refused', 'This database is read-only: that would write.'],
  10: ['network', 'The file could not be read: the disk or the file system failed.'],
  11: ['config', 'The file is damaged, or it is not a SQLite file.'],
  13: ['too_large', "There is not enough space for SQLite's temporary files."],
  14: [
    'config',
    'SQLite cannot open this file. The user that runs this must be allowed to read it, and the files with its name that end in -wal and -shm.',
  ],
  15: ['network', BUSY],
  18: ['too_large', TOO_LARGE],
  23: ['refused', 'This database is read-only: that is not allowed here.'],
  26: ['config', 'This is not a SQLite file, or an encrypted one, which cannot be read.'],
  // SQLITE_READONLY_RECOVERY, SQLITE_READONLY_ROLLBACK
  264: ['config', UNDONE],
  776: ['config', UNDONE],
}

/** Errors that can occur merely because a writer has just come or gone, with its log and index. */
const FILE_CODES = new Map([
  [8, 'SQLITE_READONLY'],
  [10, 'SQLITE_IOERR'],
  [14, 'SQLITE_CANTOPEN'],
  [15, 'SQLITE_PROTOCOL'],
])

/** True if an error can change or disappear when the file is opened again. */
export const mayPass = ({ kind, code = '' }: DatabaseError): boolean =>
  kind !== 'refused' && [...FILE_CODES.values()].includes(code)

const HINTS: Partial<Record<Failure, string>> = {
  too_large: 'Select fewer columns, shorter pieces of the long ones, or fewer rows.',
}

/** Turns SQLite's error into one that callers can read. Throws any other error again. */
export function said(thrown: unknown, sql: string): DatabaseError {
  if (thrown instanceof DatabaseError) return thrown
  const code = codeOf(thrown)
  if (code === undefined) throw thrown
  if (code === RANGE) return new DatabaseError('sql', PARAMETERS)
  const found = SENTENCES[code] ?? SENTENCES[code & 0xff]
  if (found) {
    const [kind, message] = found
    return new DatabaseError(kind, message, {
      code: FILE_CODES.get(code & 0xff),
      hint: HINTS[kind],
    })
  }
  const { message } = thrown as Error
  if (message.startsWith('not authorized')) return new DatabaseError('refused', message)
  return statementError(message, { code: 'SQLITE_ERROR', position: positionOf(message, sql) })
}

/** True if a value was bound without a placeholder for it. */
export const isNoPlaceholder = (thrown: unknown): boolean =>
  codeOf(thrown) === RANGE || (thrown as { code?: string }).code === 'ERR_INVALID_STATE'

const codeOf = (thrown: unknown) => (thrown as { errcode?: number }).errcode

/** The position of an error. Node does not report it, so it is known only if the word occurs once. */
function positionOf(message: string, sql: string): number | undefined {
  const [, near, column] =
    /^(?:near "(.+)": syntax error|no such column: (\S+))/s.exec(message) ?? []
  const word = near ?? column
  if (word === undefined) return undefined
  const at = sql.indexOf(word)
  return at < 0 || sql.includes(word, at + 1) ? undefined : at + 1
}
