/** For how long one request goes on with the work of others. A Worker may run for 30 s after its answer. */
const TURN_MS = 8_000

/** The least time between two runs: what comes meanwhile goes with the next one. */
const PAUSE_MS = 100

/** An isolate sends the same object something this often at most: it is one of many that do. */
export const SENDS_EVERY_MS = 3_000

/**
 * Does what the requests of an isolate leave behind, after their answers: never more than one run at
 * a time. The request that has it done also does what comes meanwhile. If it cannot any more, the next
 * request takes over.
 */
export class Background {
  readonly #work: () => Promise<boolean>
  readonly #waitUntil: (work: Promise<unknown>) => void
  #turn = 0
  #until = 0
  #wanted = false

  /** @param work does some of what is there, and says whether more is left. */
  constructor(work: () => Promise<boolean>, waitUntil: (work: Promise<unknown>) => void) {
    this.#work = work
    this.#waitUntil = waitUntil
  }

  /** Says that there is work. */
  wake(): void {
    this.#wanted = true
    if (Date.now() < this.#until) return
    this.#until = Date.now() + TURN_MS
    this.#waitUntil(this.#run(++this.#turn))
  }

  async #run(turn: number): Promise<void> {
    // The answer goes first.
    await pause(0)
    try {
      for (;;) {
        this.#wanted = false
        if (await this.#work()) this.#wanted = true
        // Another request has taken over.
        if (turn !== this.#turn || !this.#wanted) return
        await pause(PAUSE_MS)
      }
    } catch (error) {
      console.error(error)
    } finally {
      if (turn === this.#turn) this.#until = 0
    }
  }
}

/** Waits. */
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The outcome of a promise, unless it takes too long. Then it throws. */
export async function inTime<T>(ms: number, promise: Promise<T>): Promise<T> {
  let stop = () => {}
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`There was no answer within ${ms} ms.`)), ms)
    stop = () => clearTimeout(timer)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    stop()
  }
}
