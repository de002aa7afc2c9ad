import { BoundedMap, steadyNow } from '../../ground/index.ts'
import { IssuerFault } from './ask.ts'

/** Time for which an issuer's cached response counts as fresh. */
const KEPT_MS = 10 * 60_000

/** Minimum time between an issuer's response and an early refresh, however many requests need one. */
const COOLDOWN_MS = 30_000

/** Pause after an issuer fails. During it, nothing is requested from that issuer. */
const FAULT_MS = 5_000

/**
 * Age at which a cached response is dropped. Until then, it is used while the issuer is not responding, since people
 * may still hold valid tokens.
 */
const STALE_MS = 60 * 60_000

/** Maximum time that a request waits for a fresh response if it has an older one to use. */
const NEWS_MS = 1_500

/** The operator configures the issuers, so there are only a few. */
const BOUNDS = { entries: 20 }

interface CachedDocument<T> {
  readonly value: T
  readonly at: number
  /** Time when a newer value was last requested. */
  askedAt: number
  /** Time when a newer value was last requested because this one was old. */
  triedAt: number
}

/**
 * Caches issuers' responses in this isolate. It stores values, never promises. On Workers, the work behind a promise
 * belongs to the request that started it, and ends with that request.
 */
export class DocumentCache<T> {
  readonly #entries = new BoundedMap<CachedDocument<T>>(BOUNDS)
  /** Issuers whose last request failed. */
  readonly #down = new BoundedMap<true>(BOUNDS)
  readonly #faults = new BoundedMap<string>({ ...BOUNDS, ttlMs: FAULT_MS })

  /**
   * Returns the cached value, or else a new one from `load`. If `load` fails, a cached value is used for up to an hour.
   */
  async get(key: string, load: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key)
    const now = steadyNow()
    const age = known ? now - known.at : Number.POSITIVE_INFINITY
    if (!known || age >= STALE_MS) return this.#load(key, load)
    if (age < KEPT_MS || now - known.triedAt < FAULT_MS) return known.value
    known.triedAt = now
    const { promise: late, resolve } = Promise.withResolvers<T>()
    const timer = setTimeout(() => resolve(known.value), NEWS_MS)
    const loaded = this.#load(key, load).catch(() => known.value)
    return Promise.race([loaded, late]).finally(() => clearTimeout(timer))
  }

  /**
   * Returns a fresh value from `load`; undefined if it was refreshed very recently. Throws any error that `load`
   * throws.
   */
  async news(key: string, load: () => Promise<T>): Promise<T | undefined> {
    const known = this.#entries.get(key)
    const now = steadyNow()
    if (known && now - known.askedAt < COOLDOWN_MS) return undefined
    // Set before the response arrives, so concurrent requests do not load it as well.
    if (known) known.askedAt = now
    return this.#load(key, load)
  }

  async #load(key: string, load: () => Promise<T>): Promise<T> {
    const fault = this.#faults.get(key)
    if (fault !== undefined) throw new IssuerFault(fault)
    try {
      const value = await load()
      const now = steadyNow()
      this.#entries.set(key, { value, at: now, askedAt: now, triedAt: now })
      this.#down.delete(key)
      return value
    } catch (error) {
      if (error instanceof IssuerFault) {
        this.#faults.set(key, error.message)
        // Log each outage once, not for each token that arrives during it.
        if (!this.#down.get(key)) console.error(`Issuer ${URL.parse(key)?.host}: ${error.message}`)
        this.#down.set(key, true)
      }
      throw error
    }
  }
}
