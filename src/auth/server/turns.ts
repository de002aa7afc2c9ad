/** Runs the requests for one grant one after another. */
export class Turns {
  readonly #lines = new Map<string, { last: Promise<unknown>; waiting: number }>()

  /** Number of requests for this grant, including the running one. */
  waiting(grant: string): number {
    return this.#lines.get(grant)?.waiting ?? 0
  }

  /** Runs this work after all earlier work is done. */
  async take<T>(grant: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(grant) ?? { last: Promise.resolve(), waiting: 0 }
    this.#lines.set(grant, line)
    line.waiting++
    const done = line.last.then(work)
    line.last = done.catch(() => {})
    try {
      return await done
    } finally {
      line.waiting--
      if (line.waiting === 0) this.#lines.delete(grant)
    }
  }
}
