import { IssuerFault } from './fault.ts'

/** How long what an issuer said is used. */
const KEPT_MS = 10 * 60_000

/** How long an issuer that said something is not asked for news, however many want them. */
const COOLDOWN_MS = 30_000

/** How long an issuer that failed is not asked again. */
const FAULT_MS = 5_000

/** There are as many as the operator names, and these are few. */
const MAX_ENTRIES = 20

interface Entry<T> {
  readonly value: T
  readonly at: number
  /** When news were asked for last. */
  askedAt: number
}

/**
 * What issuers said, kept in this isolate. It keeps values and never promises: on Workers, what a
 * promise waits for belongs to the request that began it, and ends with that.
 */
export class Kept<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #faults = new Map<string, { readonly message: string; readonly at: number }>()

  /** What is kept, or else what `load` gives. Throws what that throws. */
  async get(key: string, load: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key)
    return known && Date.now() - known.at < KEPT_MS ? known.value : this.#load(key, load)
  }

  /** What `load` gives now; nothing if that was asked for only just. Throws what that throws. */
  async news(key: string, load: () => Promise<T>): Promise<T | undefined> {
    const known = this.#entries.get(key)
    const now = Date.now()
    if (known && now - known.askedAt < COOLDOWN_MS) return undefined
    // Before the answer, so that those who come meanwhile do not ask as well.
    if (known) known.askedAt = now
    return this.#load(key, load)
  }

  async #load(key: string, load: () => Promise<T>): Promise<T> {
    const fault = this.#faults.get(key)
    if (fault && Date.now() - fault.at < FAULT_MS) throw new IssuerFault(fault.message)
    try {
      const value = await load()
      const now = Date.now()
      keep(this.#entries, key, { value, at: now, askedAt: now })
      return value
    } catch (error) {
      if (error instanceof IssuerFault) {
        keep(this.#faults, key, { message: error.message, at: Date.now() })
      }
      throw error
    }
  }
}

function keep<T>(all: Map<string, T>, key: string, it: T): void {
  all.delete(key)
  if (all.size >= MAX_ENTRIES) all.delete(all.keys().next().value!)
  all.set(key, it)
}
