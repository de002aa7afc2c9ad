const WINDOW_MS = 60_000

/** What was made up, in a minute and from one address, before an isolate asks the registry no more for it. */
const MAX_MISSES = 60

/** Addresses that are counted. Past it, the count begins anew. */
const MAX_ADDRESSES = 10_000

/**
 * Counts what callers ask for that does not exist: made-up keys and names of endpoints. Each costs a request
 * to the registry, which has one object.
 */
export class Misses {
  readonly #counts = new Map<string, number>()
  #since = 0

  /** Whether an address has asked for too much of it. */
  tooMany(address: string): boolean {
    this.#turn()
    return (this.#counts.get(address) ?? 0) >= MAX_MISSES
  }

  note(address: string): void {
    this.#turn()
    this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1)
  }

  #turn(): void {
    const now = Date.now()
    if (now - this.#since < WINDOW_MS && this.#counts.size < MAX_ADDRESSES) return
    this.#counts.clear()
    this.#since = now
  }
}
