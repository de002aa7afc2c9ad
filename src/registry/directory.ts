import type { Found, Lookup } from './entries.ts'
import type { AskRegistry } from './registry.ts'

/** An isolate never uses what it heard from the registry for longer than this. */
export const MAX_AGE_MS = 10_000

/** From this age on, an isolate asks again while it still answers from what it knows. */
const REFRESH_MS = 5_000

/** Requests that an isolate remembers the answers to. */
const MAX_KNOWN = 2_000

/** What an isolate knows of the registry. */
export interface Directory {
  /** What a request needs to know. Asks the registry only if this isolate does not know, or not lately. */
  lookup(asked: Omit<Lookup, 'since'>): Promise<Found>
  /** Forgets everything: what was just changed here holds here at once. */
  forget(): void
}

/**
 * Remembers what the registry said. One question for each {@link REFRESH_MS} hears of all changes since
 * the one before, and drops what they made untrue.
 */
export function directory(
  ask: AskRegistry,
  waitUntil: (work: Promise<unknown>) => void,
): Directory {
  const known = new Map<string, Found>()
  let version = 0
  let heardAt = 0
  let askedAt = 0

  // Values are shared between requests, never promises: a promise belongs to the request that made it.
  async function refresh(asked: Omit<Lookup, 'since'>): Promise<Found> {
    const now = Date.now()
    askedAt = now
    const since = version
    const found = await ask('lookup', { ...asked, since })
    if (!found) throw new Error('The registry said nothing.')
    if (found.version >= version) {
      if (since === version) drop(found)
      // Another request heard of newer changes meanwhile.
      else if (found.version > version) known.clear()
      version = found.version
      heardAt = Math.max(heardAt, now)
      if (asked.endpoint !== undefined) remember(keyOf(asked), found)
    }
    return found
  }

  function drop({ changes }: Found): void {
    if (changes === 'everything') {
      known.clear()
      return
    }
    for (const [key, it] of known) {
      const [name = '', id = ''] = key.split(' ')
      const names = [name, it.endpoint?.name ?? '']
      const touched =
        // Which endpoint is the first may have changed.
        (name === '' && changes.endpoints.length > 0) ||
        names.some((it) => changes.endpoints.includes(it)) ||
        changes.keys.includes(id)
      if (touched) known.delete(key)
    }
  }

  function remember(key: string, found: Found): void {
    known.delete(key)
    known.set(key, found)
    const [oldest] = known.keys()
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
  }

  return {
    async lookup(asked) {
      const age = Date.now() - heardAt
      const found = age < MAX_AGE_MS ? known.get(keyOf(asked)) : undefined
      if (!found) return refresh(asked)
      if (age > REFRESH_MS && Date.now() - askedAt > REFRESH_MS / 5) {
        waitUntil(refresh({}).catch((error: unknown) => console.error(error)))
      }
      return found
    },
    forget() {
      known.clear()
      version = 0
    },
  }
}

const keyOf = ({ endpoint, key }: Omit<Lookup, 'since'>): string => `${endpoint ?? ''} ${key ?? ''}`
