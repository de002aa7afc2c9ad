import { Background, type Ending } from '../background.ts'
import { type CollectorEnv, collectorOf, type SendToCollector } from './collector.ts'
import { bodyOf, type FinishedSpan } from './span.ts'

/** Maximum number of spans that can wait in an isolate. Any more are dropped. */
const MAX_WAITING = 2_000
const MAX_BATCH = 200

/** Sends an isolate's spans to a collector, after the responses, with OTLP over HTTP. */
export class Exporter {
  readonly #sendTo: SendToCollector | undefined
  readonly #background: Background
  readonly #waiting: FinishedSpan[] = []
  #dropped = 0

  constructor(env: CollectorEnv, waitUntil: (work: Promise<unknown>) => void, ending?: Ending) {
    this.#sendTo = collectorOf(env, 'traces')
    this.#background = new Background(() => this.#flush(), waitUntil, ending?.soon)
    ending?.now.addEventListener('abort', () => {
      const left = this.#waiting.length + this.#dropped
      if (left > 0) console.error(`${left} spans were not sent to the collector before the end.`)
    })
  }

  add(span: FinishedSpan): void {
    if (!this.#sendTo) return
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(span)
    else this.#dropped++
    this.#background.wake()
  }

  async #flush(): Promise<boolean> {
    const spans = this.#waiting.splice(0, MAX_BATCH)
    const problem = spans.length > 0 && (await this.#sendTo?.(await bodyOf(spans)))
    if (problem) this.#dropped += spans.length
    if (problem || (this.#dropped > 0 && this.#waiting.length === 0)) {
      const why = problem || 'there were too many at once'
      console.error(`${this.#dropped} spans were not sent to the collector: ${why}.`)
      this.#dropped = 0
    }
    return this.#waiting.length > 0
  }
}
