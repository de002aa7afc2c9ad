import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Durations, metricsBody, prometheusText } from '../../src/registry/traces/durations.ts'
import { callAs } from '../support/calls.ts'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

interface Point {
  readonly attributes: readonly { key: string; value: { stringValue: string } }[]
  readonly asInt?: string
  readonly count?: string
  readonly bucketCounts?: readonly string[]
  readonly explicitBounds?: readonly number[]
}

const received: string[] = []
let status = 200
const collector = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  if (request.url === '/v1/metrics' && status === 200) received.push(body)
  response.writeHead(status).end('{}')
})

/** All data points that have arrived for a metric. */
const pointsOf = (name: string): Point[] =>
  received.flatMap((body) => {
    const [{ scopeMetrics }] = JSON.parse(body).resourceMetrics
    const metric = scopeMetrics[0].metrics.find((it: { name: string }) => it.name === name)
    const { sum, histogram, gauge } = metric
    if (!gauge) expect((sum ?? histogram).aggregationTemporality).toBe(1)
    return (sum ?? histogram ?? gauge).dataPoints
  })

const valuesOf = ({ attributes }: Point) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]))

const countOf = (outcome: string) =>
  pointsOf('tidegate.calls')
    .filter((it) => valuesOf(it)['tidegate.outcome'] === outcome)
    .reduce((sum, { asInt }) => sum + Number(asInt), 0)

const PERSON = 'ada-planted@example.com'

let worker: RunningWorker
let key: string
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  const { port } = collector.address() as AddressInfo
  worker = await startWorker({
    ...operated,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  })
  const endpoint = { name: 'shop', title: 'Shop', databases: { main: { url: 'demo:' } } }
  await askApi(worker, 'POST', '/api/endpoints', { ...endpoint, access: 'key' })
  const made = await askApi(worker, 'POST', '/api/keys', {
    ...{ label: 'Ada', person: PERSON, endpoints: ['shop'] },
  })
  key = made.json.key
})
afterAll(async () => {
  await worker.close()
  collector.close()
})

const call = (sql: string) =>
  callAs('modern', `${worker.url}/mcp/shop`, {
    ...{ name: 'query', args: { sql }, headers: { authorization: `Bearer ${key}` } },
  })

test('calls, errors and latency are exported per endpoint, and never per caller', async () => {
  for (let i = 0; i < 3; i++) expect((await call('select 1 as n')).status).toBe(200)
  await call('select planted_column from customers')
  await call('delete from customers')
  const text = async () => (await askApi(worker, 'GET', '/api/metrics')).text
  await expect.poll(text).toContain('tidegate_calls_total{endpoint="shop",outcome="ok",code=""} 3')
  await expect.poll(text).toContain('{endpoint="shop",outcome="error",code="sql"} 1')
  await expect.poll(text).toContain('{endpoint="shop",outcome="refused",code="refused"} 1')
  expect(await text()).toContain('tidegate_call_duration_seconds_count{endpoint="shop"} 4')
  expect(await text()).toContain('_bucket{endpoint="shop",le="+Inf"} 4')
  expect(await text()).toContain('tidegate_calls_running{endpoint="shop"} 0')
  await expect.poll(() => countOf('ok'), { timeout: 60_000 }).toBe(3)
  await expect.poll(() => countOf('refused'), { timeout: 60_000 }).toBe(1)
  const [duration] = pointsOf('mcp.server.operation.duration')
  expect(duration!.bucketCounts).toHaveLength(duration!.explicitBounds!.length + 1)
  expect(valuesOf(duration!)).toEqual({ 'tidegate.endpoint': 'shop' })
  const running = pointsOf('tidegate.calls.running').at(-1)
  expect([valuesOf(running!), running!.asInt]).toEqual([{ 'tidegate.endpoint': 'shop' }, '0'])
  expect(`${received.join()} ${await text()}`).not.toMatch(/planted|ada|select/i)
})

test('metrics that a collector did not accept are sent again with later metrics', async () => {
  const before = countOf('ok')
  status = 503
  await call('select 2 as n')
  await expect
    .poll(() => worker.logs().join('\n'), { timeout: 60_000 })
    .toContain('Metrics were not sent to the collector: it answered 503.')
  status = 200
  await expect
    .poll(
      async () => {
        await call('select 3 as n')
        return countOf('ok')
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBeGreaterThanOrEqual(before + 2)
})

test('the metrics are only for the operator', async () => {
  expect((await askApi(worker, 'GET', '/api/metrics', undefined, {})).status).toBe(401)
  const other = { authorization: `Bearer ${key}` }
  expect((await askApi(worker, 'GET', '/api/metrics', undefined, other)).status).toBe(403)
  const { status, headers } = await askApi(worker, 'GET', '/api/metrics', undefined, {
    authorization: `Bearer ${OPERATOR_KEY}`,
  })
  expect([status, headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
})

test('endpoints and codes are bounded, and no text can leave its label', () => {
  const all = new Durations()
  for (let i = 0; i < 3_000; i++) {
    all.add(`e${i}`, { outcome: 'ok', code: undefined, milliseconds: 1 })
    all.add('e0', { outcome: 'error', code: `code${i}`, milliseconds: 1 })
  }
  all.add('e0', { outcome: 'error', code: 'a"} 1\nfake{x="', milliseconds: 1 })
  const running = new Map(Array.from({ length: 3_000 }, (_, i) => [`e${i}`, 1]))
  const text = prometheusText(all, running)
  expect(text).toContain('tidegate_calls_running{endpoint="other"} 2000')
  const time = { since: 0, now: 1, instance: 'a' }
  const [{ scopeMetrics }] = JSON.parse(metricsBody(all, running, time)).resourceMetrics
  const { gauge } = scopeMetrics[0].metrics.at(-1)
  expect(gauge.dataPoints).toHaveLength(1_001)
  expect(valuesOf(gauge.dataPoints.at(-1))).toEqual({ 'tidegate.endpoint': 'other' })
  expect(text).toContain('{endpoint="other",outcome="ok",code=""} 2000')
  expect([...all].length).toBe(1_001)
  expect(text.match(/endpoint="e0",outcome="error"/g)!.length).toBeLessThanOrEqual(41)
  expect(text).not.toMatch(/^fake/m)
})
