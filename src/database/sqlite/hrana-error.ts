import { DatabaseError, type Failure } from '../error.ts'
import { charactersIn } from '../words.ts'
import { PARAMETERS, statementError } from './error.ts'
import { ONE_STATEMENT } from './single.ts'

/** A server's error about a statement. */
export interface HranaError {
  readonly message: string
  readonly code?: string | null
}

/** Messages by error code. */
const SENTENCES: readonly [codes: RegExp, kind: Failure, message: string, hint?: string][] = [
  [
    /^AUTH/,
    'auth',
    'The database refuses the token.',
    'Ask the operator to set one that is valid and can read.',
  ],
  [/^NOT_FOUND$/, 'config', 'There is no database at this address.'],
  [/^SQL_MANY_STATEMENTS$/, 'refused', ONE_STATEMENT],
  [/^SQL_NO_STATEMENT$/, 'sql', 'The statement is empty.'],
  [/^ARGS_/, 'sql', PARAMETERS],
  [/^BLOCKED$/, 'network', 'The service has blocked this database. Ask its operator why.'],
  [
    /^(?:TRANSACTION_TIMEOUT|SQLITE_INTERRUPT)/,
    'timeout',
    'The service stopped the query because it took too long.',
    'Filter more, join less, or compare with columns that have an index.',
  ],
  [
    /^(?:RESPONSE_TOO_LARGE|SQLITE_(?:TOOBIG|NOMEM|FULL))/,
    'too_large',
    'The answer, or an intermediate result, is too large for the service.',
    'Select fewer columns, shorter pieces of the long ones, or fewer rows.',
  ],
  [
    /^(?:STREAM_EXPIRED|TRANSACTION_BUSY|SQLITE_(?:BUSY|LOCKED|SCHEMA))/,
    'network',
    'The database was busy. Try again.',
  ],
  [
    /^SQLITE_(?:IOERR|CORRUPT|CANTOPEN|NOTADB|PROTOCOL|INTERNAL|MISUSE|NOLFS)/,
    'network',
    'The database failed. Ask its operator why.',
  ],
]

/** Converts a protocol error, with its position in the SQL that was sent if that is known. */
export function hranaError({ message, code }: HranaError, sql = ''): DatabaseError {
  const known = code || ''
  const said = SENTENCES.find(([codes]) => codes.test(known))
  if (said) {
    const [, kind, message, hint] = said
    const reason = kind === 'auth' ? 'login_refused' : undefined
    return new DatabaseError(kind, message, { code: known, hint, reason })
  }
  if (!/^SQL(?:ITE)?_/.test(known)) {
    return new DatabaseError(
      'network',
      'The database failed without giving a reason. Try again later.',
    )
  }
  const [, words = message, offset] =
    /^(?:SQL(?:ite| input) error: |SQL string could not be parsed: )?(.*?)(?: \(at offset (\d+)\))?$/s.exec(
      message,
    ) ?? []
  const kind = /READONLY|AUTH|PERM/.test(known) ? 'refused' : 'sql'
  const position = sql && offset ? charactersIn(sql, Number(offset)) + 1 : undefined
  if (kind === 'refused') return new DatabaseError(kind, words, { code: known, position })
  return statementError(words, { code: known, position })
}
