import type { DatabaseError } from '../error.ts'
import { cancelledByCaller, tooSlow } from '../error.ts'
import type { TimeLimits } from '../rows.ts'

/** The end of the wait for a result: its time limit, or the caller disconnects. */
export interface Deadline {
  /** Aborts when the wait is over. */
  readonly signal: AbortSignal
  /** The error to throw once the wait is over. Undefined before that. */
  over(): DatabaseError | undefined
  /** Waits for work until the deadline. The work can continue after that. */
  race<T>(work: Promise<T>): Promise<T>
}

/**
 * Starts the wait that a query's limits allow.
 *
 * @param graceMs extra time for a database with its own timer, so that it can stop the query itself and
 *   report why
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
    race: (work) =>
      until(signal, work).catch((error) => {
        throw error === signal.reason ? over() : error
      }),
  }
}

/** Waits for work. If the signal aborts first, throws its reason. The work can continue after that. */
export function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
