import type { Recognised } from '../parts/recognise.ts'

/** What a connection string said, for the page after it was stored. It holds no secret. */
export type ReadNote = Omit<Recognised, 'url' | 'suggested'>

/** How long a browser keeps it, in seconds. */
const MAX_AGE_S = 3_600

/** A browser takes cookies of 4 KiB. */
const MAX_CHARS = 3_000

const cookieName = (endpoint: string) => `tidegate-read-${endpoint}`

/**
 * A cookie with what was read, for the page of the test: the form leads on to it, and what is stored tells none of
 * this. Without it, the page shows less.
 */
export function noteCookie(
  { name, origin }: { readonly name: string; readonly origin: string },
  note: ReadNote,
): string | undefined {
  const value = encodeURIComponent(JSON.stringify(note))
  if (value.length > MAX_CHARS) return undefined
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(name)}=${value}; Path=/console/add/${name}; HttpOnly; SameSite=Strict; Max-Age=${MAX_AGE_S}${secure}`
}

/** What was read when this browser added an endpoint, if it still knows. */
export function noteIn(cookies: string | undefined, name: string): ReadNote | undefined {
  const begin = `${cookieName(name)}=`
  const found = cookies?.split(/; */).find((it) => it.startsWith(begin))
  if (!found) return undefined
  try {
    const note: unknown = JSON.parse(decodeURIComponent(found.slice(begin.length)))
    return isNote(note) ? note : undefined
  } catch {
    return undefined
  }
}

const isNote = (it: unknown): it is ReadNote =>
  typeof it === 'object' &&
  it !== null &&
  'engine' in it &&
  typeof it.engine === 'string' &&
  'changes' in it &&
  Array.isArray(it.changes) &&
  'hints' in it &&
  Array.isArray(it.hints)
