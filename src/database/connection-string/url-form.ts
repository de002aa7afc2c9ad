import type { Draft, Notes } from './draft.ts'
import { meant } from './draft.ts'
import { assertNotForeign, type Known, knownScheme, meantScheme } from './families.ts'
import { NotRecognised } from './fault.ts'

/** A scheme and what follows it. */
interface Begun {
  readonly scheme: string
  /** What stands between the two: `://`, or what was written instead. */
  readonly mark: string
  readonly rest: string
}

const MARKS = new Set([':', ';', '/', '\\', ' '])

/** The scheme that a text begins with, if it may be one. */
export function begun(text: string): Begun | undefined {
  const scheme = /^[a-z][a-z\d+._-]{0,60}/i.exec(text)?.[0]
  if (scheme === undefined) return undefined
  if (text.startsWith('://', scheme.length)) {
    return { scheme, mark: '://', rest: text.slice(scheme.length + 3) }
  }
  let end = scheme.length
  while (end < scheme.length + 5 && MARKS.has(text[end]!)) end++
  const mark = text.slice(scheme.length, end)
  if (!/[:/;\\]/.test(mark)) return undefined
  return { scheme, mark, rest: text.slice(end) }
}

/**
 * Reads a URL as people write it: with a mistaken scheme, marks that are missing, and a password that is
 * not percent-encoded. Nothing for a text that is no URL. Throws {@link NotRecognised}.
 */
export function readUrl(text: string, notes: Notes): Draft | undefined {
  const it = begun(text)
  if (!it) return undefined
  const { scheme, mark, rest } = it
  const isWhole = mark.includes('//') || mark.includes('\\\\')
  const known = knownScheme(scheme)
  if (!known && (isWhole || !rest.includes('@'))) assertNotForeign(scheme)
  const found = known ?? (isWhole || mark.length > 1 ? meantScheme(scheme) : undefined)
  if (!found) return undefined
  // `postgres:secret@host/db` is a user and a password.
  if (!isWhole && mark === ':' && !rest.slice(0, rest.lastIndexOf('@')).includes(':')) {
    if (rest.includes('@') || /^\d+(?:\/|$)/.test(rest)) return undefined
  }
  if (mark !== '://') notes.changes.push(`Wrote :// behind ${found.scheme}.`)
  noteScheme(scheme, known, found, notes)
  return { family: found.family, scheme: found.scheme, ...readRest(rest, notes) }
}

function noteScheme(scheme: string, known: Known | undefined, found: Known, notes: Notes): void {
  const [bare = '', driver] = scheme.split('+')
  if (!known) notes.changes.push(`Read ${bare.slice(0, 20)} as ${found.scheme}.`)
  else if (driver) notes.changes.push('Took the driver out of the scheme.')
  else if (![found.scheme, 'postgresql', 'turso'].includes(bare.toLowerCase())) {
    notes.changes.push(`Read ${bare.slice(0, 20)} as ${found.scheme}.`)
  }
}

/** Reads what stands behind the scheme of a URL. Throws {@link NotRecognised}. */
export function readRest(rest: string, notes: Notes): Draft {
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
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end--
  // What says more may be a password, and the name of a database is shown.
  if (/\s(?:-|[\w-]{1,40}[=:]|(?:password|passwd|pwd|pass)\b)/i.test(path)) {
    throw new NotRecognised(
      'Behind the database stand more words. Put the user and the password into the URL: postgres://user:password@host/database.',
      'database',
    )
  }
  return end === 0 ? undefined : meant(path.slice(0, end))
}

/** A user or password may hold any sign, so its end is the last @ that a host can follow. */
function cut(rest: string): { login: string | undefined; place: string; query: string } {
  const mark = queryMark(rest)
  const before = mark < 0 ? rest : rest.slice(0, mark)
  const query = mark < 0 ? '' : withoutFragment(rest.slice(mark + 1))
  const at = before.lastIndexOf('@')
  const login = at < 0 ? undefined : before.slice(0, at)
  // A page's address was copied where only a host belongs.
  const place = before.slice(at + 1).replace(/^(?:https?|tcp):\/\//i, '')
  return { login, place: withoutFragment(place), query }
}

const withoutFragment = (text: string) => text.split('#', 1)[0]!

/**
 * Where the query begins: at the first question mark behind the host. A password with a question mark has
 * the host behind it; a parameter with an @ has its own name before that.
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

function readLogin(login: string | undefined, notes: Notes): Pick<Draft, 'user' | 'password'> {
  if (login === undefined) return {}
  const colon = login.indexOf(':')
  const user = colon < 0 ? login : login.slice(0, colon)
  const password = colon < 0 ? undefined : login.slice(colon + 1)
  const literal = [user, password ?? ''].some((part) => !isEncoded(part))
  if (literal) {
    notes.changes.push('Percent-encoded the login: it has signs that mean something else in a URL.')
  }
  const read = literal ? (part: string) => part : meant
  return {
    user: user === '' ? undefined : read(user),
    password: password === undefined || password === '' ? undefined : read(password),
  }
}

/** Whether a part of a URL is encoded as it should be. Signs that only some programs encode may stand in it. */
function isEncoded(part: string): boolean {
  if (/[@/?#\s:[\]<>"`{}|\\^]/.test(part)) return false
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

/** Reads `host`, `host:port`, an IPv6 address, or a list of them. Throws {@link NotRecognised}. */
export function readHost(text: string, notes: Notes): Pick<Draft, 'host' | 'port'> {
  const places = text
    .split(',')
    .filter((it) => it.trim() !== '')
    .map((it) => readPlace(it.trim(), notes))
  if (places.length < 2) return places[0] ?? {}
  const ports = places.map(({ port = '' }) => port)
  return {
    host: places.map(({ host = '' }) => host).join(','),
    port: ports.some((it) => it !== '') ? ports.join(',') : undefined,
  }
}

function readPlace(place: string, notes: Notes): Pick<Draft, 'host' | 'port'> {
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
