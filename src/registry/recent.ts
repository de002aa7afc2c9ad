/** How much is remembered. */
export interface RecentLimits {
  readonly entries: number
  /** What the sizes of all entries may add up to. */
  readonly size: number
}

/** Remembers what was used last, within a number and a size. The newest entry is kept whatever its size. */
export class Recent<Value> {
  readonly #kept = new Map<string, { readonly value: Value; readonly size: number }>()
  readonly #limits: RecentLimits
  #size = 0

  constructor(limits: RecentLimits) {
    this.#limits = limits
  }

  /** What is remembered by this key, which is the newest from now on. */
  get(key: string): Value | undefined {
    const kept = this.#kept.get(key)
    if (!kept) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    return kept.value
  }

  /** Remembers a value, in place of the oldest ones. */
  set(key: string, value: Value, size: number): void {
    this.delete(key)
    this.#kept.set(key, { value, size })
    this.#size += size
    for (const oldest of this.#kept.keys()) {
      const fits = this.#kept.size <= this.#limits.entries && this.#size <= this.#limits.size
      if (fits || oldest === key) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0
    this.#kept.delete(key)
  }

  clear(): void {
    this.#kept.clear()
    this.#size = 0
  }

  *[Symbol.iterator](): Iterator<readonly [key: string, value: Value]> {
    for (const [key, { value }] of this.#kept) yield [key, value]
  }
}
