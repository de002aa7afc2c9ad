import { take } from './draft.ts'
import { NotRecognised } from './fault.ts'
import { assertPlace, type Finish, isLoopback, noteDropped, urlOf } from './finished.ts'

const ENGINE = 'SQLite'

/** Makes the URL of a libSQL database, as Turso serves it. */
export const finishLibsql: Finish = (draft, notes) => {
  assertPlace(draft, ENGINE, notes)
  draft.scheme = 'libsql'
  const { host = '', port } = draft
  const written = take(draft, 'authtoken', 'token', 'jwt', 'auth')
  const token = written || draft.password || draft.user || undefined
  if (!written && token) notes.changes.push('Moved the token into authToken.')
  const clear = take(draft, 'tls') === '0'
  noteDropped(draft, notes)
  if (token === undefined && /\.turso\.io$/.test(host)) {
    throw new NotRecognised(
      'The token is missing. Make one with turso db tokens create NAME --read-only, and add it to the end: ?authToken=TOKEN.',
      'password',
      ENGINE,
    )
  }
  if (token === undefined) notes.hints.push('It has no authToken: the server has to ask for none.')
  draft.user = undefined
  draft.password = token
  const { database = '' } = draft
  const place = `libsql://${host}${port === undefined ? '' : `:${port}`}`
  const path = database === '' ? '' : `/${database.split('/').map(encodeURIComponent).join('/')}`
  const query = [
    ...(token === undefined ? [] : [`authToken=${encodeURIComponent(token)}`]),
    ...(clear ? ['tls=0'] : []),
  ].join('&')
  return {
    url: `${place}${path}${query === '' ? '' : `?${query}`}`,
    engine: ENGINE,
    encryption: clear || isLoopback(host) ? 'none' : 'required',
    port: Number(port ?? (clear || isLoopback(host) ? 80 : 443)),
  }
}

const RQLITE = ['level', 'freshness', 'freshness_strict']

/** Makes the URL of a node of rqlite. */
export const finishRqlite: Finish = (draft, notes) => {
  assertPlace(draft, ENGINE, notes)
  if (draft.database !== undefined) {
    notes.changes.push('Took off what stands behind the host: rqlite has one database.')
    draft.database = undefined
  }
  const kept = Object.fromEntries(RQLITE.map((it) => [it, take(draft, it.replace('_', ''))]))
  noteDropped(draft, notes)
  const isSecure = draft.scheme === 'rqlites'
  return {
    url: urlOf(draft, kept),
    engine: ENGINE,
    encryption: isSecure ? 'required' : 'none',
    port: Number(draft.port ?? 4001),
  }
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Makes the URL of a D1 database that is reached by Cloudflare's API. */
export const finishD1: Finish = (draft, notes) => {
  const { host = '', database = '', user, password } = draft
  const token = password ?? user
  const form = 'Write d1://:TOKEN@ACCOUNT/DATABASE, or d1:BINDING for a binding of this Worker.'
  const wrong = (what: string, part: 'host' | 'database' | 'password') =>
    new NotRecognised(`${what} ${form}`, part, ENGINE)
  if (token === undefined) throw wrong('The token is missing.', 'password')
  if (!/^[\da-f]{32}$/i.test(host)) {
    throw wrong(
      'The id of the account is not one: it has 32 letters from a to f and digits.',
      'host',
    )
  }
  if (!UUID.test(database)) {
    throw wrong('The id of the database is not one: npx wrangler d1 list shows it.', 'database')
  }
  noteDropped(draft, notes)
  const url = `d1://:${encodeURIComponent(token)}@${host.toLowerCase()}/${database.toLowerCase()}`
  return { url, engine: ENGINE, encryption: 'required', port: 443 }
}

/** Makes the URL of a project of Supabase that is reached by its API. */
export const finishSupabase: Finish = (draft) => {
  const ref = (draft.host ?? '').replace(/\.supabase\.co$/i, '').toLowerCase()
  const token = draft.password ?? draft.user
  if (!/^[a-z]{20}$/.test(ref)) {
    throw new NotRecognised(
      'The project is not one: it is the 20 letters of https://REF.supabase.co. Write supabase://:TOKEN@REF.',
      'host',
      'PostgreSQL',
    )
  }
  if (token === undefined) {
    throw new NotRecognised(
      'The token is missing. Make an access token that may read this project, and write supabase://:TOKEN@REF.',
      'password',
      'PostgreSQL',
    )
  }
  const url = `supabase://:${encodeURIComponent(token)}@${ref}`
  return { url, engine: 'PostgreSQL', encryption: 'required', port: 443 }
}
