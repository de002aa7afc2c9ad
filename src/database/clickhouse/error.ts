import { DatabaseError, type Failure, PARAMETER_HINT, tooSlow } from '../error.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'
import { charactersIn } from '../words.ts'

/** ClickHouse error numbers that mean something other than an invalid statement. */
const kinds: Readonly<Record<number, Failure>> = {
  ...{ 164: 'refused', 291: 'refused', 344: 'refused', 392: 'refused', 446: 'refused' },
  ...{ 497: 'refused', 452: 'config' },
  ...{ 159: 'timeout', 160: 'timeout', 394: 'timeout' },
  ...{ 158: 'too_large', 241: 'too_large', 307: 'too_large', 396: 'too_large' },
  ...{ 192: 'auth', 193: 'auth', 194: 'auth', 195: 'auth', 516: 'auth' },
  ...{ 201: 'network', 202: 'network', 209: 'network', 210: 'network', 242: 'network' },
  ...{ 279: 'network', 290: 'network', 999: 'network' },
}

/** UNKNOWN_DATABASE, for a database in the URL or in the statement. */
const NO_DATABASE = 81

const TIMEOUT_EXCEEDED = '159'

/** Errors whose message contains only positions in the server's source code. */
const INSIDE: Readonly<Record<string, string>> = {
  1001: 'This statement triggers a bug in the database itself. Write it another way.',
}

/** The start of a placeholder without a value: `?`, `:p`, `{p}`, `%s`, `@p`. */
const PLACEHOLDER = /^(?:\?|[:@]\w|\{|%[s(])/

/** Messages that replace the server's own messages about a login or about the server. */
const INSTEAD: Partial<Record<Failure, string>> = {
  auth: 'The database refused the login for this endpoint. The operator must check the user and the password in its URL.',
  config:
    'The database for this endpoint does not exist, or it does not allow the settings that Tidegate uses. The operator must check the name in its URL and the profile of its user.',
  network: 'The database cannot answer at the moment. Try again later.',
}

const HINTS: Partial<Record<Failure, string>> = {
  too_large: 'Filter more, select fewer columns, or group by fewer values.',
}

/** Context for reporting an error: the statement as its author wrote it, and where and how it ran. */
export interface StatementContext {
  /** Undefined if different SQL was sent, because positions in it are then unknown. */
  readonly sql: string | undefined
  readonly database: string
  readonly timeoutMs: number
}

/** Matches an error message, in the forms that old and new versions send. */
const REPORT = /Code: (\d+)(?:\.|,)(?: e\.displayText\(\) =)? DB::\w*Exception: (.*)$/s

/** Matches an error message from a library that ClickHouse uses. */
const FOREIGN =
  /^(?:Poco|std)::\w*exception\. Code: (\d+),(?: e\.code\(\) = \d+,| type: [^,]*,)?(?: e\.(?:displayText|what)\(\) =)? (.*)$/is

/** Matches the statement as the server rewrites it, with replaced names and with our own SQL around it. */
const WRITTEN_ANEW =
  /[.:,]? (?:in scope|in query|while (?:processing|executing)) .*?(?=\. Maybe you meant| \([A-Z_]+\)$|$)/is

/** Reads an error from text that was sent in place of a result, or after it. Undefined for any other text. */
export function clickhouseError(body: string, asked: StatementContext): DatabaseError | undefined {
  const [, number, said = ''] = FOREIGN.exec(body) ?? REPORT.exec(body) ?? []
  if (number === undefined) return undefined
  const message = said
    .replace(/^\w*Exception: /, '')
    .replace(/,? e\.what\(\) = .*$/s, '')
    .replace(/,? ?Stack trace.*$/s, '')
    .replace(/ \(version [^)]*(?:\([^)]*\))?\)?.*$/s, '')
    .replace(/\. Expected one of: .*$/s, '.')
    .replace(WRITTEN_ANEW, '')
    .trim()
  const kind = kindOf(Number(number), message, asked)
  const [, at] = /failed at position (\d+)/.exec(message) ?? []
  const late = tooSlow(asked.timeoutMs, number)
  if (number === TIMEOUT_EXCEEDED) return late
  const isMissing = kind === 'config' && Number(number) === NO_DATABASE
  const position =
    kind === 'sql' && at && asked.sql ? charactersIn(asked.sql, Number(at) - 1) + 1 : undefined
  const unbound = position && PLACEHOLDER.test(asked.sql!.slice(position - 1, position + 1))
  return new DatabaseError(kind, INSTEAD[kind] ?? INSIDE[number] ?? message.slice(0, 800), {
    code: number,
    reason: kind === 'auth' ? 'login_refused' : isMissing ? 'database_not_found' : undefined,
    hint:
      unbound || number === '456' ? PARAMETER_HINT : kind === 'timeout' ? late.hint : HINTS[kind],
    position,
  })
}

function kindOf(code: number, message: string, { database }: StatementContext): Failure {
  if (code !== NO_DATABASE) return kinds[code] ?? 'sql'
  const named = [database, `\`${database}\``, `'${database}'`]
  return named.some((it) => message.includes(`Database ${it} does`)) ? 'config' : 'sql'
}

/** UNKNOWN_ROLE and SET_NON_GRANTED_ROLE; UNKNOWN_SETTING and READONLY from a server that does not support roles. */
const NO_ROLE = ['511', '512']
const NO_SUCH_PARAMETER = ['115', '164']

/** Converts an error from a request with a role. If the role is the cause, the message is for the operator. */
export function roleFault(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || error.code === undefined) return error
  const { code, message } = error
  const unknown = NO_SUCH_PARAMETER.includes(code) && /\brole\b/.test(message)
  if (!unknown && !NO_ROLE.includes(code)) return error
  return new DatabaseError(
    'config',
    unknown
      ? 'This ClickHouse version is too old to accept a role with a query, so no query was sent. The operator can give the endpoint its own user.'
      : 'The role for this database does not exist, or the user in its URL cannot switch to it. No query was sent.',
    {
      code,
      hint: unknown ? undefined : 'The operator must create it, and then: GRANT role TO user.',
    },
  )
}

/** The error for a status without an error message. */
export function statusError(status: number): DatabaseError {
  if (status === 401 || status === 403) {
    return new DatabaseError('auth', INSTEAD.auth!, { reason: 'login_refused' })
  }
  return brokenAnswer(status)
}
