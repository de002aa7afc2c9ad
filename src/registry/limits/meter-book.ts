import { type DayUse, dayOf, type Lease, type Spent, type Use } from './use.ts'

const DAY_MS = 86_400_000

/** Storage keys for the usage in a day and for the expiration time of each lease. */
const USED = 'used'
const LEASES = 'leases'

type Leases = Readonly<Record<string, number>>

/** A meter's counters, as values in its object. There is one for each endpoint, and one for each caller there. */
export class MeterBook {
  readonly #storage: DurableObjectStorage
  #hasAlarm = false

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  async enter(lease: Lease | undefined): Promise<Use & { readonly granted: boolean }> {
    const now = Date.now()
    const leases = this.#leases(now)
    const running = Object.keys(leases).length
    const use = this.#usedAt(now)
    // A meter that is only read stores nothing.
    if (!lease || running >= lease.most) return { ...use, running, granted: false }
    this.#storage.kv.put(LEASES, { ...leases, [lease.id]: now + lease.milliseconds })
    await this.#arm()
    return { ...use, running: running + 1, granted: true }
  }

  async spend({ rows, bytes, leases: over }: Spent): Promise<Use> {
    const { kv } = this.#storage
    const now = Date.now()
    const all = Object.entries(this.#leases(now))
    const left = all.filter(([id]) => !over.includes(id))
    if (left.length < all.length) kv.put(LEASES, Object.fromEntries(left))
    const was = this.#usedAt(now)
    const use = { ...was, rows: was.rows + rows, bytes: was.bytes + bytes }
    if (rows > 0 || bytes > 0) kv.put(USED, use)
    await this.#arm()
    return { ...use, running: left.length }
  }

  /** Deletes the usage from a day that is over. After that, an unused meter costs nothing. */
  async sweep(): Promise<void> {
    this.#hasAlarm = false
    const now = Date.now()
    const used = this.#storage.kv.get<DayUse>(USED)
    const isUsed = used?.day === dayOf(now) || Object.keys(this.#leases(now)).length > 0
    if (isUsed) return this.#arm()
    await this.#storage.deleteAll()
  }

  #usedAt(now: number): DayUse {
    const day = dayOf(now)
    const used = this.#storage.kv.get<DayUse>(USED)
    return used?.day === day ? used : { day, rows: 0, bytes: 0 }
  }

  /** The current leases. Those that are never returned expire. */
  #leases(now: number): Leases {
    const all = Object.entries(this.#storage.kv.get<Leases>(LEASES) ?? {})
    return Object.fromEntries(all.filter(([, until]) => until > now))
  }

  async #arm(): Promise<void> {
    if (this.#hasAlarm) return
    this.#hasAlarm = true
    if ((await this.#storage.getAlarm()) === null) {
      await this.#storage.setAlarm(Date.now() + DAY_MS)
    }
  }
}
