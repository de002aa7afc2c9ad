import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Refusal } from '../../src/mcp/index.ts'
import type { Gateway } from '../../src/node/gateway.ts'
import { type ListenOptions, listen } from '../../src/node/listen.ts'
import { type NodeWorker, startNodeWorker } from '../support/node-worker.ts'
import { post } from '../support/worker.ts'

/** Sends raw bytes, and reads everything that comes back. */
const raw = (port: number, text: string) =>
  new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let said = ''
    socket.setEncoding('utf8').on('data', (chunk) => (said += chunk))
    // A server that has read enough may reset the connection.
    socket.on('error', () => {}).on('close', () => resolve(said))
  })

/** A Node server that answers requests with a function. */
async function serving(fetch: Gateway['fetch'], options: ListenOptions = {}) {
  const server = await listen({ fetch }, { port: 0, ...options })
  return { ...server, port: Number(new URL(server.url).port) }
}

describe('a request', () => {
  test('has the address of its socket, and headers count only behind a proxy', async () => {
    const seen: Gateway['fetch'] = async (request, from) =>
      Response.json([from?.address, new URL(request.url).origin])
    const headers = {
      'cf-connecting-ip': '192.0.2.1',
      'x-forwarded-for': '192.0.2.2, 192.0.2.3',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'mcp.example.com',
    }
    const open = await serving(seen)
    const behind = await serving(seen, { proxied: true, origins: ['https://mcp.example.com'] })
    const from = async (url: string) => (await fetch(url, { headers })).json()
    expect(await from(open.url)).toEqual(['127.0.0.1', open.url])
    expect(await from(behind.url)).toEqual(['192.0.2.3', 'https://mcp.example.com'])
    await Promise.all([open.close(), behind.close()])
  })

  test('is refused if it is not HTTP, or has an invalid host or path', async () => {
    let asked = 0
    const server = await serving(async () => Response.json(++asked))
    const status = async (text: string) => (await raw(server.port, text)).slice(9, 12)
    const end = 'Connection: close\r\n\r\n'
    const here = `Host: localhost:${server.port}\r\n`
    for (const [text, expected] of [
      ['nonsense\r\n\r\n', '400'],
      [`GET / HTTP/1.1\r\n${end}`, '400'],
      [`GET / HTTP/1.1\r\nHost: a:b@c\r\n${end}`, '400'],
      [`GET /a/../mcp HTTP/1.1\r\n${here}${end}`, '404'],
      [`GET /a/%2E%2e/mcp HTTP/1.1\r\n${here}${end}`, '404'],
      [`TRACE / HTTP/1.1\r\n${here}${end}`, '404'],
    ]) {
      expect([text!.slice(0, 60), await status(text!)]).toEqual([text!.slice(0, 60), expected])
    }
    const long = `GET / HTTP/1.1\r\n${here}X: ${'x'.repeat(200_000)}\r\n${end}`
    expect(await status(long)).toMatch(/^(?:431)?$/)
    expect(asked).toBe(0)
    await server.close()
  })

  test('throws a Refusal if its body is cut off', async () => {
    const thrown = Promise.withResolvers<unknown>()
    const server = await serving(async (request) => {
      await request.arrayBuffer().catch(thrown.resolve)
      return new Response()
    })
    const head = `POST / HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Length: 100\r\n\r\nhalf`
    const socket = connect(server.port, '127.0.0.1', () => socket.write(head))
    setTimeout(() => socket.destroy(), 50)
    expect(await thrown.promise).toBeInstanceOf(Refusal)
    await server.close()
  })

  test('is aborted when its client disconnects, and so is the stream of its response', async () => {
    const told = Promise.withResolvers<void>()
    const cancelled = Promise.withResolvers<void>()
    const server = await serving(async ({ signal }) => {
      signal.addEventListener('abort', () => told.resolve())
      const body = new ReadableStream({
        start: (it) => it.enqueue(new TextEncoder().encode('data: 1\n\n')),
        cancel: () => cancelled.resolve(),
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    })
    const leaving = new AbortController()
    const answer = await fetch(server.url, { signal: leaving.signal })
    const { value } = await answer.body!.getReader().read()
    expect(new TextDecoder().decode(value)).toBe('data: 1\n\n')
    leaving.abort()
    await Promise.all([told.promise, cancelled.promise])
    await server.close()
  })

  test('for a stream gets the response headers immediately, before the first message', async () => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>()
    const server = await serving(async () => {
      const body = new ReadableStream({
        async start(it) {
          await until
          it.enqueue(new TextEncoder().encode('data: 1\n\n'))
          it.close()
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    })
    // It resolves with the headers. The message is released only after that.
    const answer = await fetch(server.url)
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    release()
    expect(await answer.text()).toBe('data: 1\n\n')
    await server.close()
  })

  test('can be answered before its body has arrived, and a broken response is an error', async () => {
    const server = await serving(async (request) => {
      if (request.method === 'POST') return new Response('enough', { status: 413 })
      const failing = new ReadableStream({
        async start(it) {
          it.enqueue(new Uint8Array(10))
          await new Promise((resolve) => setTimeout(resolve, 20))
          it.error(new Error('The database is gone.'))
        },
      })
      return new Response(failing)
    })
    const head = `POST / HTTP/1.1\r\nHost: localhost:${server.port}\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\n`
    expect(await raw(server.port, `${head}x`)).toMatch(/^HTTP\/1\.1 413 [\s\S]*enough$/)
    await expect(fetch(server.url).then((it) => it.text())).rejects.toThrow()
    await server.close()
  })
})

test('a body that arrives too slowly gets status 408, and its connection is closed', async () => {
  const fetch: Gateway['fetch'] = async (request) => {
    await request.text().catch(() => {})
    return new Response('read')
  }
  const times = { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 50 }
  const server = await listen({ fetch }, { port: 0 }, times)
  const port = Number(new URL(server.url).port)
  const head = `POST / HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Length: 100\r\n\r\nhalf`
  // It resolves when the connection is closed.
  expect(await raw(port, head)).toMatch(/^HTTP\/1\.1 408 /)
  await server.close()
})

describe('the shutdown', () => {
  test('waits for running requests, and then aborts them', async () => {
    const stopped = Promise.withResolvers<void>()
    const server = await serving(async ({ url, signal }) => {
      if (url.endsWith('/quick')) {
        await new Promise((resolve) => setTimeout(resolve, 300))
        return new Response('done')
      }
      return new Promise(() => signal.addEventListener('abort', () => stopped.resolve()))
    })
    const quick = fetch(`${server.url}/quick`)
    const endless = fetch(`${server.url}/endless`).catch(() => 'closed')
    await new Promise((resolve) => setTimeout(resolve, 100))
    const closing = server.close()
    expect(await (await quick).text()).toBe('done')
    await stopped.promise
    expect(await endless).toBe('closed')
    await closing
    await expect(fetch(server.url)).rejects.toThrow()
  })
})

describe('the gateway', () => {
  let worker: NodeWorker
  beforeAll(async () => {
    worker = await startNodeWorker({ DATABASE_URL: 'postgres://reader:x@127.0.0.1/none' })
  })
  afterAll(() => worker.close())

  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

  test('serves no database without a key', async () => {
    const { status, text } = await post(`${worker.url}/mcp`, list)
    expect([status, text]).toEqual([503, expect.stringContaining('TIDEGATE_KEY')])
  })

  test('refuses requests with another host or origin, as in DNS rebinding', async () => {
    const port = new URL(worker.url).port
    const demo = await startNodeWorker({})
    const body = JSON.stringify(list)
    const head = (host: string, more = '') =>
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const at = async (text: string) =>
      (await raw(Number(new URL(demo.url).port), text)).slice(9, 12)
    expect(await at(head(`evil.example:${port}`))).toBe('403')
    expect(await at(head('localhost', 'Origin: http://evil.example\r\n'))).toBe('403')
    expect(await at(head('localhost'))).toBe('200')
    await demo.close()
  })
})
