import type { RecordOutcome } from '../records/record.ts'

/** The facts about a call that are counted. The caller is not one of them. */
export interface CountedCall {
  readonly outcome: RecordOutcome
  readonly code: string | undefined
  readonly milliseconds: number
}

/** Upper bounds of the buckets, in seconds, from OpenTelemetry's conventions for MCP. */
const BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60] as const

/** Maximum number of endpoints counted separately, and of codes in each. The rest are counted as `other`. */
const MAX_ENDPOINTS = 1_000
const MAX_CODES = 40
const OTHER = 'other'

interface Series {
  /** Number of calls by outcome and code. */
  readonly calls: Map<string, number>
  /** Number of calls in each bucket, by duration. The last bucket is for longer calls. Refused calls are left out. */
  readonly buckets: number[]
  sum: number
}

/** Number of calls per endpoint, with their outcomes and durations. */
export class Durations {
  readonly #series = new Map<string, Series>()

  get isEmpty(): boolean {
    return this.#series.size === 0
  }

  *[Symbol.iterator](): Iterator<[string, Series]> {
    yield* this.#series
  }

  add(endpoint: string, { outcome, code, milliseconds }: CountedCall): void {
    const series = this.#of(endpoint)
    count(series, `${outcome} ${outcome === 'ok' ? '' : (code ?? OTHER)}`, outcome, 1)
    if (outcome === 'refused') return
    const seconds = Math.max(0, milliseconds) / 1_000
    const at = BOUNDS.findIndex((it) => seconds <= it)
    series.buckets[at < 0 ? BOUNDS.length : at]!++
    series.sum += seconds
  }

  /** Adds the counts from another instance. */
  merge(other: Durations): void {
    for (const [endpoint, { calls, buckets, sum }] of other) {
      const series = this.#of(endpoint)
      for (const [key, n] of calls) count(series, key, key.split(' ', 1)[0]!, n)
      for (const [i, n] of buckets.entries()) series.buckets[i]! += n
      series.sum += sum
    }
  }

  #of(endpoint: string): Series {
    const isKnown = this.#series.has(endpoint) || this.#series.size < MAX_ENDPOINTS
    const name = isKnown ? endpoint : OTHER
    const made = { calls: new Map(), buckets: [...BOUNDS, 0].map(() => 0), sum: 0 }
    const series = this.#series.get(name) ?? made
    this.#series.set(name, series)
    return series
  }
}

function count({ calls }: Series, key: string, outcome: string, n: number): void {
  const known = calls.has(key) || calls.size < MAX_CODES ? key : `${outcome} ${OTHER}`
  calls.set(known, (calls.get(known) ?? 0) + n)
}

const ended = (key: string) => {
  const [outcome = '', code = ''] = key.split(' ')
  return { outcome, code }
}

/** The counts in the Prometheus text format. */
export function prometheusText(all: Durations, running: ReadonlyMap<string, number>): string {
  const lines = [
    '# HELP tidegate_calls_total Finished calls, by endpoint, outcome, and reason for failure.',
    '# TYPE tidegate_calls_total counter',
  ]
  for (const [endpoint, { calls }] of all) {
    for (const [key, n] of calls) {
      lines.push(`tidegate_calls_total${labels({ endpoint, ...ended(key) })} ${n}`)
    }
  }
  lines.push(
    '# HELP tidegate_call_duration_seconds Duration of calls that were not refused.',
    '# TYPE tidegate_call_duration_seconds histogram',
  )
  for (const [endpoint, { buckets, sum }] of all) {
    let total = 0
    for (const [i, n] of buckets.entries()) {
      total += n
      const le = String(BOUNDS[i] ?? '+Inf')
      lines.push(`tidegate_call_duration_seconds_bucket${labels({ endpoint, le })} ${total}`)
    }
    lines.push(`tidegate_call_duration_seconds_sum${labels({ endpoint })} ${sum}`)
    lines.push(`tidegate_call_duration_seconds_count${labels({ endpoint })} ${total}`)
  }
  lines.push(
    '# HELP tidegate_calls_running Calls that are running or waiting for a connection.',
    '# TYPE tidegate_calls_running gauge',
  )
  for (const [endpoint, n] of inBounds(running)) {
    lines.push(`tidegate_calls_running${labels({ endpoint })} ${n}`)
  }
  return `${lines.join('\n')}\n`
}

/** Number of running calls per endpoint. Endpoints beyond the limit are counted together. */
function inBounds(running: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const bounded = new Map<string, number>()
  for (const [endpoint, n] of running) {
    const name = bounded.size < MAX_ENDPOINTS ? endpoint : OTHER
    bounded.set(name, (bounded.get(name) ?? 0) + n)
  }
  return bounded
}

const labels = (values: Readonly<Record<string, string>>) =>
  `{${Object.entries(values)
    .map(([name, value]) => `${name}="${value.replaceAll(/[^\w .:+-]/g, '_')}"`)
    .join(',')}}`

/** The body of a request to `/v1/metrics`: the counts in this time range, and the number of running calls. */
export function metricsBody(
  counted: Durations,
  running: ReadonlyMap<string, number>,
  { since, now, instance }: Readonly<Record<'since' | 'now', number> & { instance: string }>,
): string {
  const time = { startTimeUnixNano: `${since}000000`, timeUnixNano: `${now}000000` }
  const [calls, durations]: object[][] = [[], []]
  for (const [endpoint, series] of counted) {
    for (const [key, n] of series.calls) {
      const { outcome, code } = ended(key)
      const names = { 'tidegate.endpoint': endpoint, 'tidegate.outcome': outcome }
      const values = attributes({ ...names, 'error.type': code })
      calls!.push({ ...time, attributes: values, asInt: `${n}` })
    }
    const total = series.buckets.reduce((sum, n) => sum + n, 0)
    if (total === 0) continue
    durations!.push({
      ...time,
      attributes: attributes({ 'tidegate.endpoint': endpoint }),
      count: `${total}`,
      sum: series.sum,
      bucketCounts: series.buckets.map(String),
      explicitBounds: BOUNDS,
    })
  }
  const runningNow = [...inBounds(running)].map(([endpoint, n]) => ({
    timeUnixNano: time.timeUnixNano,
    attributes: attributes({ 'tidegate.endpoint': endpoint }),
    asInt: `${n}`,
  }))
  const sum = { aggregationTemporality: DELTA, isMonotonic: true, dataPoints: calls }
  const histogram = { aggregationTemporality: DELTA, dataPoints: durations }
  const metrics = [
    { name: 'tidegate.calls', unit: '{call}', sum },
    { name: 'mcp.server.operation.duration', unit: 's', histogram },
    { name: 'tidegate.calls.running', unit: '{call}', gauge: { dataPoints: runningNow } },
  ]
  const named = { 'service.name': 'tidegate', 'service.instance.id': instance }
  const resource = { attributes: attributes(named) }
  const scopeMetrics = [{ scope: { name: 'tidegate' }, metrics }]
  return JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics }] })
}

/** Each instance sends the counts since its last send, so that the counts from many instances add up. */
const DELTA = 1

const attributes = (values: Readonly<Record<string, string>>) =>
  Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => ({ key, value: { stringValue: value } }))
