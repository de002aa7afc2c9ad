/** Lets those who ask about the same grant come one after the other. */
export class Turns {
  readonly #lines = new Map<string, { last: Promise<unknown>; waiting: number }>()

  /** How many there are for this grant, with the one whose turn it is. */
  waiting(grant: string): number {
    return this.#lines.get(grant)?.waiting ?? 0
  }

  /** Does this work when all before it is done. */
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
