/** What `callsPerMinute` of an endpoint may be, as in wrangler.toml. */
const RATES = [10, 30, 60, 120, 300, 600]

const PERIOD_MS = 60_000

/** Callers that are counted at a time. If more come, the counts begin anew. */
const MAX_KEYS = 100_000

/** What a Worker has as bindings that count calls, by their names. */
export const rateLimits = (): Readonly<Record<string, Pick<RateLimit, 'limit'>>> =>
  Object.fromEntries(RATES.map((rate) => [`RATE_${rate}`, rateLimit(rate)]))

/** Counts the calls of each key in a minute of the clock. */
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
