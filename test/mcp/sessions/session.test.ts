import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import {
  type Context,
  elicit,
  InputRequired,
  localChanges,
  memorySessions,
  type Server,
  serve,
  sessionLimits,
  tool,
} from '../../../src/mcp/index.ts'
import { Session } from '../../../src/mcp/sessions/session.ts'
import { sealWith } from '../../../src/mcp/state/seal.ts'
import { LEGACY, postOf } from '../../support/mcp.ts'

/** Sessions through the front door, in memory. test/workers tests the same in Durable Objects. */

const contexts: Context[] = []
const server: Server = {
  name: 'asker',
  version: '1.0.0',
  logs: true,
  changes: localChanges(),
  resources: [{ uri: 'test://watched', name: 'watched', read: () => 'text' }],
  tools: [
    tool({
      name: 'greet',
      description: 'Asks for a name and greets.',
      input: z.object({}),
      run(_, context) {
        const answer = elicit(context, 'name', 'Who are you?', z.object({ name: z.string() }))
        if (answer instanceof InputRequired) return answer
        return `Hello, ${answer?.name ?? 'stranger'}`
      },
    }),
    tool({
      name: 'pester',
      description: 'Asks for ever.',
      input: z.object({}),
      run: (_, context) =>
        elicit(context, crypto.randomUUID(), 'Again?', z.object({ name: z.string() })),
    }),
    tool({
      name: 'wait',
      description: 'Waits until it is stopped.',
      input: z.object({}),
      run(_, context) {
        contexts.push(context)
        context.progress(0)
        return new Promise((resolve) =>
          context.signal.addEventListener('abort', () => resolve('stopped')),
        )
      },
    }),
    tool({
      name: 'speak',
      description: 'Logs at three levels.',
      input: z.object({}),
      run(_, { log }) {
        for (const level of ['debug', 'info', 'error'] as const) log(level, level)
        return 'spoken'
      },
    }),
    tool({
      name: 'part',
      description: 'Closes the connection and answers later.',
      input: z.object({}),
      async run(_, { disconnect }) {
        disconnect()
        await new Promise((resolve) => setTimeout(resolve, 20))
        return 'later'
      },
    }),
  ],
}

/** The server's current view. */
let view: string | undefined
let sessions = memorySessions(() => ({ ...server, view }))
beforeEach(() => {
  view = undefined
  sessions = memorySessions(() => ({ ...server, view }))
  contexts.length = 0
})
afterEach(() => vi.useRealTimers())

const send = (request: Request, subject?: string) =>
  serve(request, { server, sessions, ...(subject && { caller: { subject, scopes: [] } }) })

// biome-ignore lint/suspicious/noExplicitAny: tests look at messages of every shape
const json = (response: Response): Promise<any> => response.json()

interface Client {
  readonly id: string
  post(message: object, headers?: Record<string, string>): Promise<Response>
  get(headers?: Record<string, string>): Promise<Response>
  call(name: string, id?: number | string, meta?: object): Promise<Response>
}

async function open(
  version = '2025-11-25',
  capabilities: object = { elicitation: {} },
): Promise<Client> {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: 't', version: '1' } }
  const response = await send(postOf({ jsonrpc: '2.0', id: 1, method: 'initialize', params }))
  expect(await json(response)).toMatchObject({ result: { protocolVersion: version } })
  const id = response.headers.get('mcp-session-id')!
  const named = { 'mcp-session-id': id, 'mcp-protocol-version': version }
  const client: Client = {
    id,
    post: (message, headers) =>
      send(postOf({ jsonrpc: '2.0', ...message }, { ...named, ...headers })),
    get: (headers) =>
      send(
        new Request('http://127.0.0.1/mcp', {
          headers: { accept: 'text/event-stream', ...named, ...headers },
        }),
      ),
    call: (name, callId = 2, _meta = {}) =>
      client.post({ id: callId, method: 'tools/call', params: { name, arguments: {}, _meta } }),
  }
  await client.post({ method: 'notifications/initialized' })
  return client
}

interface Event {
  readonly id: string | undefined
  readonly retry: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: tests look at messages of every shape
  readonly message: any
}

/** Reads a stream event by event. */
function reader(response: Response) {
  expect(response.headers.get('content-type')).toMatch('text/event-stream')
  const source = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    async next(): Promise<Event | undefined> {
      while (!text.includes('\n\n')) {
        const { done, value } = await source.read()
        if (done) return undefined
        text += value
      }
      const [block = '', ...rest] = text.split('\n\n')
      text = rest.join('\n\n')
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
      const data = field('data')
      return {
        id: field('id'),
        retry: field('retry'),
        message: data ? JSON.parse(data) : undefined,
      }
    },
    cancel: () => source.cancel(),
  }
}

async function all(response: Response): Promise<Event[]> {
  const stream = reader(response)
  const events: Event[] = []
  for (let event = await stream.next(); event; event = await stream.next()) events.push(event)
  return events
}

describe.each(LEGACY)('a session in %s', (version) => {
  test('asks the client, accepts the answer in another request, and responds', async () => {
    const client = await open(version)
    const stream = reader(await client.call('greet'))
    let event = await stream.next()
    if (version === '2025-11-25') {
      expect(event).toMatchObject({ retry: '1000', message: undefined })
      event = await stream.next()
    }
    expect(event?.message).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Who are you?' },
    })
    const answer = { id: event!.message.id, result: { action: 'accept', content: { name: 'Ada' } } }
    const taken = await client.post(answer)
    expect([taken.status, await taken.text()]).toEqual([202, ''])
    expect((await stream.next())?.message).toMatchObject({
      id: 2,
      result: { content: [{ text: 'Hello, Ada' }] },
    })
    expect(await stream.next()).toBeUndefined()
  })

  test('responds with plain JSON if no stream is needed', async () => {
    const client = await open(version)
    const response = await client.post({ id: 5, method: 'tools/list' })
    expect(response.headers.get('content-type')).toMatch('application/json')
    expect((await json(response)).result.tools).toHaveLength(5)
  })

  test('logs from the level that the client set', async () => {
    const client = await open(version)
    expect((await client.call('speak')).headers.get('content-type')).toMatch('application/json')
    const set = await client.post({ id: 3, method: 'logging/setLevel', params: { level: 'info' } })
    expect((await json(set)).result).toEqual({})
    const said = (await all(await client.call('speak'))).flatMap(
      ({ message }) => message?.params?.data ?? [],
    )
    expect(said).toEqual(['info', 'error'])
  })
})

test('a client that declines, fails or answers wrongly is not asked forever', async () => {
  for (const reply of [{ result: { action: 'decline' } }, { error: { code: -1, message: 'no' } }]) {
    const client = await open()
    const stream = reader(await client.call('greet'))
    await stream.next()
    const { message } = (await stream.next())!
    await client.post({ id: message.id, ...reply })
    expect((await stream.next())?.message.result.content[0].text).toBe('Hello, stranger')
  }
  const client = await open()
  const stream = reader(await client.call('pester'))
  await stream.next()
  for (let round = 0; round < 8; round++) {
    const { message } = (await stream.next())!
    await client.post({ id: message.id, result: { action: 'accept', content: {} } })
  }
  expect((await stream.next())?.message.error.message).toContain('too many times')
})

test('a client is asked only the kinds of questions that it declared', async () => {
  for (const capabilities of [{}, { elicitation: { url: {} } }]) {
    const client = await open('2025-11-25', capabilities)
    const { error } = await json(await client.call('greet'))
    expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('elicitation') })
  }
})

test('a client that reads no streams gets an error instead of a question', async () => {
  const client = await open()
  const call = { id: 2, method: 'tools/call', params: { name: 'greet' } }
  const { error } = await json(await client.post(call, { accept: 'application/json' }))
  expect(error.message).toContain('text/event-stream')
})

test('an answer to no question is accepted and ignored', async () => {
  const client = await open()
  expect((await client.post({ id: 'made-up', result: {} })).status).toBe(202)
  expect((await client.post({ id: 'constructor', result: {} })).status).toBe(202)
})

test('a cancelled call stops and gets no response', async () => {
  const client = await open()
  const stream = reader(await client.call('wait', 'x', { progressToken: 1 }))
  await stream.next()
  await stream.next()
  await client.post({ method: 'notifications/cancelled', params: { requestId: 'x' } })
  expect(contexts[0]?.signal.aborted).toBe(true)
  expect(await stream.next()).toBeUndefined()
})

test('a cancelled call that waits for an answer ends without a response', async () => {
  const client = await open()
  const stream = reader(await client.call('greet', 9))
  await stream.next()
  await stream.next()
  await client.post({ method: 'notifications/cancelled', params: { requestId: '9' } })
  await client.post({ method: 'notifications/cancelled', params: { requestId: 9 } })
  expect(await stream.next()).toBeUndefined()
})

test('a broken connection cancels nothing, and the client can resume its stream', async () => {
  const client = await open()
  const stream = reader(await client.call('greet'))
  const primer = (await stream.next())!
  const question = (await stream.next())!
  await stream.cancel()

  const resumed = reader(await client.get({ 'last-event-id': primer.id! }))
  // If it were cut off here, the client would resume at the same place.
  expect(await resumed.next()).toEqual(primer)
  expect(await resumed.next()).toEqual({ ...question, retry: undefined })
  await client.post({
    id: question.message.id,
    result: { action: 'accept', content: { name: 'Bo' } },
  })
  expect((await resumed.next())?.message.result.content[0].text).toBe('Hello, Bo')
  expect(await resumed.next()).toBeUndefined()

  const again = (await all(await client.get({ 'last-event-id': question.id! }))).filter(
    ({ message }) => message,
  )
  expect(again.map(({ message }) => message.id)).toEqual([2])
})

test('a tool can close the connection, and a resumed stream has its result', async () => {
  const client = await open()
  const events = await all(await client.call('part'))
  expect(events).toEqual([{ id: expect.any(String), retry: '1000', message: undefined }])
  const later = await all(await client.get({ 'last-event-id': events[0]!.id! }))
  expect(later.at(-1)?.message.result.content[0].text).toBe('later')
})

test('a client whose rights have changed cannot read earlier messages', async () => {
  const answered = await open()
  const before = await all(await answered.call('part'))
  await all(await answered.get({ 'last-event-id': before[0]!.id! }))
  const working = await open()
  const [primer] = await all(await working.call('part'))
  view = 'after'
  for (const [client, id] of [
    [answered, before[0]!.id!],
    [working, primer!.id!],
  ] as const) {
    const ping = await json(await client.post({ id: 3, method: 'ping' }))
    expect(ping).toMatchObject({ id: 3, result: {} })
    await new Promise((resolve) => setTimeout(resolve, 40))
    expect((await client.get({ 'last-event-id': id })).status).toBe(405)
  }
})

test('a separate stream receives subscribed changes only, and once', async () => {
  const client = await open()
  const first = reader(await client.get())
  const second = reader(await client.get())
  await first.next()
  await second.next()
  await client.post({ id: 1, method: 'resources/subscribe', params: { uri: 'test://watched' } })
  await server.changes!.publish({ kind: 'resource', uri: 'test://other' })
  await server.changes!.publish({ kind: 'resource', uri: 'test://watched' })
  await server.changes!.publish({ kind: 'tools' })
  expect((await second.next())?.message).toMatchObject({
    method: 'notifications/resources/updated',
    params: { uri: 'test://watched' },
  })
  expect((await second.next())?.message.method).toBe('notifications/tools/list_changed')
  await client.post({ id: 1, method: 'resources/unsubscribe', params: { uri: 'test://watched' } })
  await server.changes!.publish({ kind: 'resource', uri: 'test://watched' })
  await server.changes!.publish({ kind: 'prompts' })
  expect((await second.next())?.message.method).toBe('notifications/prompts/list_changed')
  await second.cancel()
  await server.changes!.publish({ kind: 'resources' })
  expect((await first.next())?.message.method).toBe('notifications/resources/list_changed')
  await first.cancel()
})

test('a session ends on DELETE, shutdown and session/end, and is then not found', async () => {
  const ends: ((client: Client) => Promise<Response>)[] = [
    (client) =>
      send(
        new Request('http://127.0.0.1/mcp', {
          method: 'DELETE',
          headers: { 'mcp-session-id': client.id },
        }),
      ),
    (client) => client.post({ id: 1, method: 'shutdown' }),
    (client) => client.post({ method: 'session/end' }),
  ]
  for (const end of ends) {
    const client = await open()
    const stream = await client.get()
    expect((await end(client)).ok).toBe(true)
    await stream.text()
    for (const response of [
      await client.post({ id: 1, method: 'ping' }),
      await client.get(),
      await end(client),
    ]) {
      expect(response.status).toBe(404)
      expect((await json(response)).error.message).toContain('initialize')
    }
  }
})

test('an invented, changed or foreign ID reaches no session', async () => {
  const { id } = await open()
  const [name, signature] = id.split('.')
  const others = [
    'x',
    name!,
    `${name}.`,
    `${name}.x`,
    `x${name}.${signature}`,
    `${'0'.repeat(32)}.${signature}`,
  ]
  for (const other of others) {
    const response = await send(
      postOf({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': other }),
    )
    expect(response.status).toBe(404)
  }
  expect(
    (
      await send(
        postOf({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': id }),
        'somebody',
      )
    ).status,
  ).toBe(404)
  expect(id).toMatch(/^[\x21-\x7e]+$/)
})

test('a batch whose requests share an ID gets a response to each', async () => {
  const client = await open('2025-03-26')
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const named = { 'mcp-session-id': client.id, 'mcp-protocol-version': '2025-03-26' }
  expect(await json(await send(postOf([list, list], named)))).toHaveLength(2)
})

test('a request that names no session is served without one', async () => {
  await open()
  const response = await send(postOf({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
  expect((await json(response)).result.tools).toHaveLength(5)
  const { error } = await json(
    await send(postOf({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'greet' } })),
  )
  expect(error.message).toContain('session')
})

test('an initialize request without a version opens no session', async () => {
  const response = await send(postOf({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }))
  expect(response.headers.get('mcp-session-id')).toBeNull()
  expect((await json(response)).error.code).toBe(-32602)
})

test('an unanswered question ends its call, and an idle session ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  sessions = memorySessions(() => server, { ...sessionLimits, answerMs: 60_000, idleMs: 3_600_000 })
  const client = await open()
  const stream = reader(await client.call('greet'))
  await stream.next()
  await stream.next()
  await vi.advanceTimersByTimeAsync(61_000)
  expect((await stream.next())?.message.error.message).toContain('in time')
  expect((await client.post({ id: 1, method: 'ping' })).status).toBe(200)
  await vi.advanceTimersByTimeAsync(2 * 3_600_000)
  expect((await client.get()).status).toBe(405)
})

test.each(LEGACY)('a forgotten session is served without its state, in %s', async (version) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const client = await open(version)
  await vi.advanceTimersByTimeAsync(31 * 24 * 3_600_000)
  const ask = async (method: string, params: object = {}) =>
    json(await client.post({ id: 7, method, params }))

  expect((await ask('tools/list')).result.tools).toHaveLength(5)
  expect((await json(await client.call('speak'))).result.content[0].text).toBe('spoken')
  expect((await ask('resources/read', { uri: 'test://watched' })).result.contents).toHaveLength(1)
  expect((await ask('ping')).result).toEqual({})
  for (const taken of [
    { method: 'notifications/initialized' },
    { method: 'notifications/cancelled', params: { requestId: 7 } },
    { id: 'asked-before', result: { action: 'accept', content: {} } },
  ]) {
    expect((await client.post(taken)).status).toBe(202)
  }

  // Requests that need a session are refused with an error that clients understand.
  expect((await json(await client.call('greet'))).error.message).toContain('session')
  expect((await ask('resources/subscribe', { uri: 'test://watched' })).error.code).toBe(-32601)
  const stream = await client.get({ 'last-event-id': 'g00000000-1' })
  expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  expect([...stream.headers].filter(([name]) => name.startsWith('x-'))).toEqual([])
})

test('a forgotten session can still be ended', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const client = await open()
  await vi.advanceTimersByTimeAsync(31 * 24 * 3_600_000)
  const headers = { 'mcp-session-id': client.id }
  const end = () => send(new Request('http://127.0.0.1/mcp', { method: 'DELETE', headers }))
  expect((await end()).status).toBe(204)
  for (const late of [
    await end(),
    await client.get(),
    await client.post({ id: 1, method: 'ping' }),
  ])
    expect(late.status).toBe(404)
})

test('a session in use does not end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  sessions = memorySessions(() => server, { ...sessionLimits, idleMs: 3_600_000 })
  const client = await open()
  for (let i = 0; i < 5; i++) {
    await vi.advanceTimersByTimeAsync(3_000_000)
    expect((await client.post({ id: 1, method: 'ping' })).status).toBe(200)
  }
})

test('requests that share an ID are counted separately, and cancelled together', async () => {
  sessions = memorySessions(() => server, { ...sessionLimits, calls: 2 })
  const client = await open()
  const waiting = await Promise.all(
    [1, 2].map((token) => client.call('wait', 7, { progressToken: token })),
  )
  expect((await json(await client.call('speak', 7))).error.message).toContain('already working on')
  await client.post({ method: 'notifications/cancelled', params: { requestId: 7 } })
  await Promise.all(waiting.map((it) => it.text()))
  expect((await json(await client.call('speak', 7))).error).toBeUndefined()
})

test('a session limits calls, streams, subscriptions and stored events', async () => {
  sessions = memorySessions(() => server, {
    ...sessionLimits,
    ...{ calls: 2, streams: 2, subscriptions: 2 },
    kept: { events: 3, bytes: 10_000, ageMs: 60_000 },
  })
  const client = await open()
  const waiting = await Promise.all(
    [1, 2].map((id) => client.call('wait', id, { progressToken: id })),
  )
  expect((await json(await client.call('speak', 3))).error.message).toContain('already working on')
  for (const id of [1, 2])
    await client.post({ method: 'notifications/cancelled', params: { requestId: id } })
  await Promise.all(waiting.map((it) => it.text()))

  const subscribe = async (uri: string) =>
    json(await client.post({ id: 1, method: 'resources/subscribe', params: { uri } }))
  await subscribe('a:1')
  await subscribe('a:2')
  await subscribe('a:2')
  expect((await subscribe('a:3')).error.message).toContain('at most 2')

  const streams = [await client.get(), await client.get(), await client.get()]
  await streams[0]!.text() // the oldest was closed
  const newest = reader(streams[2]!)
  const { id } = (await newest.next())!
  for (let i = 0; i < 5; i++) await server.changes!.publish({ kind: 'tools' })
  await newest.cancel()
  const kept = await client.get({ 'last-event-id': id! })
  const again = reader(kept)
  await again.next()
  for (let i = 0; i < 3; i++) expect((await again.next())?.message?.method).toMatch('list_changed')
  await Promise.all([again.cancel(), streams[1]!.body?.cancel()])
})

test('an object stores nothing for a call that asks no question', async () => {
  const values = new Map<string, unknown>()
  const written: string[] = []
  const session = new Session({
    storage: {
      get: <T>(key: string) => values.get(key) as T | undefined,
      put: (key, value) => {
        written.push(`put ${key}`)
        values.set(key, value)
      },
      delete: (key) => written.push(`delete ${key}`),
      list: () => [],
    },
    limits: sessionLimits,
    listeners: () => [],
    wakeAt: () => {},
    clear: async () => {},
  })
  const send = async (message: object) => {
    const accept = { json: true, stream: true }
    const own = { request: postOf({ jsonrpc: '2.0', ...message }), caller: undefined }
    const place = { server, accept, seal: sealWith(), callMs: sessionLimits.callMs }
    return (await session.fetch({ ...own, ...place })).json()
  }
  const params = { protocolVersion: '2025-11-25', capabilities: {} }
  await send({ id: 1, method: 'initialize', params })
  expect(written).toEqual(['put session'])
  const call = { name: 'wrong', arguments: {} }
  expect(await send({ id: 2, method: 'tools/call', params: call })).toMatchObject({ id: 2 })
  expect(await send({ id: 3, method: 'tools/list' })).toMatchObject({ id: 3 })
  expect(written).toEqual(['put session'])
})
