import { type Draft, firstPort, take } from './draft.ts'
import { NotRecognised } from './fault.ts'
import { assertPlace, type Finish, noteDropped, urlOf } from './finished.ts'

const ENGINE = 'ClickHouse'

/** Makes the URL of a ClickHouse server, which is asked over HTTP. */
export const finishClickhouse: Finish = (draft, notes) => {
  assertPlace(draft, ENGINE, notes)
  const isSecure = asksForTls(draft)
  draft.scheme = isSecure ? 'clickhouses' : 'clickhouse'
  const native = { 9000: '8123', 9440: '8443' }[firstPort(draft) ?? '']
  if (native !== undefined) {
    notes.changes.push(
      `Changed port ${firstPort(draft)}, of the native protocol, to ${native}, of ${isSecure ? 'HTTPS' : 'HTTP'}.`,
    )
    draft.port = native
  }
  const inPath = draft.database?.includes('/')
  if (inPath) {
    throw new NotRecognised(
      'There is more than one / behind the host. Write the database alone there: clickhouse://user:password@host/database.',
      'database',
      ENGINE,
    )
  }
  noteDropped(draft, notes)
  if (!isSecure) {
    notes.hints.push(
      'The way to it is not encrypted: the password and the rows travel as plain text. clickhouses:// encrypts.',
    )
  }
  if (draft.user === undefined && draft.password === undefined) {
    notes.hints.push('It names no user: ClickHouse takes the user default, without a password.')
  }
  if (draft.password !== undefined) draft.user ??= 'default'
  return {
    url: urlOf(draft),
    engine: ENGINE,
    encryption: isSecure ? 'required' : 'none',
    port: Number(draft.port ?? (isSecure ? 8443 : 8123)),
  }
}

/** Whether it is to be encrypted, by the scheme, the port, the host or a parameter. */
function asksForTls(draft: Draft): boolean {
  const flags = [take(draft, 'secure', 'ssl', 'tls', 'usessl'), take(draft, 'protocol')]
  const isAsked = flags.some((it) => it !== undefined && /^(?:|1|true|yes|on|https)$/i.test(it))
  const mode = take(draft, 'sslmode')
  return (
    draft.scheme === 'clickhouses' ||
    isAsked ||
    (mode !== undefined && !/^(?:none|disable)/i.test(mode)) ||
    ['8443', '9440', '443'].includes(firstPort(draft) ?? '') ||
    /\.clickhouse\.cloud$/.test(draft.host ?? '')
  )
}
