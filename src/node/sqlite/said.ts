import {
  DatabaseError,
  type Failure,
  PARAMETERS,
  statementError,
} from '../../database/sqlite/reader.ts'

/** The codes of SQLite: https://sqlite.org/rescode.html */
const RANGE = 25

const BUSY = 'Another program holds the file. Try again.'
const TOO_LARGE = 'The answer, or a value on the way to it, is too large.'
const UNDONE =
  'A write to this file was broken off, and is undone by the next program that writes. Open it once with that program, or with sqlite3.'

/** Of extended codes. A message of SQLite about its file may say where the file is. */
const SENTENCES: Readonly<Record<number, [kind: Failure, message: string]>> = {
  3: ['config', 'SQLite has no right to read this file.'],
  5: ['network', BUSY],
  6: ['network', BUSY],
  7: ['too_large', TOO_LARGE],
  8: ['refused', 'This database is only read: that would write.'],
  10: ['network', 'The file could not be read: the disk or the file system failed.'],
  11: ['config', 'The file is damaged, or it is no SQLite file.'],
  13: ['too_large', 'The way to the answer takes more room than there is for temporary files.'],
  14: [
    'config',
    'SQLite cannot open this file. The user that runs this needs the right to read it, and what has its name and ends in -wal and -shm.',
  ],
  15: ['network', BUSY],
  18: ['too_large', TOO_LARGE],
  23: ['refused', 'This database is only read: that is not allowed here.'],
  26: ['config', 'This is no SQLite file, or an encrypted one, which cannot be read.'],
  // SQLITE_READONLY_RECOVERY, SQLITE_READONLY_ROLLBACK
  264: ['config', UNDONE],
  776: ['config', UNDONE],
}

/** What SQLite may say only because a writer has just come or gone, with the log and the index of it. */
const FILE_CODES = new Map([
  [8, 'SQLITE_READONLY'],
  [10, 'SQLITE_IOERR'],
  [14, 'SQLITE_CANTOPEN'],
  [15, 'SQLITE_PROTOCOL'],
])

/** Whether an error may be another one, or none, when the file is opened again. */
export const mayPass = ({ kind, code = '' }: DatabaseError): boolean =>
  kind !== 'refused' && [...FILE_CODES.values()].includes(code)

const HINTS: Partial<Record<Failure, string>> = {
  too_large: 'Select fewer columns, shorter pieces of the long ones, or fewer rows.',
}

/** What SQLite said, as an error that may be read. What is no error of SQLite is thrown again. */
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

/** Whether a value was bound for which there is no placeholder. */
export const isNoPlaceholder = (thrown: unknown): boolean =>
  codeOf(thrown) === RANGE || (thrown as { code?: string }).code === 'ERR_INVALID_STATE'

const codeOf = (thrown: unknown) => (thrown as { errcode?: number }).errcode

/** Where SQLite stumbled. Node does not tell it: so only if the text has the word once. */
function positionOf(message: string, sql: string): number | undefined {
  const [, near, column] =
    /^(?:near "(.+)": syntax error|no such column: (\S+))/s.exec(message) ?? []
  const word = near ?? column
  if (word === undefined) return undefined
  const at = sql.indexOf(word)
  return at < 0 || sql.includes(word, at + 1) ? undefined : at + 1
}
