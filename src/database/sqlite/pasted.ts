import { isLoopback } from '../../ground/index.ts'
import { mayNameFiles, take } from '../connection-string/draft.ts'
import { NotRecognised } from '../connection-string/fault.ts'
import { assertPlace, noteDropped } from '../connection-string/finished.ts'
import type { FinishedUrl, Notes, StringDraft, StringForms } from '../connection-string/pasted.ts'
import { urlOfFile } from './file-url.ts'

/** Matches the name of a file: `sqlite:shop.db`, `jdbc:sqlite:shop.db`, `/data/shop.sqlite`, `Data Source=shop.db`. */
const FILE =
  /^(?:(?:jdbc:)?(?:sqlite3?|file):([^?;]+)|(?:data source=)?([^@;=:]{1,400}\.(?:db|sqlite3?|s3db))(?:;|$))/i

/** Connection strings as people write them, for Turso, libSQL and D1, and the names of SQLite files. */
export const pasted: StringForms = {
  schemes: { libsql: ['turso', 'libsqls', 'sqlitelibsql'], d1: [] },
  tokenVariable: 'authtoken',
  services: [{ title: 'Turso', ends: ['.turso.io'] }],
  read(text, notes) {
    const [, written, bare] = FILE.exec(text) ?? []
    const path = written ?? bare
    if (path === undefined) return undefined
    if (!mayNameFiles(notes)) throw file(notes)
    const [name = ''] = (path.split(/[\\/]/).at(-1) ?? '').split('.', 1)
    return { url: written === undefined ? urlOfFile(path) : `sqlite:${path}`, name }
  },
  finish: (draft, notes) =>
    draft.scheme === 'd1' ? finishD1(draft, notes) : finishLibsql(draft, notes),
}

const file = ({ machine }: Notes) =>
  new NotRecognised(
    machine
      ? 'This is a SQLite file, and a string entered here cannot refer to files. Start Tidegate with it: npx tidegate serve shop.sqlite.'
      : 'This is a SQLite file, and a Worker has no files. Put its tables into D1 (sqlite3 shop.db .dump > shop.sql, then npx wrangler d1 execute shop --remote --file shop.sql) or into Turso (turso db create shop --from-file shop.db), and use that.',
    'host',
    'SQLite',
  )

function finishLibsql(draft: StringDraft, notes: Notes): FinishedUrl {
  assertPlace(draft, notes)
  const { host = '', port, database = '' } = draft
  const token =
    take(draft, 'authtoken', 'token', 'jwt', 'auth') || draft.password || draft.user || undefined
  const clear = take(draft, 'tls') === '0'
  noteDropped(draft, notes)
  if (token === undefined && /\.turso\.io$/.test(host)) {
    throw new NotRecognised(
      'The token is missing. Make one with turso db tokens create NAME --read-only, and add it at the end: ?authToken=TOKEN.',
      'password',
    )
  }
  if (token === undefined)
    notes.hints.push('It has no authToken: that works only if the server does not require one.')
  draft.user = undefined
  draft.password = token
  const place = `libsql://${host}${port === undefined ? '' : `:${port}`}`
  const path = database === '' ? '' : `/${database.split('/').map(encodeURIComponent).join('/')}`
  const query = [
    ...(token === undefined ? [] : [`authToken=${encodeURIComponent(token)}`]),
    ...(clear ? ['tls=0'] : []),
  ].join('&')
  const isPlain = clear || isLoopback(host)
  return {
    url: `${place}${path}${query === '' ? '' : `?${query}`}`,
    encryption: isPlain ? 'none' : 'required',
    port: Number(port ?? (isPlain ? 80 : 443)),
  }
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Makes the URL for a D1 database that is accessed through Cloudflare's API. */
function finishD1(draft: StringDraft, notes: Notes): FinishedUrl {
  const { host = '', database = '' } = draft
  const token = draft.password ?? draft.user
  const wrong = (what: string, part: 'host' | 'database' | 'password') =>
    new NotRecognised(
      `${what} Write d1://:TOKEN@ACCOUNT/DATABASE, or d1:BINDING for a binding of this Worker.`,
      part,
    )
  if (token === undefined) throw wrong('The token is missing.', 'password')
  if (!/^[\da-f]{32}$/i.test(host)) {
    throw wrong(
      'The account ID is not valid: it must be 32 digits and letters from a to f.',
      'host',
    )
  }
  if (!UUID.test(database)) {
    throw wrong('The database ID is not valid: npx wrangler d1 list shows it.', 'database')
  }
  noteDropped(draft, notes)
  draft.user = undefined
  draft.password = token
  const url = `d1://:${encodeURIComponent(token)}@${host.toLowerCase()}/${database.toLowerCase()}`
  return { url, encryption: 'required', port: 443 }
}
