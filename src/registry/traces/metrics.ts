import { Background, type Ending, SENDS_EVERY_MS } from '../background.ts'
import { type CollectorEnv, collectorOf, type SendToCollector } from './collector.ts'
import { type CountedCall, Durations, metricsBody, prometheusText } from './durations.ts'

/** Interval between log lines about metrics that could not be sent. */
const SAYS_EVERY_MS = 60_000

/** Counts an isolate's calls by endpoint, for Prometheus and for an OpenTelemetry collector. */
export class Metrics {
  readonly #all = new Durations()
  readonly #sendTo: SendToCollector | undefined
  readonly #background: Background
  /** Aborts when the process is about to end, so waiting metrics must be sent at once. */
  readonly #soon: AbortSignal | undefined
  readonly #instance = crypto.randomUUID()
  readonly #running: ReadonlyMap<string, number>
  /** Counts since the last successful send. They are kept until they have arrived. */
  #unsent = new Durations()
  #since = Date.now()
  #sentAt = 0
  #saidAt = 0

  /** @param running the number of calls that are running at each endpoint, when it is read */
  constructor(
    env: CollectorEnv,
    running: ReadonlyMap<string, number>,
    waitUntil: (work: Promise<unknown>) => void,
    ending?: Ending,
  ) {
    this.#running = running
    this.#soon = ending?.soon
    if (env.OTEL_EXPORTER_OTLP_ENDPOINT) this.#sendTo = collectorOf(env, 'metrics')
    this.#background = new Background(() => this.#flush(), waitUntil, ending?.soon)
  }

  add(endpoint: string, counted: CountedCall): void {
    this.#all.add(endpoint, counted)
    if (!this.#sendTo) return
    this.#unsent.add(endpoint, counted)
    this.#background.wake()
  }

  /** All counts in the Prometheus text format. */
  text(): string {
    return prometheusText(this.#all, this.#running)
  }

  async #flush(): Promise<boolean> {
    const now = Date.now()
    if (this.#unsent.isEmpty) return false
    const age = now - this.#sentAt
    if (age >= 0 && age < SENDS_EVERY_MS && !this.#soon?.aborted) return true
    this.#sentAt = now
    const sending = this.#unsent
    this.#unsent = new Durations()
    const time = { since: this.#since, now, instance: this.#instance }
    const body = metricsBody(sending, this.#running, time)
    const problem = await this.#sendTo!(body)
    if (!problem) {
      this.#since = now
      return !this.#unsent.isEmpty
    }
    sending.merge(this.#unsent)
    this.#unsent = sending
    if (Math.abs(now - this.#saidAt) >= SAYS_EVERY_MS) {
      this.#saidAt = now
      console.error(`Metrics were not sent to the collector: ${problem}.`)
    }
    // The next call tries again.
    return false
  }
}
