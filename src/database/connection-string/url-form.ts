import { trimEnd } from '../transport/trim-end.ts'
import { decodedPart, meant } from './draft.ts'
import { beginnings, guessed, schemeOf, usual } from './engine-of.ts'
import { NotRecognised } from './fault.ts'
import type { Notes, StringDraft } from './pasted.ts'

/**
 * Reads a URL, and allows common mistakes: missing slashes, backslashes, and a password that is not
 * percent-encoded. Undefined for text that is not a URL. Throws {@link NotRecognised}.
 */
export function readUrl(text: string, notes: Notes): StringDraft | undefined {
  const [begun, name = '', mark = ''] = /^([a-z][a-z\d+._-]{0,60})([:;/\\ ]{1,5})/i.exec(text) ?? []
  if (begun === undefined || !/[:/;\\]/.test(mark)) return undefined
  const scheme = schemeOf(name, notes)
  const end = mark.startsWith('://') ? name.length + 3 : begun.length
  const rest = text.slice(end)
  if (scheme === undefined) {
    if (!mark.startsWith('://')) return undefined
    throw new NotRecognised(
      `Tidegate has no driver for ${name.slice(0, 20)}://. Paste a connection string that begins with ${beginnings(notes)}.`,
      'engine',
    )
  }
  // In `postgres:secret@host/db`, the scheme is the user.
  if (mark === ':' && !rest.slice(0, rest.lastIndexOf('@')).includes(':')) {
    if (rest.includes('@') || /^\d+(?:\/|$)/.test(rest)) return undefined
  }
  if (!mark.startsWith('://')) notes.changes.push(`Added :// after ${scheme}.`)
  else if (name.includes('+')) notes.changes.push('Removed the driver from the scheme.')
  return { scheme, ...readRest(rest, notes) }
}

/** Reads `user:password@host:5432/db` and `host:5432`, which do not specify an engine. Throws {@link NotRecognised}. */
export function readPlace(text: string, notes: Notes): StringDraft | undefined {
  const bare = text.replace(/^\/\//, '')
  if (/\s/.test(bare) || !/^[^/]*[.@:\]]/.test(bare) || bare.includes('://')) return undefined
  if (/[;{}()]/.test(bare.slice(bare.lastIndexOf('@')))) return undefined
  const draft = readRest(bare, notes)
  if (draft.host === undefined || !/^[\w.,[\]:-]+$/.test(draft.host)) return undefined
  if (draft.user === undefined) {
    throw new NotRecognised(
      `This is only a server address. Write the engine, the user and the database, too: ${usual(notes.engines[0]!)}://user:password@host/database.`,
      'user',
    )
  }
  const engine =
    guessed(draft, notes) ?? notes.engines.find((it) => usual(it) === draft.user?.split('.')[0])
  if (!engine) return draft
  notes.changes.push(`Wrote ${usual(engine)}:// in front, based on the port or the host.`)
  return { ...draft, scheme: usual(engine) }
}

/** Reads the part of a URL after its scheme. Throws {@link NotRecognised}. */
export function readRest(rest: string, notes: Notes): StringDraft {
  const params = new Map<string, string>()
  const { login, place, query } = cut(rest)
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=')
    const name = meant(at < 0 ? pair : pair.slice(0, at))
    if (name !== '') params.set(name.trim().toLowerCase(), at < 0 ? '' : meant(pair.slice(at + 1)))
  }
  const slash = place.indexOf('/')
  const hosts = slash < 0 ? place : place.slice(0, slash)
  const path = slash < 0 ? '' : place.slice(slash + 1)
  return { ...readLogin(login, notes), ...readHost(hosts, notes), database: pathOf(path), params }
}

function pathOf(path: string): string | undefined {
  // A longer text could contain a password, and the database name is shown.
  if (/\s(?:-|[\w-]{1,40}[=:]|(?:password|passwd|pwd|pass)\b)/i.test(path)) {
    throw new NotRecognised(
      'There are more words after the database. Put the user and the password before the host: //user:password@host/database.',
      'database',
    )
  }
  return meant(trimEnd(path, '/')) || undefined
}

/** Splits off the login. It can contain any character, so it ends at the last @ that a host can follow. */
function cut(rest: string): { login: string | undefined; place: string; query: string } {
  const mark = queryMark(rest)
  const before = mark < 0 ? rest : rest.slice(0, mark)
  const query = mark < 0 ? '' : withoutFragment(rest.slice(mark + 1))
  const at = before.lastIndexOf('@')
  const login = at < 0 ? undefined : before.slice(0, at)
  // A web page's address was copied instead of a host.
  const place = before.slice(at + 1).replace(/^(?:https?|tcp):\/\//i, '')
  return { login, place: withoutFragment(place), query }
}

const withoutFragment = (text: string) => text.split('#', 1)[0]!

/**
 * Position of the query, at the first question mark after the host. If a question mark is part of a password, the
 * host comes after it. If an @ is part of a parameter, the parameter's name comes before it.
 */
function queryMark(rest: string): number {
  const [firstAt, lastAt] = [rest.indexOf('@'), rest.lastIndexOf('@')]
  for (let mark = rest.indexOf('?'); mark >= 0; mark = rest.indexOf('?', mark + 1)) {
    if (mark > lastAt) return mark
    const isBehindHost = firstAt < mark || rest.lastIndexOf('/', mark) > 0
    if (isBehindHost && /^[\w.-]{1,60}=/.test(rest.slice(mark + 1, mark + 62))) return mark
  }
  return -1
}

function readLogin(
  login: string | undefined,
  notes: Notes,
): Pick<StringDraft, 'user' | 'password'> {
  if (login === undefined) return {}
  const colon = login.indexOf(':')
  const user = colon < 0 ? login : login.slice(0, colon)
  const password = colon < 0 ? undefined : login.slice(colon + 1)
  const literal = [user, password ?? ''].some((part) => !isEncoded(part))
  if (literal) {
    notes.changes.push(
      'Percent-encoded the login: it has characters with a special meaning in a URL.',
    )
  }
  const read = literal ? (part: string) => part : meant
  return {
    user: user === '' ? undefined : read(user),
    password: password === undefined || password === '' ? undefined : read(password),
  }
}

/** True if a part of a URL is properly encoded. Characters that only some programs encode are allowed. */
const isEncoded = (part: string): boolean =>
  !/[@/?#\s:[\]<>"`{}|\\^]/.test(part) && decodedPart(part) !== undefined

/** Reads `host`, `host:port`, an IPv6 address, or a list of them. Throws {@link NotRecognised}. */
export function readHost(text: string, notes: Notes): Pick<StringDraft, 'host' | 'port'> {
  const places = text
    .split(',')
    .filter((it) => it.trim() !== '')
    .map((it) => hostAt(it.trim(), notes))
  if (places.length < 2) return places[0] ?? {}
  const ports = places.map(({ port = '' }) => port)
  return {
    host: places.map(({ host = '' }) => host).join(','),
    port: ports.some((it) => it !== '') ? ports.join(',') : undefined,
  }
}

function hostAt(place: string, notes: Notes): Pick<StringDraft, 'host' | 'port'> {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(place)
  if (bracketed) return { host: `[${bracketed[1]}]`, port: bracketed[2] || undefined }
  const colons = place.split(':').length - 1
  if (colons > 1) {
    if (/^[\da-f:.]+(?:%.*)?$/i.test(place)) {
      const change = 'Put the IPv6 address in brackets.'
      if (!notes.changes.includes(change)) notes.changes.push(change)
      return { host: `[${place}]` }
    }
    throw new NotRecognised(
      'The host has more than one colon. Write user:password@host:port, with an @ between the password and the host.',
      'host',
    )
  }
  const [host = '', port] = meant(place).split(':')
  return { host: host === '' ? undefined : host, port: port || undefined }
}
