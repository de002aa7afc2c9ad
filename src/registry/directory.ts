import { inTime } from './background.ts'
import type { Changes, Found, Lookup } from './entries.ts'
import { Misses } from './misses.ts'
import { Recent } from './recent.ts'
import type { AskReplica } from './registry.ts'
import type { AskRegistry } from './registry-state.ts'

/** An isolate never uses what it heard from the registry for longer than this. */
export const MAX_AGE_MS = 10_000

/** From this age on, an isolate asks again while it still answers from what it knows. */
const REFRESH_MS = 5_000

/** How often it tries that again if the registry does not answer. */
const RETRY_MS = 1_000

/** A registry that has not answered by then counts as one that does not. */
const MAX_HOP_MS = 3_000

/** The same of a replica. After that, the registry itself is asked. */
const MAX_REPLICA_MS = 1_500

/**
 * Answers that an isolate remembers, and the characters of their JSON: those that name an endpoint or a key, and
 * those that know of none.
 */
const MAX_KNOWN = { entries: 2_000, size: 8 * 1024 * 1024 }
const MAX_UNKNOWN = { entries: 200, size: 1024 * 1024 }

/** A caller asks again and again for what does not exist, so the registry is not asked. */
export class TooManyMisses extends Error {
  override readonly name = 'TooManyMisses'
}

/** The registry did not answer, and what this isolate knows is too old to be used. */
export class RegistryUnavailable extends Error {
  override readonly name = 'RegistryUnavailable'
}

/** What an isolate knows of the registry. */
export interface Directory {
  /**
   * What a request needs to know. Asks the registry only if this isolate does not know, or not lately.
   * Throws {@link RegistryUnavailable}; and {@link TooManyMisses} if too much of what this address asked for did
   * not exist.
   */
  lookup(asked: Asked, address?: string): Promise<Found>
  /** Forgets everything: what was just changed here holds here at once. */
  forget(): void
}

type Asked = Omit<Lookup, 'since'>

/**
 * Remembers what the registry said. One question for each {@link REFRESH_MS} hears of all changes since
 * the one before, and drops what they made untrue.
 *
 * @param configured Names of endpoints that the registry need not have.
 * @param askReplica Is asked in place of the registry, as long as it answers.
 */
export function directory(
  ask: AskRegistry,
  waitUntil: (work: Promise<unknown>) => void,
  configured: readonly string[] = [],
  askReplica?: AskReplica,
): Directory {
  const known = new Recent<Found>(MAX_KNOWN)
  // Apart, so that made-up keys and names push out nothing that is real.
  const unknown = new Recent<Found>(MAX_UNKNOWN)
  const misses = new Misses()
  let instance = ''
  let version = 0
  let heardAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let forgotten = 0
  let forgottenAt = Number.NEGATIVE_INFINITY

  // Values are shared between requests, never promises: a promise belongs to the request that made it.
  async function refresh(asked: Asked): Promise<Found> {
    const sent = { at: Date.now(), instance, forgotten }
    askedAt = sent.at
    const lookup = { ...asked, since: version }
    const near = askReplica && (await nearAnswerTo(askReplica, lookup))
    const found = near ?? (await answerTo(lookup))
    // Else something was changed here meanwhile, and this answer may not know of it.
    if (sent.forgotten === forgotten)
      learn(asked, found, { ...sent, at: sent.at - (found.age ?? 0) })
    return found
  }

  async function nearAnswerTo(ask: AskReplica, lookup: Lookup): Promise<Found | undefined> {
    // A replica may not know yet of what was changed here.
    if (Date.now() - forgottenAt < MAX_AGE_MS) return undefined
    try {
      const found = await inTime(MAX_REPLICA_MS, ask(lookup))
      const isNew = (found?.age ?? Number.POSITIVE_INFINITY) < MAX_AGE_MS - MAX_HOP_MS
      return isNew ? found : undefined
    } catch (error) {
      console.error('A replica of the registry does not answer.', error)
      return undefined
    }
  }

  async function answerTo(lookup: Lookup): Promise<Found> {
    try {
      const found = await inTime(MAX_HOP_MS, ask('lookup', lookup))
      if (found) return found
      throw new Error('The registry said nothing.')
    } catch (cause) {
      throw new RegistryUnavailable('The registry does not answer.', { cause })
    }
  }

  function learn(
    asked: Asked,
    found: Found,
    sent: { readonly at: number; readonly instance: string },
  ): void {
    // Another instance may have been restored: its versions say nothing of those before.
    const same = found.instance === instance
    // Another request has heard of newer changes.
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

  const isReal = ({ endpoint = null, key }: Asked, found: Found): boolean =>
    (key === undefined || found.key !== undefined) &&
    (endpoint === null || found.endpoint !== undefined || configured.includes(endpoint))

  function drop(changes: Changes): void {
    if (changes === 'everything') {
      clear()
      return
    }
    if (changes.endpoints.length === 0 && changes.keys.length === 0) return
    const [endpoints, keys] = [new Set(changes.endpoints), new Set(changes.keys)]
    for (const answers of [known, unknown]) {
      for (const [asked, { endpoint }] of answers) {
        const [name = '', key = ''] = asked.split(' ', 2)
        // Which endpoint is the first may have changed.
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

  /** What was said of this, and is not yet too old. */
  function remembered(asked: Asked): Found | undefined {
    const key = keyOf(asked)
    return known.get(key) ?? unknown.get(key)
  }

  return {
    async lookup(asked, address) {
      const now = Date.now()
      const age = now - heardAt
      const found = age < MAX_AGE_MS ? remembered(asked) : undefined
      if (!found) {
        // What was there when it was asked for last is not made up.
        const isCounted = address !== undefined && !known.get(keyOf(asked))
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
      forgottenAt = Date.now()
    },
  }
}

/** Names of endpoints and ids of keys hold no spaces. */
const keyOf = ({ endpoint, key, person, memberOf }: Asked): string =>
  `${endpoint ?? ''} ${key ?? ''}${person === undefined ? '' : ` ${JSON.stringify([person, memberOf])}`}`
