import { Background, inTime } from '../background.ts'
import { bodyOf, type FinishedSpan } from './span.ts'

/** Where to send spans: the variables that OpenTelemetry gives to every exporter. */
export interface ExporterEnv {
  /** The collector, without `/v1/traces`. */
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string
  /** Headers of each request, such as an API key: `name=value,name=value`, percent-encoded. */
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string
}

/** Spans that wait in an isolate. What is more is dropped. */
const MAX_WAITING = 2_000
const MAX_BATCH = 200
const EXPORT_MS = 5_000

/** Sends the spans of an isolate to a collector, after the answers, by OTLP over HTTP. */
export class Exporter {
  readonly #url: URL | undefined
  readonly #headers: Headers
  readonly #background: Background
  readonly #waiting: FinishedSpan[] = []
  #dropped = 0

  constructor(env: ExporterEnv, waitUntil: (work: Promise<unknown>) => void) {
    this.#url = urlOf(env.OTEL_EXPORTER_OTLP_ENDPOINT ?? '')
    this.#headers = headersOf(env.OTEL_EXPORTER_OTLP_HEADERS ?? '')
    this.#background = new Background(() => this.#flush(), waitUntil)
    if (!this.#url)
      console.error('OTEL_EXPORTER_OTLP_ENDPOINT is not an http URL: no trace is sent.')
  }

  add(span: FinishedSpan): void {
    if (!this.#url) return
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(span)
    else this.#dropped++
    this.#background.wake()
  }

  async #flush(): Promise<boolean> {
    const spans = this.#waiting.splice(0, MAX_BATCH)
    const problem = await this.#send(spans).catch(() => 'it cannot be reached')
    if (problem) this.#dropped += spans.length
    if (problem || (this.#dropped > 0 && this.#waiting.length === 0)) {
      // An error of fetch may hold the address, so it is dropped.
      const why = problem ?? 'there were too many at once'
      console.error(`${this.#dropped} spans were not sent to the collector: ${why}.`)
      this.#dropped = 0
    }
    return this.#waiting.length > 0
  }

  /** Sends spans. Gives back what is wrong, if something is. */
  async #send(spans: readonly FinishedSpan[]): Promise<string | undefined> {
    if (spans.length === 0) return undefined
    const body = await bodyOf(spans)
    const init = { method: 'POST', headers: this.#headers, body, redirect: 'manual' } as const
    const signal = AbortSignal.timeout(EXPORT_MS)
    const response = await inTime(EXPORT_MS, fetch(this.#url!, { ...init, signal }))
    await response.body?.cancel()
    return response.ok ? undefined : `it answered ${response.status}`
  }
}

function urlOf(endpoint: string): URL | undefined {
  const text = `${endpoint.trim().replace(/\/{1,8}$/, '')}/v1/traces`
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}

/** Headers as the variable holds them. One that is not valid is left out. */
function headersOf(text: string): Headers {
  const headers = new Headers()
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=')
    if (at < 1) continue
    try {
      headers.set(pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim()))
    } catch {
      console.error('A header in OTEL_EXPORTER_OTLP_HEADERS is not valid.')
    }
  }
  headers.set('content-type', 'application/json')
  return headers
}
