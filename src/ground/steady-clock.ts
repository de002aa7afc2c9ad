/** Added to the age of everything when the clock is set back, since the true age is then unknown. */
const LEAP_MS = 3_600_000

let last = Number.NEGATIVE_INFINITY
let ahead = 0

/**
 * Milliseconds on a clock that never runs backward, for things with a limited lifetime: a cached permission check, a
 * turn, a pause. When the machine's clock is set back, cached values count as an hour older and are fetched again.
 * Times that are stored, or set by another machine, use `Date`.
 */
export function steadyNow(): number {
  const now = Date.now()
  if (now < last) ahead += last - now + LEAP_MS
  last = now
  return now + ahead
}
