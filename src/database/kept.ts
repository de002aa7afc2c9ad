/** For how long values are kept, and how many of them. */
export interface KeptBounds {
  readonly seconds: number
  readonly entries: number
  /** What the sizes of all entries may add up to. No limit if left out. */
  readonly size?: number | undefined
}

/**
 * Keeps values by name, for some time and within bounds. Where there are too many, those that were set longest
 * ago are forgotten. A value is never a promise: in a Worker, no request may wait for the I/O of another.
 */
export class Kept<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #bounds: KeptBounds
  #size = 0

  constructor(bounds: KeptBounds) {
    this.#bounds = bounds
  }

  /** What the sizes of all entries add up to. */
  get size(): number {
    return this.#size
  }

  /** What is kept by this name, unless its time is over. */
  get(name: string): Value | undefined {
    const entry = this.#entries.get(name)
    if (!entry || Date.now() - entry.at >= this.#bounds.seconds * 1_000) return undefined
    return entry.value
  }

  /**
   * Keeps a value, unless it is too large by itself.
   *
   * @param at When it became known, in milliseconds since 1970.
   */
  set(name: string, value: Value, size = 0, at = Date.now()): void {
    const { entries, size: most = Number.POSITIVE_INFINITY } = this.#bounds
    this.delete(name)
    if (size > most) return
    this.#entries.set(name, { value, size, at })
    this.#size += size
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= entries && this.#size <= most) return
      this.delete(oldest)
    }
  }

  delete(name: string): void {
    this.#size -= this.#entries.get(name)?.size ?? 0
    this.#entries.delete(name)
  }

  clear(): void {
    this.#entries.clear()
    this.#size = 0
  }
}

interface Entry<Value> {
  readonly value: Value
  readonly size: number
  readonly at: number
}
