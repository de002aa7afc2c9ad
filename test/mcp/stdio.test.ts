import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Client as ClientV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, test } from 'vitest'
import { limits, serveStdio, sessionLimits } from '../../src/mcp/index.ts'
import { server } from '../servers/stdio-server.ts'
import { LEGACY, type Message, meta } from '../support/mcp.ts'

const program = join(import.meta.dirname, '../servers/stdio-server.ts')
const spawned = { command: process.execPath, args: [program], stderr: 'inherit' as const }

/** A server on the other end of a pipe. */
function piped(options: Partial<Parameters<typeof serveStdio>[1]> = {}) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  // biome-ignore lint/suspicious/noExplicitAny: tests look at messages of every shape
  const said: any[] = []
  const waiting = new Set<() => void>()
  const write = (line: string) => {
    expect(line.endsWith('\n')).toBe(true)
    said.push(JSON.parse(line))
    for (const it of waiting) it()
  }
  const over = serveStdio({ input: readable, write }, { server, ...options })
  const bytes = (text: string | Uint8Array) =>
    writer.write(typeof text === 'string' ? new TextEncoder().encode(text) : text)
  return {
    said,
    bytes,
    send: (message: object) => bytes(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    /** Waits for a message. */
    // biome-ignore lint/suspicious/noExplicitAny: tests look at messages of every shape
    async heard(is: (message: any) => boolean): Promise<any> {
      for (;;) {
        const found = said.find(is)
        if (found) return found
        await new Promise<void>((resolve) => waiting.add(resolve))
      }
    },
    async end() {
      await writer.close()
      await over
    },
    over,
  }
}

const modern = ({ id = 1, method = 'tools/list', params = {} }: Message) => ({
  id,
  method,
  params: { ...params, _meta: { ...meta(), ...(params?._meta as object) } },
})
const call = (name: string, _meta: object = {}) => ({
  method: 'tools/call',
  params: { name, arguments: {}, _meta },
})
const initialize = (version = '2025-11-25', capabilities: object = {}) => ({
  id: 0,
  method: 'initialize',
  params: { protocolVersion: version, capabilities, clientInfo: { name: 't', version: '1' } },
})

describe('messages line by line', () => {
  test('are read however they are split, and answered by ID', async () => {
    const { bytes, heard, end, said } = piped()
    const line = `${JSON.stringify({ jsonrpc: '2.0', ...modern(call('count')) })}\r\n\n`
    for (const byte of new TextEncoder().encode(line)) await bytes(Uint8Array.of(byte))
    expect(await heard((it) => it.id === 1)).toMatchObject({
      result: { content: [{ text: 'counted\u2028to three' }] },
    })
    await end()
    expect(said).toHaveLength(1)
  })

  test.each([
    ['not JSON', 'hello\n', -32700],
    ['not a message', '{"a":1}\n', -32600],
    ['not UTF-8', Uint8Array.of(0x22, 0xff, 0x22, 0x0a), -32600],
    ['a long line', `"${'x'.repeat(limits.bodyBytes)}"\n`, -32600],
    ['deep nesting', `${'['.repeat(100_000)}\n`, -32600],
    ['a batch in the modern era', `[${JSON.stringify({ jsonrpc: '2.0', ...modern({}) })}]\n`, 0],
  ])('are refused if they are %s, and the next message is served', async (_, text, code) => {
    const { bytes, send, heard, end, said } = piped()
    await bytes(text)
    await send(modern({ id: 'next' }))
    expect(await heard((it) => it.id === 'next')).toMatchObject({
      result: { tools: [{}, {}, {}, {}] },
    })
    await end()
    if (code)
      expect(said).toContainEqual(
        expect.objectContaining({ error: { code, message: expect.any(String) } }),
      )
  })

  test('wait while the client does not read', async () => {
    let reads = () => {}
    const read = new Promise<void>((resolve) => {
      reads = resolve
    })
    let asked = 0
    async function* input() {
      for (; asked < 10_000; asked++) {
        yield new TextEncoder().encode('hello\n')
      }
    }
    const over = serveStdio({ input: input(), write: () => read }, { server })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(asked).toBeLessThan(1_000)
    reads()
    await over
    expect(asked).toBe(10_000)
  })
})

describe.each(LEGACY)('a client with %s', (version) => {
  test('opens a session with initialize, receives changes, and is asked a question', async () => {
    const { send, heard, end, said } = piped()
    await send(initialize(version, { elicitation: {} }))
    expect(await heard((it) => it.id === 0)).toMatchObject({ result: { protocolVersion: version } })
    await send({ method: 'notifications/initialized' })
    await send({ id: 1, ...call('change') })
    expect(await heard((it) => it.id === 1)).toMatchObject({
      result: { content: [{ text: 'changed' }] },
    })
    await heard((it) => it.method === 'notifications/tools/list_changed')
    await send({ id: 2, ...call('count', { progressToken: 'p' }) })
    // Some patterns treat U+2028 as the end of a line.
    expect(await heard((it) => it.id === 2)).toMatchObject({
      result: { content: [{ text: 'counted\u2028to three' }] },
    })
    expect(said.filter((it) => it.method === 'notifications/progress')).toHaveLength(3)
    if (version >= '2025-06-18') {
      await send({ id: 3, ...call('greet') })
      const question = await heard((it) => it.method === 'elicitation/create')
      await send({ id: question.id, result: { action: 'accept', content: { name: 'Ada' } } })
      expect(await heard((it) => it.id === 3)).toMatchObject({
        result: { content: [{ text: 'Hello, Ada' }] },
      })
    }
    await end()
  })

  test('gets no answer to a call that it cancels', async () => {
    const { send, heard, end, said } = piped()
    await send(initialize(version))
    await send({ method: 'notifications/initialized' })
    await send({ id: 1, ...call('wait') })
    await send({ method: 'notifications/cancelled', params: { requestId: 1 } })
    await send({ id: 2, method: 'ping' })
    await heard((it) => it.id === 2)
    await end()
    expect(said.filter((it) => it.id === 1)).toEqual([])
  })
})

test('without initialize, a legacy message is served on its own', async () => {
  const { send, heard, end } = piped()
  await send({ id: 1, method: 'tools/list' })
  expect(await heard((it) => it.id === 1)).toMatchObject({ result: { tools: [{}, {}, {}, {}] } })
  await end()
})

describe('a client in the modern era', () => {
  test('receives the changes that it listens to, until it cancels', async () => {
    const { send, heard, end, said } = piped()
    const notifications = { toolsListChanged: true }
    await send(modern({ id: 'ear', method: 'subscriptions/listen', params: { notifications } }))
    await heard((it) => it.method === 'notifications/subscriptions/acknowledged')
    await send(modern({ id: 1, ...call('change') }))
    const heardOf = (it: { method?: string }) => it.method === 'notifications/tools/list_changed'
    expect(await heard(heardOf)).toMatchObject({
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'ear' } },
    })
    await send({ method: 'notifications/cancelled', params: { requestId: 'ear' } })
    await send(modern({ id: 2, ...call('change') }))
    await heard((it) => it.id === 2)
    await end()
    expect(said.filter(heardOf)).toHaveLength(1)
    expect(said.filter((it) => it.id === 'ear')).toEqual([])
  })

  test('gets no answer to a call that it cancels', async () => {
    const { send, heard, end, said } = piped()
    await send(modern({ id: 1, ...call('wait') }))
    await send({ method: 'notifications/cancelled', params: { requestId: 1 } })
    await send(modern({ id: 2 }))
    await heard((it) => it.id === 2)
    await end()
    expect(said).toHaveLength(1)
  })

  test('gets an error when too much runs at once, and can still cancel', async () => {
    const { send, heard, end } = piped({ sessionLimits: { ...sessionLimits, calls: 2 } })
    for (const id of [1, 2, 3]) await send(modern({ id, ...call('wait') }))
    expect(await heard((it) => it.id === 3)).toMatchObject({
      error: { message: 'This server is already working on 2 requests: wait until one finishes.' },
    })
    await send({ method: 'notifications/cancelled', params: { requestId: 1 } })
    await send(modern({ id: 4 }))
    await heard((it) => it.id === 4 && it.result)
    await send({ method: 'notifications/cancelled', params: { requestId: 2 } })
    await end()
  })
})

describe('the end of the input', () => {
  test('ends subscriptions at once, and gives calls a moment', async () => {
    const { send, heard, end, said } = piped({ graceMs: 100 })
    await send(modern({ id: 'ear', method: 'subscriptions/listen', params: { notifications: {} } }))
    await heard((it) => it.method === 'notifications/subscriptions/acknowledged')
    await send(modern({ id: 1, ...call('wait') }))
    await end()
    expect(said.filter((it) => 'id' in it)).toEqual([])
  })

  test('can also come with a signal', async () => {
    const stop = new AbortController()
    const { send, heard, over } = piped({ signal: stop.signal, graceMs: 10 })
    await send(initialize())
    await heard((it) => it.id === 0)
    stop.abort()
    await over
  })
})

describe('as a program', () => {
  test('serves the official clients in both eras', async () => {
    for (const mode of ['legacy', 'auto'] as const) {
      const client = new ClientV2(
        { name: 'test', version: '1' },
        { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
      )
      client.setRequestHandler('elicitation/create', async () => ({
        action: 'accept',
        content: { name: 'Ada' },
      }))
      await client.connect(new StdioV2(spawned))
      expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy')
      expect((await client.listTools()).tools).toHaveLength(4)
      expect(await client.callTool({ name: 'greet', arguments: {} })).toMatchObject({
        content: [{ text: 'Hello, Ada' }],
      })
      await client.close()
    }
    const client = new ClientV1({ name: 'test', version: '1' })
    // biome-ignore lint/suspicious/noExplicitAny: its types do not know exactOptionalPropertyTypes
    await client.connect(new StdioV1(spawned) as any)
    expect((await client.listTools()).tools).toHaveLength(4)
    await client.close()
  })

  test('answers the requests that arrived before its input ended, and exits', async () => {
    const child = spawn(spawned.command, spawned.args, { stdio: ['pipe', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (piece) => {
      said += piece
    })
    child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', ...modern(call('count')) })}\n`)
    expect(await once(child, 'close')).toEqual([0, null])
    expect(JSON.parse(said)).toMatchObject({
      id: 1,
      result: { content: [{ text: 'counted\u2028to three' }] },
    })
  })
})
