import { DatabaseError, type Limits } from './database.ts'

/** How long an answer is waited for: until its time is over, or its caller has left. */
export interface Patience {
  /** Aborts when the wait is over. */
  readonly signal: AbortSignal
  /** What to tell, once it is over. */
  over(): DatabaseError | undefined
  /** The outcome of a work, unless the wait is over first; the work may go on. */
  race<T>(work: Promise<T>): Promise<T>
}

/** The patience that the limits of a query leave, from this moment on. */
export function patience({ timeoutMs, signal: caller }: Limits): Patience {
  const timer = AbortSignal.timeout(timeoutMs)
  const signal = caller ? AbortSignal.any([caller, timer]) : timer
  const over = () => {
    if (caller?.aborted) return new DatabaseError('timeout', 'The query was stopped: nobody waits.')
    if (!signal.aborted) return undefined
    return new DatabaseError('timeout', `The query took longer than ${timeoutMs / 1000} seconds.`, {
      hint: 'Filter more, join less, or compare with columns that have an index.',
    })
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
