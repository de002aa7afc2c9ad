import { type Call, type Calls, type Endpoint, isDemo } from '../gateway/index.ts'
import type { Around, Caller } from '../mcp/index.ts'
import { isMetered, LimitReached } from './limits/bounds.ts'
import type { Meters } from './limits/meters.ts'
import type { Meter } from './limits/object.ts'
import type { FinishedCall } from './records/finished-call.ts'
import type { CallRecords } from './records/object.ts'
import type { Outcome } from './records/record.ts'
import type { ExporterEnv } from './traces/exporter.ts'

/** The bindings and secrets of a deployment that bounds and records calls. */
export interface CallsEnv extends ExporterEnv {
  readonly METER: DurableObjectNamespace<Meter>
  readonly RECORDS: DurableObjectNamespace<CallRecords>
  readonly TIDEGATE_KEY?: string
}

/** What bounds and records the calls of a deployment. Made once in each isolate. */
export interface DeploymentCalls {
  /** What to do about the calls of an endpoint; undefined if nothing is to be done. */
  of(endpoint: Endpoint): Calls | undefined
  /** Records a request that was refused before it was read, with the code of the refusal. */
  refused(endpoint: Endpoint, caller: Caller | undefined, code: number): void
}

/** Bounds the calls of a deployment by the limits of its endpoints, and records them. */
export function callsOf(
  env: CallsEnv,
  waitUntil: (work: Promise<unknown>) => void,
): DeploymentCalls {
  const meters = once(async () => {
    const { Meters } = await import('./limits/meters.ts')
    return new Meters(env.METER, waitUntil)
  })
  const recorder = once(async () => {
    const { Recorder } = await import('./records/recorder.ts')
    return new Recorder(env.RECORDS, waitUntil)
  })
  const record = (endpoint: Endpoint, call: Facts) =>
    waitUntil(recorder().then((it) => it.add(endpoint, call)))
  const exporter = once(async () => {
    const { Exporter } = await import('./traces/exporter.ts')
    return new Exporter(env, waitUntil)
  })
  const exports = Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT)
  const send = (call: Call, facts: Facts) =>
    waitUntil(exporter().then((it) => it.add({ ...facts, ...spanFacts(call) })))
  // Without a key, nobody could read the records.
  const isRecorded = (endpoint: Endpoint) =>
    endpoint.records !== false && env.TIDEGATE_KEY !== undefined && env.TIDEGATE_KEY !== ''
  return {
    of(endpoint) {
      const { limits } = endpoint
      const limited = isMetered(limits?.caller) || isMetered(limits?.endpoint)
      const recorded = isRecorded(endpoint)
      if (isDemo(endpoint) && !limited && !recorded) return undefined
      return {
        sampled: exports,
        around(call, run) {
          const bounded = limited ? async () => within(await meters(), call, run) : run
          const traced = exports && call.trace.sampled
          if (!recorded && !traced) return bounded()
          return noting(call, bounded, (facts) => {
            if (recorded) record(endpoint, facts)
            if (traced) send(call, facts)
          })
        },
      }
    },
    refused(endpoint, caller, code) {
      if (!isRecorded(endpoint)) return
      record(endpoint, {
        time: Date.now(),
        caller: caller?.subject,
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
  }
}

/** What is noted of a call that is over. */
type Facts = Omit<FinishedCall, 'id' | 'calls' | 'keepsLiterals'>

/** What is made by its first use. If that fails, the next one tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** Runs a call within its limits. Only tools have any: what is read otherwise is the schema. */
async function within(meters: Meters, call: Call, run: () => ReturnType<Around>) {
  if (call.asked.method !== 'tools/call') return run()
  const end = await meters.begin(call)
  try {
    return await run()
  } finally {
    end(call.rows, call.bytes)
  }
}

/** Runs a call, and notes how it ended. */
async function noting(
  call: Call,
  run: () => ReturnType<Around>,
  note: (facts: Facts) => void,
): ReturnType<Around> {
  const finish = (outcome: Outcome, code: string | undefined) => note(finished(call, outcome, code))
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
  { asked, context, startedAt, trace, statements, rows, bytes }: Call,
  outcome: Outcome,
  code: string | undefined,
) {
  return {
    time: startedAt,
    caller: context.caller?.subject,
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

/** What only a span says of a call. */
const spanFacts = ({ asked, endpoint, trace, context }: Call) => ({
  ...{ asked, endpoint: endpoint.name, trace },
  ...{ requestId: String(context.id), revision: context.revision.version },
})

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'number'
    ? String(error.code)
    : undefined
