import { siteOf, steadyNow } from '../../ground/index.ts'

const WINDOW_MS = 60_000

/** Number of misses per minute from a network before an isolate stops querying the registry for it. */
const MAX_MISSES = 60

/** The same for the wider network around it: a /24 or a /48. */
const MAX_OF_SITE = 300

/** Maximum number of networks that are counted. Beyond that, the oldest one is dropped. */
const MAX_COUNTS = 20_000

/**
 * Counts requests for things that do not exist, such as made-up keys and endpoint names. Each one costs a
 * request to the registry, which has only one object.
 */
export class Misses {
  readonly #counts = new Map<string, number>()
  #since = 0

  /** True if a network has had too many misses. */
  tooMany(network: string): boolean {
    this.#turn()
    const count = (of: string) => this.#counts.get(of) ?? 0
    return count(network) >= MAX_MISSES || count(siteOf(network)) >= MAX_OF_SITE
  }

  note(network: string): void {
    this.#turn()
    for (const place of [network, siteOf(network)])
      this.#counts.set(place, (this.#counts.get(place) ?? 0) + 1)
    for (const [first] of this.#counts) {
      if (this.#counts.size <= MAX_COUNTS) return
      this.#counts.delete(first)
    }
  }

  #turn(): void {
    const now = steadyNow()
    if (now - this.#since < WINDOW_MS) return
    this.#counts.clear()
    this.#since = now
  }
}
