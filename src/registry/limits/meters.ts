import type { Call, Endpoint } from '../../gateway/index.ts'
import { Background, inTime, SENDS_EVERY_MS } from '../background.ts'
import { type Bounds, isMetered, LimitReached } from './bounds.ts'
import { callerKey } from './caller-key.ts'
import type { Meter } from './object.ts'
import { callerMeter, type DayUse, dayOf, endpointMeter, type Use } from './use.ts'

/** A total is asked for again after this time: other isolates add to it. */
const FRESH_MS = 60_000

/** How long a meter may take. A call that it does not count is not refused. */
const METER_MS = 2_000

/** A call ends at the latest after its time limits, and some time for all its statements. */
const LEASE_MS = 90_000

/** Leases that one request gives back, and that wait for that in an isolate. */
const MAX_LEASES = 200
const MAX_WAITING_LEASES = 1_000

/** Meters that an isolate knows. */
const MAX_KNOWN = 2_000

/** What an isolate knows of a meter. */
interface Known {
  readonly name: string
  total: DayUse | undefined
  /** When the total was heard. */
  at: number
  /** What the meter has not said that it counted. */
  rows: number
  bytes: number
  leases: string[]
  /** When it was sent last. */
  sentAt: number
}

/** What a call takes of a meter, until it is over. */
interface Taken {
  readonly known: Known
  readonly lease: string | undefined
}

/** Counts what the calls of an isolate use, and refuses those for which nothing is left. */
export class Meters {
  readonly #namespace: DurableObjectNamespace<Meter>
  readonly #background: Background
  readonly #known = new Map<string, Known>()
  #failures = 0

  constructor(
    namespace: DurableObjectNamespace<Meter>,
    waitUntil: (work: Promise<unknown>) => void,
  ) {
    this.#namespace = namespace
    this.#background = new Background(() => this.#flush(), waitUntil)
  }

  /** Begins a call, or throws {@link LimitReached}. Gives back how to end it. */
  async begin({ endpoint, context }: Pick<Call, 'endpoint' | 'context'>) {
    const meters = metersOf(endpoint, () =>
      callerKey(context.caller, context.header('cf-connecting-ip')),
    )
    const asked = await Promise.allSettled(
      meters.map(({ name, who, bounds }) => this.#take(name, who, bounds)),
    )
    const taken = asked.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []))
    const refused = asked.find((it) => it.status === 'rejected')
    if (refused) {
      this.#end(taken, 0, 0)
      throw refused.reason
    }
    return (rows: number, bytes: number) => this.#end(taken, rows, bytes)
  }

  async #take(name: string, who: string, bounds: Bounds): Promise<Taken> {
    const known = this.#knownOf(name)
    const now = Date.now()
    const isToday = known.total?.day === dayOf(now)
    if (isToday) assertLeft(known, who, bounds)
    const most = bounds.concurrent
    if (most === undefined && isToday && now - known.at < FRESH_MS) {
      return { known, lease: undefined }
    }
    const lease =
      most === undefined ? undefined : { id: crypto.randomUUID(), milliseconds: LEASE_MS, most }
    const use = await this.#ask(name, (meter) => meter.enter(lease))
    if (!use) return { known, lease: lease?.id }
    hear(known, use)
    if (lease && !use.granted) {
      throw new LimitReached(
        'concurrent',
        `${who} may run ${lease.most === 1 ? '1 query' : `${lease.most} queries`} at once here, and ${use.running} ${use.running === 1 ? 'is' : 'are'} running. Try again when one has ended.`,
      )
    }
    const taken = { known, lease: lease?.id }
    try {
      assertLeft(known, who, bounds)
    } catch (error) {
      this.#end([taken], 0, 0)
      throw error
    }
    return taken
  }

  #end(taken: readonly Taken[], rows: number, bytes: number): void {
    for (const { known, lease } of taken) {
      known.rows += rows
      known.bytes += bytes
      // Those that nobody gives back end by themselves.
      if (lease && known.leases.length < MAX_WAITING_LEASES) known.leases.push(lease)
    }
    if (taken.some(({ known }) => isDirty(known))) this.#background.wake()
  }

  /** Has each meter whose turn it is add what was used, and hears the totals. */
  async #flush(): Promise<boolean> {
    const failures = this.#failures
    await Promise.all([...this.#known.values()].filter(isDue).map((it) => this.#spend(it)))
    return this.#failures === failures && [...this.#known.values()].some(isDirty)
  }

  async #spend(known: Known): Promise<void> {
    const { name, rows, bytes } = known
    known.sentAt = Date.now()
    const leases = known.leases.slice(0, MAX_LEASES)
    const use = await this.#ask(name, (meter) => meter.spend({ rows, bytes, leases }))
    // It goes along with the next call, and counts here until then.
    if (!use) return
    hear(known, use)
    known.rows -= rows
    known.bytes -= bytes
    known.leases.splice(0, leases.length)
  }

  /** Asks a meter. One that cannot be reached stops nobody: the log says how often that was. */
  async #ask<T>(
    name: string,
    question: (meter: DurableObjectStub<Meter>) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      const meter = this.#namespace.get(this.#namespace.idFromName(name))
      return await inTime(METER_MS, question(meter))
    } catch (error) {
      const [endpoint] = name.split(' ')
      const times = `${++this.#failures} ${this.#failures === 1 ? 'time' : 'times'} so far`
      console.error(`A meter of endpoint ${endpoint} cannot be reached (${times}).`, error)
      return undefined
    }
  }

  #knownOf(name: string): Known {
    let known = this.#known.get(name)
    this.#known.delete(name)
    known ??= { name, total: undefined, at: 0, rows: 0, bytes: 0, leases: [], sentAt: 0 }
    // The one used last is at the end.
    this.#known.set(name, known)
    if (this.#known.size > MAX_KNOWN) this.#forgetOne()
    return known
  }

  #forgetOne(): void {
    for (const [name, it] of this.#known) {
      if (isDirty(it)) continue
      this.#known.delete(name)
      return
    }
  }
}

const isDirty = ({ rows, bytes, leases }: Known) => rows > 0 || bytes > 0 || leases.length > 0

/** A place is given back at once: somebody may wait for it. */
const isDue = (known: Known) =>
  known.leases.length > 0 || (isDirty(known) && Date.now() - known.sentAt >= SENDS_EVERY_MS)

function hear(known: Known, { day, rows, bytes }: Use): void {
  known.total = { day, rows, bytes }
  known.at = Date.now()
}

/** The meters of a call: of its endpoint and of its caller, as far as they have limits. */
function metersOf({ name, limits = {} }: Endpoint, key: () => string) {
  const { endpoint, caller } = limits
  return [
    ...(isMetered(endpoint)
      ? [{ name: endpointMeter(name), who: 'All callers together', bounds: endpoint }]
      : []),
    ...(isMetered(caller)
      ? [{ name: callerMeter(name, key()), who: 'Each caller', bounds: caller }]
      : []),
  ]
}

/** Throws {@link LimitReached} if nothing is left of a day's quota. */
function assertLeft({ total, rows, bytes }: Known, who: string, bounds: Bounds): void {
  const used = { rowsPerDay: (total?.rows ?? 0) + rows, bytesPerDay: (total?.bytes ?? 0) + bytes }
  for (const [code, unit] of QUOTAS) {
    const most = bounds[code]
    if (most === undefined || used[code] < most) continue
    const hours = Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / HOUR_MS)
    throw new LimitReached(
      code,
      `${who} may read ${most} ${unit} a day here, and ${used[code]} are used. It starts again at 00:00 UTC, in ${hours === 1 ? 'less than an hour' : `${hours} hours`}.`,
    )
  }
}

const QUOTAS = [
  ['rowsPerDay', 'rows'],
  ['bytesPerDay', 'bytes'],
] as const

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
