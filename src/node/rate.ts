/** The allowed values of an endpoint's `callsPerMinute`, as in wrangler.toml. */
const RATES = [10, 30, 60, 120, 300, 600]

const PERIOD_MS = 60_000

/** Maximum number of callers that are counted at a time. If there are more, all counts start over. */
const MAX_KEYS = 100_000

/** A Worker's bindings that count calls, by name. */
export const rateLimits = (): Readonly<Record<string, Pick<RateLimit, 'limit'>>> =>
  Object.fromEntries(RATES.map((rate) => [`RATE_${rate}`, rateLimit(rate)]))

/** Counts each key's calls in each minute of the clock. */
function rateLimit(rate: number): Pick<RateLimit, 'limit'> {
  const counts = new Map<string, number>()
  let began = 0
  return {
    async limit({ key }) {
      const period = Math.floor(Date.now() / PERIOD_MS)
      if (period !== began || counts.size >= MAX_KEYS) counts.clear()
      began = period
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return { success: count <= rate }
    },
  }
}
