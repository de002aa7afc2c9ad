import { inTime } from '../../ground/index.ts'

/** Destination for spans and metrics, in the variables that OpenTelemetry defines for every exporter. */
export interface CollectorEnv {
  /** The collector, without `/v1/traces`. */
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string
  /** Headers for each request, such as an API key, in the form `name=value,name=value`, percent-encoded. */
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string
}

const EXPORT_MS = 5_000

/** Sends a body. Returns a problem, if any. */
export type SendToCollector = (body: string) => Promise<string | undefined>

/**
 * Sends to the OpenTelemetry collector in these variables, which accepts OTLP as JSON over HTTP, at a path such as
 * `traces`. If there is no collector, logs that and returns undefined.
 */
export function collectorOf(
  env: CollectorEnv,
  path: 'traces' | 'metrics',
): SendToCollector | undefined {
  const url = urlOf(env.OTEL_EXPORTER_OTLP_ENDPOINT ?? '', path)
  if (!url) {
    const what = path === 'traces' ? 'no trace is' : 'no metrics are'
    console.error(`OTEL_EXPORTER_OTLP_ENDPOINT is not an http URL: ${what} sent.`)
    return undefined
  }
  const headers = headersOf(env.OTEL_EXPORTER_OTLP_HEADERS ?? '')
  return async (body) => {
    const signal = AbortSignal.timeout(EXPORT_MS)
    const init = { method: 'POST', headers, body, redirect: 'manual', signal } as const
    try {
      const response = await inTime(EXPORT_MS, fetch(url, init))
      await response.body?.cancel()
      return response.ok ? undefined : `it answered ${response.status}`
    } catch {
      // An error from fetch can contain the address.
      return 'it cannot be reached'
    }
  }
}

function urlOf(endpoint: string, path: string): URL | undefined {
  const text = `${endpoint.trim().replace(/\/{1,8}$/, '')}/v1/${path}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}

/** Headers from the variable. Invalid ones are left out. */
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
