import { firstPort, take } from '../connection-string/draft.ts'
import { NotRecognised } from '../connection-string/fault.ts'
import { assertPlace, noteDropped, urlOf } from '../connection-string/finished.ts'
import type { StringDraft, StringForms } from '../connection-string/pasted.ts'

/** Ports for the native protocol, each with the HTTP port that a server has next to it. */
const NATIVE: Readonly<Record<string, string>> = { 9000: '8123', 9440: '8443' }

/** Connection strings as people write them, for ClickHouse, which is queried over HTTP. */
export const pasted: StringForms = {
  schemes: { clickhouse: ['ch', 'clickhousedb'], clickhouses: ['chs'] },
  ports: ['8123', '8443', '9000', '9440'],
  program: {
    names: ['clickhouse-client'],
    options: { '-h': 'host', '-u': 'user', '-d': 'database' },
    flags: { secure: 'secure' },
    places: [],
    variable: 'CLICKHOUSE_PASSWORD',
    isPasswordNext: true,
  },
  services: [
    {
      title: 'ClickHouse Cloud',
      ends: ['.clickhouse.cloud'],
      asleep:
        'ClickHouse Cloud stops an idle service and starts it at the first query: test again in a minute.',
    },
    { title: 'Tinybird', ends: ['.tinybird.co'] },
  ],
  finish(draft, notes) {
    assertPlace(draft, notes)
    const isSecure = asksForTls(draft)
    draft.scheme = isSecure ? 'clickhouses' : 'clickhouse'
    const native = NATIVE[draft.port ?? '']
    if (native !== undefined) {
      notes.changes.push(`Changed port ${draft.port}, for the native protocol, to ${native}.`)
      draft.port = native
    }
    if (draft.database?.includes('/')) {
      throw new NotRecognised(
        'There is more than one / after the host. Write only the database there: clickhouse://user:password@host/database.',
        'database',
      )
    }
    noteDropped(draft, notes)
    if (!isSecure) {
      notes.hints.push(
        'The connection is not encrypted: the password and the rows travel as plain text. Use clickhouses:// to encrypt it.',
      )
    }
    if (draft.user === undefined && draft.password === undefined) {
      notes.hints.push('It has no user: ClickHouse uses the user default, without a password.')
    }
    if (draft.password !== undefined) draft.user ??= 'default'
    return {
      url: urlOf(draft),
      encryption: isSecure ? 'required' : 'none',
      port: Number(draft.port ?? (isSecure ? 8443 : 8123)),
    }
  },
}

/** True if the scheme, the port, the host or a parameter requires encryption. */
function asksForTls(draft: StringDraft): boolean {
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
