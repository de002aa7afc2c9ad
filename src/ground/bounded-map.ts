import { steadyNow } from './steady-clock.ts'

/** The limits of a {@link BoundedMap}. */
export interface MapBounds {
  readonly entries: number
  /** Maximum total size of all entries. Unlimited if left out. */
  readonly size?: number | undefined
  /** Lifetime of an entry. Unlimited if left out. */
  readonly ttlMs?: number | undefined
}

/**
 * Caches values within limits. Above a limit, the least recently used values are dropped. The newest value stays,
 * whatever its size. On Workers, a value must not be a promise that waits for a request's I/O.
 */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, MapEntry<Value>>()
  readonly #bounds: Readonly<Record<keyof MapBounds, number>>
  #size = 0

  constructor({ entries, size = UNLIMITED, ttlMs = UNLIMITED }: MapBounds) {
    this.#bounds = { entries, size, ttlMs }
  }

  /** The sum of all entry sizes. */
  get size(): number {
    return this.#size
  }

  /** The value for this key, unless it has expired. It becomes the most recently used one. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry || steadyNow() - entry.at >= this.#bounds.ttlMs) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /**
   * Stores a value as the most recently used one, and drops old values until the map is within its limits.
   *
   * @param at time when the value became known, by {@link steadyNow}
   */
  set(key: string, value: Value, size = 0, at = steadyNow()): void {
    this.delete(key)
    this.#entries.set(key, { value, size, at })
    this.#size += size
    for (const oldest of this.#entries.keys()) {
      const fits = this.#entries.size <= this.#bounds.entries && this.#size <= this.#bounds.size
      if (fits || oldest === key) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#size = 0
  }

  *[Symbol.iterator](): Iterator<readonly [key: string, value: Value]> {
    for (const [key, { value }] of this.#entries) yield [key, value]
  }
}

const UNLIMITED = Number.POSITIVE_INFINITY

interface MapEntry<Value> {
  readonly value: Value
  readonly size: number
  readonly at: number
}
