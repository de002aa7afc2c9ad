import type { DatabaseError } from '../error.ts'
import { cancelledByCaller, tooSlow } from '../error.ts'
import type { TimeLimits } from '../rows.ts'

/** How long to wait for an answer: until its time is over, or its caller has left. */
export interface Deadline {
  /** Aborts when the wait is over. */
  readonly signal: AbortSignal
  /** The error to throw once the wait is over, and nothing before. */
  over(): DatabaseError | undefined
  /** Waits for some work, unless the wait is over first. The work may go on. */
  race<T>(work: Promise<T>): Promise<T>
}

/**
 * Starts the wait that the limits of a query allow.
 *
 * @param graceMs how much longer to wait for a database that has a timer too: the database stops the
 *   query itself, and tells what happened
 */
export function startDeadline({ timeoutMs, signal: caller }: TimeLimits, graceMs = 0): Deadline {
  const timer = AbortSignal.timeout(timeoutMs + graceMs)
  const signal = caller ? AbortSignal.any([caller, timer]) : timer
  const over = () => {
    if (caller?.aborted) return cancelledByCaller()
    return signal.aborted ? tooSlow(timeoutMs) : undefined
  }
  return {
    signal,
    over,
    race(work) {
      const end = new Promise<never>((_, reject) => {
        if (signal.aborted) reject(over())
        signal.addEventListener('abort', () => reject(over()), { once: true })
      })
      return Promise.race([work, end])
    },
  }
}

/** Waits for some work. If the signal aborts first, it throws the reason. The work may go on. */
export function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
