import type { Change } from '../features/changes.ts'
import type { ObjectStorage } from './object-state.ts'

const JOB = 'job:'

/** How often an object that cannot be reached is tried. */
const TRIES = 4

/** The pause before the second try; each one after that is four times as long. */
const PAUSE_MS = 1_000

/** Jobs of one node. More are only left if changes come faster than they can be told. */
const MAX_JOBS = 200

/** A change, and which node tells whom. */
export interface Told {
  readonly change: string
  readonly id: string
  readonly node: string
  /** Whether leaves are told, and not watchers. */
  readonly areLeaves?: boolean
}

/** A change that is still to be told: to these, or to all watchers whose names come after one. */
export type Job = Told & { readonly names?: readonly string[]; readonly after?: string }

type Stored = Job & { readonly tries: number; readonly at: number }

/** What the queue needs of its node. */
export interface Teller {
  watchers(after: string, limit: number): readonly string[]
  /** @returns those that could not be told */
  tell(told: Told, names: readonly string[]): Promise<readonly string[]>
}

/** Whether this storage holds jobs of a hub. */
export const isHub = ({ kv }: ObjectStorage): boolean =>
  [...kv.list({ prefix: JOB, limit: 1 })].length > 0

/** What a node of a hub still has to tell, stored until it is told. */
export class HubQueue {
  readonly #storage: ObjectStorage
  readonly #teller: Teller
  /** Jobs that are being told right now. */
  readonly #begun = new Set<string>()

  constructor(storage: ObjectStorage, teller: Teller) {
    this.#storage = storage
    this.#teller = teller
  }

  /** Tells a change soon. A change that waits already is not added again. */
  add(job: Job): void {
    const jobs = this.#jobs()
    const waits = ([key, it]: readonly [string, Stored]) =>
      !this.#begun.has(key) &&
      it.tries === 0 &&
      it.after === job.after &&
      subject(it) === subject(job)
    if (jobs.some(waits)) return
    this.#put({ ...job, tries: 0, at: Date.now() }, jobs.length)
  }

  /** Tells a change later to those that could not be reached. */
  again(told: Told, names: readonly string[], tries = 1): void {
    if (names.length === 0) return
    if (tries >= TRIES) {
      console.error(`A change did not reach ${names.length} of those who watch ${told.node}.`)
      return
    }
    const { change, id, node, areLeaves } = told
    const at = Date.now() + PAUSE_MS * 4 ** (tries - 1)
    const job = { change, id, node, names, tries, at, ...(areLeaves && { areLeaves }) }
    this.#put(job, this.#jobs().length)
  }

  /** Does what is due, with at most this many requests. The alarm calls it again for the rest. */
  async work(requests: number): Promise<void> {
    let left = requests
    for (const [key, job] of this.#jobs()) {
      if (job.at > Date.now()) continue
      const names = job.names ?? this.#teller.watchers(job.after ?? '', left)
      if (left === 0 || names.length > left) break
      this.#begun.add(key)
      const missed = await this.#teller.tell(job, names).finally(() => this.#begun.delete(key))
      this.again(job, missed, job.tries + 1)
      const { kv } = this.#storage
      if (!job.names && names.length === left) kv.put(key, { ...job, after: names.at(-1) })
      else kv.delete(key)
      left -= names.length
    }
    this.#wakeUp()
  }

  #jobs(): [string, Stored][] {
    return [...this.#storage.kv.list<Stored>({ prefix: JOB })]
  }

  #put(job: Stored, count: number): void {
    if (count >= MAX_JOBS) {
      console.error(`A change was not told to those who watch ${job.node}: too many wait.`)
      return
    }
    this.#storage.kv.put(JOB + crypto.randomUUID(), job)
    this.#wakeUp()
  }

  #wakeUp(): void {
    const times = this.#jobs().map(([, { at }]) => at)
    if (times.length > 0) void this.#storage.setAlarm(Math.max(Date.now(), Math.min(...times)))
  }
}

/** What a change is about, and whom it is told. */
function subject({ change, names }: Job): string {
  const { kind, ...of } = JSON.parse(change) as Change & { uri?: string }
  return JSON.stringify([kind, of.uri, names])
}
