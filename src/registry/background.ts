import { pause, steadyNow } from '../ground/index.ts'

/** Maximum time that one request spends on work from other requests. A Worker can run for 30 s after its response. */
const TURN_MS = 8_000

/** Minimum time between two runs. Work that arrives in between waits for the next run. */
const PAUSE_MS = 100

/** The same, when the process is about to end. */
const HURRY_MS = 5

/** Minimum interval between an isolate's requests to the same object, because many isolates send to it. */
export const SENDS_EVERY_MS = 3_000

/** Signals for the end of a process. Not available on platforms that end isolates without warning. */
export interface Ending {
  /** Aborts when waiting work must be done at once. */
  readonly soon: AbortSignal
  /** Aborts when the remaining work is lost. The owner of the work logs how much. */
  readonly now: AbortSignal
}

/**
 * Runs the work that requests leave behind, after their responses, with never more than one run at a time. The request
 * that runs it also does the work that arrives meanwhile. If it can no longer run, the next request takes over.
 */
export class Background {
  readonly #work: () => Promise<boolean>
  readonly #waitUntil: (work: Promise<unknown>) => void
  readonly #soon: AbortSignal | undefined
  #turn = 0
  #until = 0
  #wanted = false

  /**
   * @param work does part of the work, and returns true if more is left
   * @param soon ends the pauses
   */
  constructor(
    work: () => Promise<boolean>,
    waitUntil: (work: Promise<unknown>) => void,
    soon?: AbortSignal,
  ) {
    this.#work = work
    this.#soon = soon
    this.#waitUntil = waitUntil
  }

  /** Signals that there is work. */
  wake(): void {
    this.#wanted = true
    if (steadyNow() < this.#until) return
    this.#until = steadyNow() + TURN_MS
    this.#waitUntil(this.#run(++this.#turn))
  }

  async #run(turn: number): Promise<void> {
    // The response goes first.
    await pause(0)
    try {
      for (;;) {
        this.#wanted = false
        if (await this.#work()) this.#wanted = true
        // Another request has taken over.
        if (turn !== this.#turn || !this.#wanted) return
        await pause(this.#soon?.aborted ? HURRY_MS : PAUSE_MS)
      }
    } catch (error) {
      console.error(error)
    } finally {
      if (turn === this.#turn) this.#until = 0
    }
  }
}
