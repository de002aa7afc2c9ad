import type { Endpoint, EndpointCall } from '../../gateway/index.ts'
import { counted, inTime, steadyNow } from '../../ground/index.ts'
import { Background, type Ending, SENDS_EVERY_MS } from '../background.ts'
import { isMetered, LimitReached, type RateBounds } from './bounds.ts'
import type { Meter } from './object.ts'
import { callerKey, callerMeter, type DayUse, dayOf, endpointMeter, type Use } from './use.ts'

/** A total is fetched again after this time, because other isolates add to it. */
const FRESH_MS = 60_000

/** Time limit for a meter. If the meter fails, the call is not refused. */
const METER_MS = 2_000

/** Maximum duration of a call: its time limits, plus some time for all its statements. */
const LEASE_MS = 90_000

/** Maximum number of leases that one request returns, and that wait in an isolate to be returned. */
const MAX_LEASES = 200
const MAX_WAITING_LEASES = 1_000

/** Maximum number of meters that an isolate remembers. */
const MAX_KNOWN = 2_000

/** An isolate's view of a meter. */
interface MeterState {
  readonly name: string
  total: DayUse | undefined
  /** Time when the total was received. */
  at: number
  /** Usage that the meter has not confirmed. */
  rows: number
  bytes: number
  leases: string[]
  /** Time when it was last sent. */
  sentAt: number
}

/** A call's share of a meter, until the call is over. */
interface MeterShare {
  readonly known: MeterState
  readonly lease: string | undefined
}

/** Counts the usage of an isolate's calls, and refuses calls that are over a limit. */
export class Meters {
  readonly #namespace: DurableObjectNamespace<Meter>
  readonly #background: Background
  readonly #ending: Ending | undefined
  readonly #known = new Map<string, MeterState>()
  #failures = 0

  constructor(
    namespace: DurableObjectNamespace<Meter>,
    waitUntil: (work: Promise<unknown>) => void,
    ending?: Ending,
  ) {
    this.#namespace = namespace
    this.#ending = ending
    this.#background = new Background(() => this.#flush(), waitUntil, ending?.soon)
  }

  /** Starts a call, or throws {@link LimitReached}. Returns the function that ends it. */
  async begin({ endpoint, context }: Pick<EndpointCall, 'endpoint' | 'context'>) {
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

  async #take(name: string, who: string, bounds: RateBounds): Promise<MeterShare> {
    const known = this.#knownOf(name)
    const now = Date.now()
    const isToday = known.total?.day === dayOf(now)
    if (isToday) assertLeft(known, who, bounds)
    const most = bounds.concurrent
    if (most === undefined && isToday && steadyNow() - known.at < FRESH_MS) {
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
        `${who} may run ${counted(lease.most, 'query', 'queries')} at once here, and ${use.running} ${use.running === 1 ? 'is' : 'are'} running. Try again when one has ended.`,
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

  #end(taken: readonly MeterShare[], rows: number, bytes: number): void {
    for (const { known, lease } of taken) {
      known.rows += rows
      known.bytes += bytes
      // Leases that are never returned expire.
      if (lease && known.leases.length < MAX_WAITING_LEASES) known.leases.push(lease)
    }
    if (taken.some(({ known }) => isDirty(known))) this.#background.wake()
  }

  /** Sends the usage to each meter that is due, and receives the totals. */
  async #flush(): Promise<boolean> {
    const failures = this.#failures
    const due = this.#ending?.soon.aborted ? isDirty : isDue
    await Promise.all([...this.#known.values()].filter(due).map((it) => this.#spend(it)))
    return this.#failures === failures && [...this.#known.values()].some(isDirty)
  }

  async #spend(known: MeterState): Promise<void> {
    const { name, rows, bytes } = known
    known.sentAt = steadyNow()
    const leases = known.leases.slice(0, MAX_LEASES)
    const use = await this.#ask(name, (meter) => meter.spend({ rows, bytes, leases }))
    // It is sent with the next call, and counts here until then.
    if (!use) return
    hear(known, use)
    known.rows -= rows
    known.bytes -= bytes
    known.leases.splice(0, leases.length)
  }

  /** Queries a meter. If it cannot be reached, nobody is blocked, and the log says how often that happened. */
  async #ask<T>(
    name: string,
    question: (meter: DurableObjectStub<Meter>) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      const meter = this.#namespace.get(this.#namespace.idFromName(name))
      return await inTime(METER_MS, question(meter))
    } catch (error) {
      const [endpoint] = name.split(' ')
      const times = `${counted(++this.#failures, 'time')} so far`
      console.error(`A meter for endpoint ${endpoint} cannot be reached (${times}).`, error)
      return undefined
    }
  }

  #knownOf(name: string): MeterState {
    let known = this.#known.get(name)
    this.#known.delete(name)
    known ??= { name, total: undefined, at: 0, rows: 0, bytes: 0, leases: [], sentAt: 0 }
    // The most recently used meter is at the end.
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

const isDirty = ({ rows, bytes, leases }: MeterState) => rows > 0 || bytes > 0 || leases.length > 0

/** A lease is returned at once, because another call may be waiting for it. */
const isDue = (known: MeterState) =>
  known.leases.length > 0 || (isDirty(known) && steadyNow() - known.sentAt >= SENDS_EVERY_MS)

function hear(known: MeterState, { day, rows, bytes }: Use): void {
  known.total = { day, rows, bytes }
  known.at = steadyNow()
}

/** A call's meters: for its endpoint and for its caller, if they have limits. */
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

/** Throws {@link LimitReached} if a daily quota is used up. */
function assertLeft({ total, rows, bytes }: MeterState, who: string, bounds: RateBounds): void {
  const used = { rowsPerDay: (total?.rows ?? 0) + rows, bytesPerDay: (total?.bytes ?? 0) + bytes }
  for (const [code, unit] of QUOTAS) {
    const most = bounds[code]
    if (most === undefined || used[code] < most) continue
    const hours = Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / HOUR_MS)
    throw new LimitReached(
      code,
      `${who} may read ${most} ${unit} a day here, and ${used[code]} are used. It resets at 00:00 UTC, in ${hours === 1 ? 'less than an hour' : `${hours} hours`}.`,
    )
  }
}

const QUOTAS = [
  ['rowsPerDay', 'rows'],
  ['bytesPerDay', 'bytes'],
] as const

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
