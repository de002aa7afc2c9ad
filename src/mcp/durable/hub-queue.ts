import type { Change } from '../features/changes.ts'
import type { ObjectStorage } from './object-state.ts'

const JOB = 'job:'

/** Maximum number of attempts to reach an object. */
const TRIES = 4

/** Pause before the second attempt. Each later pause is four times as long. */
const PAUSE_MS = 1_000

/** Maximum number of jobs in one hub. This many pile up only if changes arrive faster than they can be sent. */
const MAX_JOBS = 200

/** A change on its way, and the hub that sends it. */
export interface Delivery {
  readonly change: string
  readonly hub: string
}

/** A change still to be sent, either to `names` or to all watchers whose names come after `after`. */
export type Job = Delivery & { readonly names?: readonly string[]; readonly after?: string }

type StoredJob = Job & { readonly tries: number; readonly at: number }

/** The part of a hub that its queue uses. */
export interface Teller {
  watchers(after: string, limit: number): readonly string[]
  /** @returns names of the watchers that could not be reached */
  tell(delivery: Delivery, names: readonly string[]): Promise<readonly string[]>
}

/** True if this storage holds a hub's jobs. */
export const isHub = ({ kv }: ObjectStorage): boolean =>
  [...kv.list({ prefix: JOB, limit: 1 })].length > 0

/** Changes that a hub still has to send, stored until they are sent. */
export class HubQueue {
  readonly #storage: ObjectStorage
  readonly #teller: Teller
  /** Jobs being sent right now. */
  readonly #begun = new Set<string>()

  constructor(storage: ObjectStorage, teller: Teller) {
    this.#storage = storage
    this.#teller = teller
  }

  /** Sends a change soon. A change that is already waiting is not added again. */
  add(job: Job): void {
    const jobs = this.#jobs()
    const waits = ([key, it]: readonly [string, StoredJob]) =>
      !this.#begun.has(key) &&
      it.tries === 0 &&
      it.after === job.after &&
      subject(it) === subject(job)
    if (jobs.some(waits)) return
    this.#put({ ...job, tries: 0, at: Date.now() }, jobs.length)
  }

  /** Sends a change again later to the watchers that could not be reached. */
  again(delivery: Delivery, names: readonly string[], tries = 1): void {
    if (names.length === 0) return
    if (tries >= TRIES) {
      console.error(`A change did not reach ${names.length} of the watchers of ${delivery.hub}.`)
      return
    }
    const { change, hub } = delivery
    const at = Date.now() + PAUSE_MS * 4 ** (tries - 1)
    this.#put({ change, hub, names, tries, at }, this.#jobs().length)
  }

  /** Runs the jobs that are due, with at most this many requests. The alarm calls it again for the rest. */
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

  #jobs(): [string, StoredJob][] {
    return [...this.#storage.kv.list<StoredJob>({ prefix: JOB })]
  }

  #put(job: StoredJob, count: number): void {
    if (count >= MAX_JOBS) {
      console.error(`A change was dropped for the watchers of ${job.hub}: too many are waiting.`)
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

/** A key for comparing jobs: the subject of the change, and its recipients. */
function subject({ change, names }: Job): string {
  const { kind, ...of } = JSON.parse(change) as Change & { uri?: string }
  return JSON.stringify([kind, of.uri, names])
}
