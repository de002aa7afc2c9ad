import { isObject } from '../../ground/index.ts'
import type { ApiRecognised } from '../parts/recognise.ts'

/** Facts from a connection string, for the next page. It contains no secret. */
export type ReadNote = Omit<ApiRecognised, 'url' | 'suggested'>

/** Lifetime of the cookie, in seconds. */
const MAX_AGE_S = 3_600

/** Browsers accept cookies up to 4 KiB. */
const MAX_CHARS = 3_000

/** Content of the cookie: facts about the endpoint that was added last. */
interface NoteCookie {
  readonly name: string
  readonly note: ReadNote
}

/** The prefix keeps other hosts in the domain from setting the cookie. Plain http on a local machine has no prefix. */
const cookieName = (origin: string) =>
  `${origin.startsWith('https:') ? '__Host-' : ''}tidegate-read`

/**
 * Cookie with the parsed facts, for the test page after the redirect. The stored endpoint does not have them. Without
 * the cookie, the page shows less.
 */
export function noteCookie(
  { name, origin }: { readonly name: string; readonly origin: string },
  note: ReadNote,
): string | undefined {
  const value = encodeURIComponent(JSON.stringify({ name, note } satisfies NoteCookie))
  if (value.length > MAX_CHARS) return undefined
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(origin)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${MAX_AGE_S}${secure}`
}

/** Facts that this browser stored when it added an endpoint. */
export function noteIn(
  cookies: string | undefined,
  { name, origin }: { readonly name: string; readonly origin: string },
): ReadNote | undefined {
  const begin = `${cookieName(origin)}=`
  const found = cookies?.split(/; */).find((it) => it.startsWith(begin))
  if (!found) return undefined
  try {
    const cookie: unknown = JSON.parse(decodeURIComponent(found.slice(begin.length)))
    return isNoteCookie(cookie) && cookie.name === name ? cookie.note : undefined
  } catch {
    return undefined
  }
}

const isNoteCookie = (it: unknown): it is NoteCookie =>
  isObject(it) && typeof it.name === 'string' && isNote(it.note)

/** True if every field has the right type: a browser can send anything. */
const isNote = (it: unknown): it is ReadNote =>
  isObject(it) &&
  ['engine', 'encryption'].every((name) => typeof it[name] === 'string') &&
  ['service', 'host', 'database', 'user'].every((name) => isOr('string', it[name])) &&
  ['port', 'secretLength'].every((name) => isOr('number', it[name])) &&
  [it.changes, it.hints].every(
    (texts) => Array.isArray(texts) && texts.every((text) => typeof text === 'string'),
  )

const isOr = (type: 'string' | 'number', it: unknown) => it === undefined || typeof it === type
