import { knownScheme, redaction } from '../../database/index.ts'
import type { EndpointCall } from '../../gateway/index.ts'
import type { EndedCall } from '../records/finished-call.ts'

/** A finished call, for its span. The names come from the semantic conventions for MCP and for databases. */
export interface FinishedSpan extends EndedCall {
  readonly asked: EndpointCall['asked']
  readonly endpoint: string
  readonly trace: EndpointCall['trace']
  readonly requestId: string
  readonly revision: string
}

type SpanValue = string | number | undefined

/** The engine's name in the conventions, which is the name of its protocol. */
const systemOf = (name: string) => knownScheme(name)?.protocol ?? name

const MAX_TEXT_CHARS = 4_000
const MAX_NAME_CHARS = 80
const SERVER_KIND = 2
const ERROR_STATUS = 2

/** The body of a request to `/v1/traces`. */
export async function bodyOf(spans: readonly FinishedSpan[]): Promise<string> {
  const { withoutLiterals } = await redaction()
  const scopeSpans = [
    { scope: { name: 'tidegate' }, spans: spans.map((it) => spanOf(it, withoutLiterals)) },
  ]
  const resource = { attributes: attributes({ 'service.name': 'tidegate' }) }
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })
}

function spanOf(
  { asked, endpoint, trace, requestId, revision, ...call }: FinishedSpan,
  withoutLiterals: Awaited<ReturnType<typeof redaction>>['withoutLiterals'],
): object {
  const tool = typeof asked.tool === 'string' ? shorten(asked.tool, MAX_NAME_CHARS) : undefined
  const [ran] = call.statements
  const sql =
    ran && (ran.free ? withoutLiterals(ran.statement.sql, ran.dialect.rules) : ran.statement.sql)
  const failed = call.outcome !== 'ok'
  return {
    traceId: trace.id,
    spanId: trace.span,
    ...(trace.parent && { parentSpanId: trace.parent }),
    name: tool ? `${asked.method} ${tool}` : asked.method,
    kind: SERVER_KIND,
    startTimeUnixNano: `${call.time}000000`,
    endTimeUnixNano: `${call.time + call.milliseconds}000000`,
    attributes: attributes({
      'mcp.method.name': asked.method,
      'mcp.protocol.version': revision,
      'jsonrpc.request.id': shorten(requestId, MAX_NAME_CHARS),
      'gen_ai.operation.name': tool && 'execute_tool',
      'gen_ai.tool.name': tool,
      'error.type': failed ? (call.code ?? 'tool_error') : undefined,
      'user.id': call.caller,
      'user_agent.name': call.client?.name && shorten(call.client.name, MAX_NAME_CHARS),
      'user_agent.version': call.client?.version && shorten(call.client.version, MAX_NAME_CHARS),
      'db.system.name': ran && systemOf(ran.dialect.name),
      'db.query.text': sql && shorten(sql, MAX_TEXT_CHARS),
      'db.response.returned_rows': ran && call.rows,
      'tidegate.endpoint': endpoint,
      'tidegate.database': ran?.database,
      'tidegate.outcome': call.outcome,
    }),
    status: failed ? { code: ERROR_STATUS } : {},
  }
}

/** All numbers here are integers, which OTLP writes as strings. */
const attributes = (values: Readonly<Record<string, SpanValue>>) =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { intValue: `${value}` } : { stringValue: value },
    }))

const shorten = (text: string, chars: number) => text.slice(0, chars).toWellFormed()
