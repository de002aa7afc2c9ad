import { type CallHooks, type Endpoint, type EndpointCall, isDemo } from '../../gateway/index.ts'
import { once } from '../../ground/index.ts'
import type { Around, Caller } from '../../mcp/index.ts'
import type { Ending } from '../background.ts'
import { isMetered, LimitReached } from '../limits/bounds.ts'
import type { Meters } from '../limits/meters.ts'
import type { Meter } from '../limits/object.ts'
import type { EndedCall } from '../records/finished-call.ts'
import type { CallRecords } from '../records/object.ts'
import type { RecordOutcome } from '../records/record.ts'
import type { CollectorEnv } from '../traces/collector.ts'
import type { CountedCall } from '../traces/durations.ts'

/** The bindings and secrets in a deployment that limits and records calls. */
export interface CallsEnv extends CollectorEnv {
  readonly METER: DurableObjectNamespace<Meter>
  readonly RECORDS: DurableObjectNamespace<CallRecords>
  readonly TIDEGATE_KEY?: string
  /** Only on Node. */
  readonly ENDING?: Ending
  /** Tags log lines with their call. Undefined where the platform has its own log. */
  readonly LOGGING?: <T>(about: { endpoint: string; trace: string }, work: () => T) => T
}

/** Limits and records the calls in a deployment. Made once in each isolate. */
export interface DeploymentCalls {
  /** The handler for an endpoint's calls. Undefined if the endpoint does not need one. */
  of(endpoint: Endpoint): CallHooks | undefined
  /** Records a request that was refused before it was read, with the refusal's code. */
  refused(endpoint: Endpoint, caller: Caller | undefined, code: number): void
  /** The call counters, in the Prometheus text format. */
  metrics(): Promise<string>
}

/** Applies the endpoints' limits to the calls in a deployment, and records the calls. */
export function callsOf(
  env: CallsEnv,
  waitUntil: (work: Promise<unknown>) => void,
): DeploymentCalls {
  const meters = once(async () => {
    const { Meters } = await import('../limits/meters.ts')
    return new Meters(env.METER, waitUntil, env.ENDING)
  })
  const recorder = once(async () => {
    const { Recorder } = await import('../records/recorder.ts')
    return new Recorder(env.RECORDS, waitUntil, env.ENDING)
  })
  const record = (endpoint: Endpoint, call: EndedCall) =>
    waitUntil(recorder().then((it) => it.add(endpoint, call)))
  const exporter = once(async () => {
    const { Exporter } = await import('../traces/exporter.ts')
    return new Exporter(env, waitUntil, env.ENDING)
  })
  const exports = Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT)
  const send = (call: EndpointCall, facts: EndedCall) =>
    waitUntil(exporter().then((it) => it.add({ ...facts, ...spanFacts(call) })))
  const running = new Map<string, number>()
  const metrics = once(async () => {
    const { Metrics } = await import('../traces/metrics.ts')
    return new Metrics(env, running, waitUntil, env.ENDING)
  })
  const runs = (name: string, by: number) => running.set(name, (running.get(name) ?? 0) + by)
  const measures = exports || Boolean(env.TIDEGATE_KEY)
  const count = ({ name }: Endpoint, call: CountedCall) =>
    waitUntil(metrics().then((it) => it.add(name, call)))
  // Without a key, nobody could read the records.
  const isRecorded = (endpoint: Endpoint) => endpoint.records !== false && Boolean(env.TIDEGATE_KEY)
  return {
    of(endpoint) {
      const { limits } = endpoint
      const limited = isMetered(limits?.caller) || isMetered(limits?.endpoint)
      const recorded = isRecorded(endpoint)
      if (isDemo(endpoint) && !limited && !measures && !env.LOGGING) return undefined
      return {
        sampled: exports,
        around(call, run) {
          const bounded = limited ? async () => within(await meters(), call, run) : run
          const traced = exports && call.trace.sampled
          const work = () => {
            if (!measures) return bounded()
            runs(endpoint.name, 1)
            return noting(call, bounded, (facts) => {
              runs(endpoint.name, -1)
              count(endpoint, facts)
              if (recorded) record(endpoint, facts)
              if (traced) send(call, facts)
            })
          }
          const about = { endpoint: endpoint.name, trace: call.trace.id }
          return env.LOGGING ? env.LOGGING(about, work) : work()
        },
      }
    },
    refused(endpoint, caller, code) {
      if (measures) count(endpoint, { outcome: 'refused', code: String(code), milliseconds: 0 })
      if (!isRecorded(endpoint)) return
      record(endpoint, {
        time: Date.now(),
        caller: recordedAs(caller),
        client: undefined,
        tool: undefined,
        statements: [],
        rows: 0,
        bytes: 0,
        milliseconds: 0,
        outcome: 'refused',
        code: String(code),
        traceId: undefined,
      })
    },
    metrics: async () => (await metrics()).text(),
  }
}

/** Runs a call within its limits. Only tools have limits, because other reads return only the schema. */
async function within(meters: Meters, call: EndpointCall, run: () => ReturnType<Around>) {
  if (call.asked.method !== 'tools/call') return run()
  const end = await meters.begin(call)
  try {
    return await run()
  } finally {
    end(call.rows, call.bytes)
  }
}

/** Runs a call and notes its outcome. */
async function noting(
  call: EndpointCall,
  run: () => ReturnType<Around>,
  note: (facts: EndedCall) => void,
): ReturnType<Around> {
  const finish = (outcome: RecordOutcome, code: string | undefined) =>
    note(finished(call, outcome, code))
  try {
    const result = await run()
    const failed = 'isError' in result && result.isError === true
    finish(failed ? (call.failure === 'refused' ? 'refused' : 'error') : 'ok', call.failure)
    return result
  } catch (error) {
    if (error instanceof LimitReached) finish('refused', error.code)
    else finish('error', codeOf(error))
    throw error
  }
}

function finished(
  { asked, context, startedAt, trace, statements, rows, bytes }: EndpointCall,
  outcome: RecordOutcome,
  code: string | undefined,
) {
  return {
    time: startedAt,
    caller: recordedAs(context.caller),
    client: context.client,
    tool: asked.method === 'tools/call' ? asked.tool : asked.method,
    statements,
    rows,
    bytes,
    milliseconds: Date.now() - startedAt,
    outcome,
    code,
    traceId: trace.id,
  }
}

const recordedAs = (caller: Caller | undefined) => caller?.name ?? caller?.subject

/** The facts about a call that only its span has. */
const spanFacts = ({ asked, endpoint, trace, context }: EndpointCall) => ({
  ...{ asked, endpoint: endpoint.name, trace },
  ...{ requestId: String(context.id), revision: context.revision.version },
})

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'number'
    ? String(error.code)
    : undefined
