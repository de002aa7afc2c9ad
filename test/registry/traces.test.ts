import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { traceparentOf } from '../../src/mcp/wire/traceparent.ts'
import { callAs } from '../support/calls.ts'
import { MODERN, meta } from '../support/mcp.ts'
import { onNode } from '../support/node-worker.ts'
import { makeSqliteFile } from '../support/sqlite-file.ts'
import { post, type RunningWorker, startWorker } from '../support/worker.ts'

const id = '0af7651916cd43dd8448eb211c80319c'
const parent = 'b7ad6b7169203331'
const secret = 'planted-collector-key'
const key = 'planted-key-7f3a9c'
const bearer = { authorization: `Bearer ${key}` }

const received: { url: string; headers: IncomingHttpHeaders; body: string }[] = []
let status = 200
const collector = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  // test/registry/metrics.test.ts reads the metrics.
  if (request.url !== '/v1/metrics')
    received.push({ url: request.url!, headers: request.headers, body })
  response.writeHead(status).end('{}')
})

// biome-ignore lint/suspicious/noExplicitAny: the JSON of OTLP
const spans = (): any[] =>
  received.flatMap(({ body }) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans)
// biome-ignore lint/suspicious/noExplicitAny: the JSON of OTLP
const valuesOf = ({ attributes }: any) =>
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of OTLP
  Object.fromEntries(attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]))

/** Node has no bindings. */
const file = onNode ? makeSqliteFile([]) : undefined

let worker: RunningWorker
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  const { port } = collector.address() as AddressInfo
  worker = await startWorker(
    {
      ENDPOINTS: JSON.stringify([
        {
          name: 'shop',
          title: 'Shop',
          databases: { db: { url: file?.url ?? 'd1:TEST_DB' } },
          records: false,
        },
      ]),
      TIDEGATE_KEY: key,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
      OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${secret},x-other=a%20b`,
    },
    undefined,
    ['TEST_DB'],
  )
})
afterAll(async () => {
  await worker.close()
  await file?.close()
  collector.close()
})

const call = (era: 'modern' | 'legacy', sql: string, headers: Record<string, string> = {}) =>
  callAs(era, `${worker.url}/mcp/shop`, {
    name: 'query',
    args: { sql },
    headers: { ...bearer, ...headers },
  })

describe.each(['modern', 'legacy'] as const)('a call in the %s era', (era) => {
  test('is a span in its client’s trace', async () => {
    received.length = 0
    await call(era, "select 'planted' as a", { traceparent: `00-${id}-${parent}-01` })
    await expect.poll(() => spans().length).toBe(1)
    const [{ url, headers }] = received as [(typeof received)[0]]
    expect([url, headers['x-api-key'], headers['x-other']]).toEqual(['/v1/traces', secret, 'a b'])
    const [span] = spans()
    expect(span).toMatchObject({ traceId: id, parentSpanId: parent, kind: 2, status: {} })
    expect(span.name).toBe('tools/call query')
    expect(span.spanId).toMatch(/^[\da-f]{16}$/)
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
    expect(valuesOf(span)).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'query',
      'gen_ai.operation.name': 'execute_tool',
      'db.system.name': 'sqlite',
      'db.query.text': 'select ? as a',
      'db.response.returned_rows': '1',
      'tidegate.endpoint': 'shop',
      'user.id': 'key',
    })
    expect(received.map(({ body }) => body).join()).not.toMatch(/planted/)
  })
})

test('a trace in a call’s metadata takes precedence over the trace in a header', async () => {
  received.length = 0
  const params = {
    ...{ name: 'query', arguments: { sql: 'select 1' } },
    _meta: { ...meta(), traceparent: `00-${id}-${parent}-01` },
  }
  const headers = {
    'mcp-protocol-version': MODERN,
    'mcp-method': 'tools/call',
    'mcp-name': 'query',
  }
  const carried = { traceparent: `00-${'1'.repeat(32)}-${parent}-00` }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  await post(`${worker.url}/mcp/shop`, message, { ...bearer, ...headers, ...carried })
  await expect.poll(() => spans()).toMatchObject([{ traceId: id }])
})

test('a call without a trace starts a trace, and a failed call is marked as failed', async () => {
  received.length = 0
  await call('modern', 'delete from t', { traceparent: '00-zz-01' })
  await expect.poll(() => spans().length).toBe(1)
  const [span] = spans()
  expect(span).not.toHaveProperty('parentSpanId')
  expect(span).toMatchObject({
    traceId: expect.stringMatching(/^[\da-f]{32}$/),
    status: { code: 2 },
  })
  expect(valuesOf(span)).toMatchObject({ 'error.type': 'refused', 'tidegate.outcome': 'refused' })
})

test('a trace that its client does not record is not sent', async () => {
  received.length = 0
  await call('modern', 'select 1', { traceparent: `00-${id}-${parent}-00` })
  await call('modern', 'select 2')
  await expect.poll(() => spans().length).toBe(1)
  expect(spans()[0].traceId).not.toBe(id)
})

test('a refusal from the collector is logged, without the headers', async () => {
  status = 401
  await call('modern', 'select 1')
  const logged = () => worker.logs().join('\n')
  await expect.poll(logged).toContain('1 spans were not sent to the collector: it answered 401.')
  expect(logged()).not.toContain(secret)
})

test.each([
  ['a valid value', `00-${id}-${parent}-01`, true],
  ['a later version', `01-${id}-${parent}-01-more`, true],
  ['additional fields in version 00', `00-${id}-${parent}-01-more`, false],
  ['version ff', `ff-${id}-${parent}-01`, false],
  ['a trace ID of zeros', `00-${'0'.repeat(32)}-${parent}-01`, false],
  ['a parent ID of zeros', `00-${id}-${'0'.repeat(16)}-01`, false],
  ['capital letters', `00-${id.toUpperCase()}-${parent}-01`, false],
  ['a trailing line break', `00-${id}-${parent}-01\n`, false],
  ['not a string', 7, false],
  ['a long string', `01-${id}-${parent}-01-${'a'.repeat(500)}`, false],
])('a traceparent is parsed strictly: %s', (_, value, valid) => {
  expect(traceparentOf(value) !== undefined).toBe(valid)
})
