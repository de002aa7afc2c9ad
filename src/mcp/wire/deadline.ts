import { codes, RpcError } from './jsonrpc.ts'

/**
 * Stops work before it is done. The signal is made when it is first read: most calls never read it,
 * and signals are among the most expensive things in a request.
 */
export class Stop {
  readonly #outer: (() => AbortSignal) | undefined
  #stopped = false
  #reason: unknown
  #controller: AbortController | undefined
  #signal: AbortSignal | undefined

  /** @param outer Another signal that stops the work. */
  constructor(outer?: () => AbortSignal) {
    this.#outer = outer
  }

  get stopped(): boolean {
    return this.#stopped
  }

  get signal(): AbortSignal {
    if (!this.#signal) {
      this.#controller = new AbortController()
      const { signal } = this.#controller
      this.#signal = this.#outer ? AbortSignal.any([this.#outer(), signal]) : signal
      if (this.#stopped) this.#controller.abort(this.#reason)
    }
    return this.#signal
  }

  stop(reason?: unknown): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#reason = reason
    this.#controller?.abort(reason)
  }
}

/** Longest delay of a timer. A longer one fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** Runs work with a time limit. Past the limit it is stopped and counts as failed, even if it continues. */
export async function within<T>(
  ms: number,
  outer: Stop,
  run: (stop: Stop) => Promise<T>,
): Promise<T> {
  const late = new Stop(() => outer.signal)
  const running = run(late)
  if (await settlesAtOnce(running)) return running

  const { promise: failed, reject } = Promise.withResolvers<never>()
  const stop = () => {
    const error = new RpcError(codes.internal, tooLong(ms))
    // Reject first, then abort: otherwise the work's own AbortError would win.
    reject(error)
    late.stop(error)
  }
  const timer = setTimeout(stop, Math.min(ms, MAX_TIMER_MS))
  try {
    return await Promise.race([failed, running])
  } finally {
    clearTimeout(timer)
  }
}

/** Number of promise turns within which a call is done if it waits for nothing outside. */
const MAX_TURNS = 16

/**
 * True if work is done after a few promise turns, as it is for most calls. They need no timer, and
 * setting and clearing a timer costs more than these turns.
 */
async function settlesAtOnce(running: Promise<unknown>): Promise<boolean> {
  let over = false
  const end = () => {
    over = true
  }
  running.then(end, end)
  for (let turn = 0; turn < MAX_TURNS && !over; turn++) await undefined
  return over
}

const tooLong = (ms: number) =>
  `This took longer than ${ms / 1000} seconds and was stopped: ask for less at once.`
