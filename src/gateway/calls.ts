import type { Dialect, Failure, Statement } from '../database/index.ts'
import type { Around, CallTarget, Context } from '../mcp/index.ts'
import type { Endpoint } from './config/endpoint.ts'

/** A statement that ran for a call. */
export interface RanStatement {
  readonly database: string
  readonly dialect: Dialect
  readonly statement: Statement
  /** True if the caller wrote the SQL. Otherwise the operator wrote it, or we built it from names and placeholders. */
  readonly free: boolean
}

/** The place of a call in a trace (W3C Trace Context). */
interface Trace {
  /** 32 and 16 hexadecimal digits. */
  readonly id: string
  readonly span: string
  /** The client's span, if the client sent a trace. */
  readonly parent: string | undefined
  readonly sampled: boolean
  /** The header value that is passed on to the call's databases. */
  readonly traceparent: string
}

/** One call to an endpoint, with facts that are added while it runs. */
export interface EndpointCall {
  readonly asked: CallTarget
  readonly endpoint: Endpoint
  readonly context: Context
  readonly trace: Trace
  readonly startedAt: number
  readonly statements: RanStatement[]
  /** Rows that the databases returned, without the results of our own catalog queries. */
  rows: number
  bytes: number
  /** The kind of failure, if there was a database error. */
  failure: Failure | undefined
}

/** The deployment's hooks around calls to an endpoint. */
export interface CallHooks {
  /** True if a trace that begins here is recorded somewhere. */
  readonly sampled: boolean
  /** Runs a call and returns its result. It can refuse a tool call with a ToolError. */
  around(call: EndpointCall, run: () => ReturnType<Around>): ReturnType<Around>
}

/** Lets a deployment limit and record calls to an endpoint. */
export const aroundCalls =
  (endpoint: Endpoint, { sampled, around }: CallHooks): Around =>
  (asked, context, run) => {
    const call: EndpointCall = {
      asked,
      endpoint,
      context,
      trace: traceOf(context.traceparent, sampled),
      startedAt: Date.now(),
      statements: [],
      rows: 0,
      bytes: 0,
      failure: undefined,
    }
    const own: CallContext = { ...context, call }
    return around(call, () => run(own))
  }

/** The context of a handler, within {@link aroundCalls}. */
interface CallContext extends Context {
  readonly call?: EndpointCall
}

/** The call that belongs to a request, if the deployment tracks calls. */
export const callOf = (context: CallContext): EndpointCall | undefined => context.call

/** A new span in the client's trace, or in a new trace. `traceparent` is valid if present. */
function traceOf(traceparent: string | undefined, sampled: boolean): Trace {
  const [, known, parent, flags] = traceparent?.split('-') ?? []
  const id = known ?? randomDigits()
  const span = randomDigits().slice(16)
  const isSampled = flags === undefined ? sampled : (Number.parseInt(flags, 16) & 1) === 1
  return {
    id,
    span,
    parent,
    sampled: isSampled,
    traceparent: `00-${id}-${span}-${isSampled ? '01' : '00'}`,
  }
}

/** 32 random hexadecimal digits. Neither half of a UUID is all zeros. */
const randomDigits = () => crypto.randomUUID().replaceAll('-', '')
