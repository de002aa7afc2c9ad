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

  /** @param outer What else stops the work. */
  constructor(outer?: () => AbortSignal) {
    this.#outer = outer
  }

  /** Whether {@link stop} was called. */
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

/** A timer that is set for longer fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** Runs work with a time limit. After that it is stopped and has failed, even if it goes on. */
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
    // In this order: how the work reacts to the signal comes too late to be the answer.
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

/** A call that waits for nothing outside is done after this many turns of promises. */
const MAX_TURNS = 16

/**
 * Whether work is done after a few turns of promises. Most calls are. They need no timer, and
 * setting and clearing one costs more than these turns.
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
