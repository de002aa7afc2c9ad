import { afterAll, describe, expect, test } from 'vitest'
import { type Fault, faults } from '../servers/messages.ts'
import type { Approach } from '../support/count-calls.ts'
import { startCounted } from '../support/counted.ts'
import { endpointBefore, resultOf } from '../support/endpoint.ts'

// A call sends several requests over HTTP. Whatever becomes of any of them, it ends.

/** The time limit of calls that have to wait for it, in milliseconds. */
const TIMEOUT_MS = 1_000

/** What comes on top of it: a server's own timer goes first; and slack. */
const MARGIN_MS = 2_000 + 4_000

const { all, end } = await startCounted()
afterAll(end)
const byHttp = Object.entries(all).filter(([, { trip }]) => trip === 'request')

/** A `fetch` of which one request meets this fault. */
function failing(send: typeof fetch, passes: number, fault: Fault): typeof fetch {
  let requests = 0
  const never = (signal?: AbortSignal | null) =>
    new Promise<never>((_, reject) => {
      signal?.throwIfAborted()
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  return async (url, init) => {
    if (requests++ !== passes) return send(url, init)
    if (fault === 'cut') throw new TypeError('Network connection lost.')
    if (fault === 'stall') return never(init?.signal)
    if (fault === 'garbage') return new Response('\xee'.repeat(32))
    if (fault === 'end') return new Response('<h1>Service Unavailable</h1>', { status: 503 })
    const response = await send(url, init)
    const bytes = new Uint8Array(await response.arrayBuffer())
    const half = new ReadableStream({
      type: 'bytes',
      start: (controller) => controller.enqueue(bytes.subarray(0, bytes.length >> 1)),
      async pull(controller) {
        if (fault === 'half') return controller.error(new TypeError('Network connection lost.'))
        await never(init?.signal).catch((reason) => controller.error(reason))
      },
    })
    return new Response(half, response)
  }
}

async function call(way: Approach, passes = Infinity, fault: Fault = 'cut') {
  const timeoutMs = passes !== Infinity && fault.endsWith('stall') ? TIMEOUT_MS : 20_000
  const io = { ...way.io, fetch: failing(way.io.fetch!, passes, fault) }
  const server = endpointBefore(way.url, { caps: { timeoutMs } }, io)
  const began = performance.now()
  const result = await resultOf(server, 'query_table', { table: 'orders', orderBy: ['id'] })
  expect(performance.now() - began).toBeLessThan(timeoutMs + MARGIN_MS)
  delete result.structuredContent?.elapsedMs
  return result
}

describe.each(byHttp)('%s', (_, { approach }) => {
  test('answers whole or says why, whichever request meets whichever fault', async () => {
    const way = await approach()
    const whole = await call(way)
    expect(whole.isError).toBeUndefined()
    const numbers = Array.from({ length: way.counts.trips }, (_, i) => i)
    const broken = numbers.flatMap((i) =>
      faults.map(async (fault) => call(await approach(), i, fault)),
    )
    const results = await Promise.all(broken)
    const failed = results.filter(({ isError }) => isError).map(({ content }) => content[0].text)
    for (const it of new Set(failed)) expect(it).toMatch(/^The [^\n]+\.(?:\nHint: [^\n]+\.)?$/)
    for (const it of results.filter(({ isError }) => !isError)) {
      expect(it.structuredContent).toEqual(whole.structuredContent)
    }
    expect(failed.length).toBeGreaterThan(results.length / 2)
  })
})
