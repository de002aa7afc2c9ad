import { doubleQuoted } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import type { Estimate, Run } from './estimate.ts'
import { lexSql } from './lexed-sql.ts'

/** How many steps of a recursion are tried: the largest of these numbers that is not too expensive. */
const TRIED_STEPS = [1_000_000, 100_000, 10_000, 100]

/**
 * How many rows each recursion of a statement has.
 *
 * A query plan does not tell. But SQLite stops a recursion at its LIMIT, so a recursion without one is
 * first run with one, and its rows are counted. Only random() could make it longer the next time.
 */
export class RecursionLengths {
  readonly #estimate: Estimate
  readonly #run: Run
  /** How many parameters the caller sent. */
  readonly #params: number
  readonly #known = new Map<string, number>()
  #left: number

  constructor(estimate: Estimate, run: Run, params: number, maxVisits: number) {
    this.#estimate = estimate
    this.#run = run
    this.#params = params
    this.#left = maxVisits
  }

  /** The visits to rows that are left for the statement. Trying its recursions uses some of them. */
  get left(): number {
    return this.#left
  }

  /** The number of rows of the recursion with this name. Refuses one that may never end. */
  of(name: string): number {
    const all = this.#estimate.recursions.filter((it) => it.name === name)
    const mayEnd = all.length > 0 && all.every(({ limit }) => limit !== 'unclear')
    if (!mayEnd) throw endless()
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const lengths = all.map(({ limit, text }) =>
      typeof limit === 'number' ? limit : this.#tried(name, text),
    )
    const length = Math.max(...lengths)
    this.#known.set(name, length)
    return length
  }

  /** Runs a recursion alone, up to a number of steps, and counts its rows. */
  #tried(name: string, text: string): number {
    // Makes the trial take as many parameters as the caller sent, wherever the statement has them.
    const bound = this.#params > 0 ? `where coalesce(?${this.#params}, 1) is not null` : ''
    const trial = (steps: number) =>
      `${text}\nlimit ${steps}) select count(*) from ${doubleQuoted(name)} ${bound}`
    const cost = (steps: number) =>
      this.#estimate.visits(lexSql(trial(steps)), (it) => (it === name ? steps : this.of(it)))
    try {
      const steps = TRIED_STEPS.find((it) => cost(it) <= this.#left) ?? 0
      const [[counted]] = [...this.#run(trial(steps)).raw<number[]>()] as [[number]]
      this.#left -= cost(counted)
      if (counted < steps) return counted
    } catch {
      // A recursion that needs what is around it cannot be tried alone.
    }
    throw endless()
  }
}

const endless = () =>
  new DatabaseError(
    'refused',
    'This recursive query may never end. Give its recursive part a LIMIT, as a number and without an OFFSET, and join on keys.',
  )
