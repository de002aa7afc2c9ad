import type { Database, Dialect, Failure, Statement } from '../database/index.ts'
import type { Around, Asked, Context } from '../mcp/index.ts'
import { jsonBytes } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import { type Trace, traceOf } from './trace.ts'

/** A statement that ran for a call. */
export interface RanStatement {
  readonly database: string
  readonly dialect: Dialect
  readonly statement: Statement
  /** Whether the caller wrote its SQL. Otherwise it came from the operator, or was made of names and placeholders. */
  readonly free: boolean
}

/** One call at an endpoint, and what becomes known of it while it runs. */
export interface Call {
  readonly asked: Asked
  readonly endpoint: Endpoint
  readonly context: Context
  readonly trace: Trace
  readonly startedAt: number
  readonly statements: RanStatement[]
  /** What the databases returned, without the answers to our own questions about their tables. */
  rows: number
  bytes: number
  /** Why a database had no answer. */
  failure: Failure | undefined
}

/** What a deployment does about the calls of an endpoint. */
export interface Calls {
  /** Whether a trace that begins here is recorded somewhere. */
  readonly sampled: boolean
  /** Runs a call and gives back its result. It may refuse the call of a tool with a ToolError. */
  around(call: Call, run: () => ReturnType<Around>): ReturnType<Around>
}

const calls = new WeakMap<Context, Call>()

/** Has a deployment bound and record the calls of an endpoint. */
export const aroundCalls =
  (endpoint: Endpoint, { sampled, around }: Calls): Around =>
  (asked, context, run) => {
    const call: Call = {
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
    calls.set(context, call)
    return around(call, run)
  }

/** The call that a request is, if the deployment wants to know of it. */
export const callOf = (context: Context): Call | undefined => calls.get(context)

/** Statements of one call that are noted. */
const MAX_STATEMENTS = 5

/** The same database. A call knows what it was asked, and each statement says for which call it runs. */
export function inCall(
  database: Database,
  call: Call | undefined,
  { name, free }: { readonly name: string; readonly free: boolean },
): Database {
  if (!call) return database
  const { dialect } = database
  const trace = { endpoint: call.endpoint.name, traceparent: call.trace.traceparent }
  return {
    ...database,
    async query(statement, limits) {
      if (statement.internal) return database.query(statement, { ...limits, trace })
      if (call.statements.length < MAX_STATEMENTS) {
        call.statements.push({ database: name, dialect, statement, free })
      }
      const found = await database.query(statement, { ...limits, trace })
      call.rows += found.rows.length
      call.bytes += jsonBytes(found.rows)
      return found
    },
  }
}
