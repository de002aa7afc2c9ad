import { codes, RpcError } from './jsonrpc.ts'

/**
 * The end that work may be put to before it is over. Its signal is made when somebody looks at it:
 * most calls are over by then, and signals are among the dearest things in a request.
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

/** A timer set for longer goes off at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Runs what may take so long and no longer: then it is stopped, and has failed, whether it heeds that
 * or not.
 */
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
    // In this order: what is made of the signal comes too late to be the answer.
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

/** Turns of promises that a call takes which waits for nothing outside. */
const MAX_TURNS = 16

/**
 * Whether work is over after a few turns of promises. Most calls are, and need no timer: setting one
 * and clearing it costs more than those turns.
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
