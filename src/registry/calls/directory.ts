import { BoundedMap, inTime, steadyNow } from '../../ground/index.ts'
import type { ChangedSince, LookupResult, RegistryLookup } from '../state/entries.ts'
import type { AskRegistry } from '../state/registry-state.ts'
import { Misses } from './misses.ts'

/** Maximum time that an isolate uses a response from the registry. */
const MAX_AGE_MS = 10_000

/** Age from which an isolate queries again, while it still answers from its cache. */
const REFRESH_MS = 5_000

/** Interval between retries if the registry does not answer. */
const RETRY_MS = 1_000

/** Time limit for a response from the registry. */
const MAX_HOP_MS = 3_000

/**
 * Maximum number of cached responses, and of characters in their JSON. The first is for responses that found
 * what was requested, the second for those that did not.
 */
const MAX_KNOWN = { entries: 2_000, size: 8 * 1024 * 1024 }
const MAX_UNKNOWN = { entries: 200, size: 1024 * 1024 }

/** A caller keeps requesting things that do not exist, so the registry is not queried. */
export class TooManyMisses extends Error {
  override readonly name = 'TooManyMisses'
}

/** The registry did not answer, and this isolate's cache is too old to be used. */
export class RegistryUnavailable extends Error {
  override readonly name = 'RegistryUnavailable'
}

/** An isolate's cache of the registry. */
export interface Directory {
  /**
   * The registry's response for a request. Queries the registry only if this isolate has no recent response. Throws
   * {@link RegistryUnavailable}, or {@link TooManyMisses} if this address requested too much that does not exist.
   */
  lookup(asked: RequestLookup, address?: string): Promise<LookupResult>
  /** Clears the cache, so that a change made here takes effect here at once. */
  forget(): void
}

type RequestLookup = Omit<RegistryLookup, 'since'>

/**
 * Caches the registry's responses. One query per {@link REFRESH_MS} gets all changes since
 * the previous one, and drops the entries that they made stale.
 *
 * @param configured Names of endpoints that do not have to be in the registry.
 */
export function directory(
  ask: AskRegistry,
  waitUntil: (work: Promise<unknown>) => void,
  configured: readonly string[] = [],
): Directory {
  const known = new BoundedMap<LookupResult>(MAX_KNOWN)
  // Separate, so that made-up keys and names do not evict real ones.
  const unknown = new BoundedMap<LookupResult>(MAX_UNKNOWN)
  const misses = new Misses()
  let instance = ''
  let version = 0
  let heardAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let forgotten = 0

  // Requests share values, but never promises, because a promise belongs to the request that made it.
  async function refresh(asked: RequestLookup): Promise<LookupResult> {
    const sent = { at: steadyNow(), instance, forgotten }
    askedAt = sent.at
    const answer = inTime(MAX_HOP_MS, ask('lookup', { ...asked, since: version }))
    const found = await answer.catch((cause: unknown) => {
      throw new RegistryUnavailable('The registry does not answer.', { cause })
    })
    // Otherwise something was changed here meanwhile, and this response may be older.
    if (sent.forgotten === forgotten) learn(asked, found, sent)
    return found
  }

  function learn(
    asked: RequestLookup,
    found: LookupResult,
    sent: { at: number; instance: string },
  ): void {
    // Another instance may have been restored, so its versions cannot be compared with the earlier ones.
    const same = found.instance === instance
    // Another request already got newer changes.
    if (same && found.version < version) return
    if (!same) clear()
    else if (found.version > version)
      drop(sent.instance === instance ? found.changes : 'everything')
    heardAt = same ? Math.max(heardAt, sent.at) : sent.at
    instance = found.instance
    version = found.version
    if (asked.endpoint === undefined) return
    const answers = isReal(asked, found) ? known : unknown
    const key = keyOf(asked)
    answers.set(key, found, key.length + JSON.stringify(found).length)
  }

  const isReal = ({ endpoint = null, key }: RequestLookup, found: LookupResult): boolean =>
    (key === undefined || found.key !== undefined) &&
    (endpoint === null || found.endpoint !== undefined || configured.includes(endpoint))

  function drop(changes: ChangedSince): void {
    if (changes === 'everything') {
      clear()
      return
    }
    if (changes.endpoints.length === 0 && changes.keys.length === 0) return
    const [endpoints, keys] = [new Set(changes.endpoints), new Set(changes.keys)]
    for (const answers of [known, unknown]) {
      for (const [asked, { endpoint }] of answers) {
        const [name = '', key = ''] = asked.split(' ', 2)
        // The first endpoint may have changed.
        const first = name === '' && endpoints.size > 0
        if (first || endpoints.has(name) || endpoints.has(endpoint?.name ?? '') || keys.has(key))
          answers.delete(asked)
      }
    }
  }

  function clear(): void {
    known.clear()
    unknown.clear()
  }

  return {
    async lookup(asked, address) {
      const now = steadyNow()
      const age = now - heardAt
      const key = keyOf(asked)
      const found = age < MAX_AGE_MS ? (known.get(key) ?? unknown.get(key)) : undefined
      if (!found) {
        // Something that existed at the last request is not made up.
        const isCounted = address !== undefined && !known.get(key)
        if (isCounted && misses.tooMany(address)) throw new TooManyMisses()
        const heard = await refresh(asked)
        if (address !== undefined && !isReal(asked, heard)) misses.note(address)
        return heard
      }
      if (age > REFRESH_MS && now - askedAt >= RETRY_MS) {
        waitUntil(refresh({}).catch((error: unknown) => console.error(error)))
      }
      return found
    },
    forget() {
      clear()
      forgotten++
    },
  }
}

/** Endpoint names and key ids contain no spaces. */
const keyOf = ({ endpoint, key, person, memberOf }: RequestLookup): string =>
  `${endpoint ?? ''} ${key ?? ''}${person === undefined ? '' : ` ${JSON.stringify([person, memberOf])}`}`
