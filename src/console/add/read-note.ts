import type { Recognised } from '../parts/recognise.ts'

/** What a connection string said, for the page after it was stored. It holds no secret. */
export type ReadNote = Omit<Recognised, 'url' | 'suggested'>

/** How long a browser keeps it, in seconds. */
const MAX_AGE_S = 3_600

/** A browser takes cookies of 4 KiB. */
const MAX_CHARS = 3_000

/** What the cookie holds: what was read of the endpoint that was added last. */
interface Kept {
  readonly name: string
  readonly note: ReadNote
}

/** With this before it, no other host of the domain can set it. Over http, on one's own machine, there is none. */
const cookieName = (origin: string) =>
  `${origin.startsWith('https:') ? '__Host-' : ''}tidegate-read`

/**
 * A cookie with what was read, for the page of the test: the form leads on to it, and what is stored tells none of
 * this. Without it, the page shows less.
 */
export function noteCookie(
  { name, origin }: { readonly name: string; readonly origin: string },
  note: ReadNote,
): string | undefined {
  const value = encodeURIComponent(JSON.stringify({ name, note } satisfies Kept))
  if (value.length > MAX_CHARS) return undefined
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(origin)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${MAX_AGE_S}${secure}`
}

/** What was read when this browser added an endpoint, if it still knows. */
export function noteIn(
  cookies: string | undefined,
  { name, origin }: { readonly name: string; readonly origin: string },
): ReadNote | undefined {
  const begin = `${cookieName(origin)}=`
  const found = cookies?.split(/; */).find((it) => it.startsWith(begin))
  if (!found) return undefined
  try {
    const kept: unknown = JSON.parse(decodeURIComponent(found.slice(begin.length)))
    return isKept(kept) && kept.name === name ? kept.note : undefined
  } catch {
    return undefined
  }
}

const isKept = (it: unknown): it is Kept =>
  isObject(it) && typeof it.name === 'string' && isNote(it.note)

/** Whether each field is what a page can show: a browser may send anything. */
const isNote = (it: unknown): it is ReadNote =>
  isObject(it) &&
  ['engine', 'encryption'].every((name) => typeof it[name] === 'string') &&
  ['service', 'host', 'database', 'user'].every((name) => isOr('string', it[name])) &&
  ['port', 'secretLength'].every((name) => isOr('number', it[name])) &&
  [it.changes, it.hints].every(
    (texts) => Array.isArray(texts) && texts.every((text) => typeof text === 'string'),
  )

const isOr = (type: 'string' | 'number', it: unknown) => it === undefined || typeof it === type

const isObject = (it: unknown): it is Readonly<Record<string, unknown>> =>
  typeof it === 'object' && it !== null
