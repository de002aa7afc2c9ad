import { DatabaseError, type Failure, PARAMETER_HINT, tooSlow } from '../error.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'

/** The numbers of ClickHouse's errors that mean more than a wrong statement. */
const kinds: Readonly<Record<number, Failure>> = {
  ...{ 164: 'refused', 291: 'refused', 344: 'refused', 392: 'refused', 446: 'refused' },
  ...{ 497: 'refused', 452: 'config' },
  ...{ 159: 'timeout', 160: 'timeout', 394: 'timeout' },
  ...{ 158: 'too_large', 241: 'too_large', 307: 'too_large', 396: 'too_large' },
  ...{ 192: 'auth', 193: 'auth', 194: 'auth', 195: 'auth', 516: 'auth' },
  ...{ 201: 'network', 202: 'network', 209: 'network', 210: 'network', 242: 'network' },
  ...{ 279: 'network', 290: 'network', 999: 'network' },
}

/** UNKNOWN_DATABASE, of the URL or of a statement. */
const NO_DATABASE = 81

const TIMEOUT_EXCEEDED = '159'

/** Errors whose message only names places in the server's source. */
const INSIDE: Readonly<Record<string, string>> = {
  1001: 'This statement runs into a fault of the database itself. Write it another way.',
}

/** How a placeholder begins that has no value: `?`, `:p`, `{p}`, `%s`, `@p`. */
const PLACEHOLDER = /^(?:\?|[:@]\w|\{|%[s(])/

/** What the caller reads instead of the server's message about a login, or about itself. */
const INSTEAD: Partial<Record<Failure, string>> = {
  auth: 'The database refused the login of this endpoint. The operator must check the user and the password in its URL.',
  config:
    'The database of this endpoint does not exist, or it does not allow the settings of Tidegate. The operator must check the name in its URL and the profile of its user.',
  network: 'The database cannot answer at the moment. Try again later.',
}

const HINTS: Partial<Record<Failure, string>> = {
  too_large: 'Filter more, select fewer columns, or group by fewer values.',
}

/** What an error is told with: the statement as its author wrote it, and where and how it ran. */
export interface Asked {
  /** Nothing if another text was sent: then a position in it is not known. */
  readonly sql: string | undefined
  readonly database: string
  readonly timeoutMs: number
}

/** The text of an error, as old and as new versions send it. */
const REPORT = /Code: (\d+)(?:\.|,)(?: e\.displayText\(\) =)? DB::\w*Exception: (.*)$/s

/** The text of an error of a library that ClickHouse uses. */
const FOREIGN =
  /^(?:Poco|std)::\w*exception\. Code: (\d+),(?: e\.code\(\) = \d+,| type: [^,]*,)?(?: e\.(?:displayText|what)\(\) =)? (.*)$/is

/** Reads an error from what came instead of an answer, or after it. Returns nothing for all other texts. */
export function clickhouseError(body: string, asked: Asked): DatabaseError | undefined {
  const [, number, said = ''] = FOREIGN.exec(body) ?? REPORT.exec(body) ?? []
  if (number === undefined) return undefined
  const message = said
    .replace(/^\w*Exception: /, '')
    .replace(/,? e\.what\(\) = .*$/s, '')
    .replace(/,? ?Stack trace.*$/s, '')
    .replace(/ \(version [^)]*(?:\([^)]*\))?\)?.*$/s, '')
    .replace(/\. Expected one of: .*$/s, '.')
    .trim()
  const kind = kindOf(Number(number), message, asked)
  const [, at] = /failed at position (\d+)/.exec(message) ?? []
  const late = tooSlow(asked.timeoutMs, number)
  if (number === TIMEOUT_EXCEEDED) return late
  const position = kind === 'sql' && at && asked.sql ? characters(asked.sql, Number(at)) : undefined
  const unbound = position && PLACEHOLDER.test(asked.sql!.slice(position - 1, position + 1))
  return new DatabaseError(kind, INSTEAD[kind] ?? INSIDE[number] ?? message.slice(0, 800), {
    code: number,
    hint:
      unbound || number === '456' ? PARAMETER_HINT : kind === 'timeout' ? late.hint : HINTS[kind],
    position,
  })
}

function kindOf(code: number, message: string, { database }: Asked): Failure {
  if (code !== NO_DATABASE) return kinds[code] ?? 'sql'
  return message.includes(`Database ${database} does`) ||
    message.includes(`Database \`${database}\` does`) ||
    message.includes(`Database '${database}' does`)
    ? 'config'
    : 'sql'
}

/** The position of a byte, counted from 1, in characters. */
const characters = (sql: string, byte: number) =>
  new TextDecoder().decode(new TextEncoder().encode(sql).subarray(0, byte - 1)).length + 1

/** UNKNOWN_ROLE and SET_NON_GRANTED_ROLE; UNKNOWN_SETTING and READONLY of a server that knows no roles. */
const NO_ROLE = ['511', '512']
const NO_SUCH_PARAMETER = ['115', '164']

/** The error of a request with a role, in words for the operator if the role is why. */
export function roleFault(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || error.code === undefined) return error
  const { code, message } = error
  const unknown = NO_SUCH_PARAMETER.includes(code) && /\brole\b/.test(message)
  if (!unknown && !NO_ROLE.includes(code)) return error
  return new DatabaseError(
    'config',
    unknown
      ? 'This ClickHouse is too old to take a role with a query, so nothing was asked. The operator can give the endpoint a user of its own.'
      : 'The role of this database does not exist, or the user of its URL may not become it. Nothing was asked.',
    {
      code,
      hint: unknown ? undefined : 'The operator has to make it, and then: GRANT role TO user.',
    },
  )
}

/** The error for a status without a report. */
export function statusError(status: number): DatabaseError {
  if (status === 401 || status === 403) return new DatabaseError('auth', INSTEAD.auth!)
  return brokenAnswer(status)
}
