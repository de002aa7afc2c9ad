import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import {
  type Context,
  elicit,
  InputRequired,
  limits,
  localChanges,
  memorySessions,
  memoryTasks,
  type Server,
  serve,
  sessionLimits,
  tool,
} from '../../../src/mcp/index.ts'
import { MODERN, meta, postOf, requestOf } from '../../support/mcp.ts'

/** The time limit on a call, to the millisecond. */

const MINUTE = 60_000

/** The time that a client has for a whole body. */
const BODY_MS = 100_000

const TASKS = 'io.modelcontextprotocol/tasks'

interface Running {
  readonly context: Context
  readonly finish: (text: string) => void
}

/** Resolves with the next call that runs. */
let begun = Promise.withResolvers<Running>()

const server: Server = {
  name: 'slow',
  version: '1.0.0',
  changes: localChanges(),
  tools: [
    tool({
      name: 'wait',
      description: 'Works until it is told to finish, whatever becomes of its signal.',
      input: z.object({ report: z.boolean().default(false) }),
      task: 'optional',
      run: ({ report }, context) =>
        new Promise((finish) => {
          if (report) context.progress(1)
          begun.resolve({ context, finish })
        }),
    }),
    tool({
      name: 'heed',
      description: 'Works until its signal aborts.',
      input: z.object({}),
      run: (_, context) =>
        new Promise((resolve) => {
          context.signal.addEventListener('abort', () => resolve('stopped'))
          begun.resolve({ context, finish: resolve })
        }),
    }),
    tool({
      name: 'at once',
      description: 'Waits for nothing.',
      input: z.object({}),
      run: async () => 'done',
    }),
    tool({
      name: 'ask',
      description: 'Asks for a name.',
      input: z.object({}),
      run(_, context) {
        const answer = elicit(context, 'name', 'Who?', z.object({ name: z.string() }))
        return answer instanceof InputRequired ? answer : `Hello, ${answer?.name}`
      },
    }),
  ],
}

beforeEach(() => {
  begun = Promise.withResolvers()
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  })
})
afterEach(() => vi.useRealTimers())

const stream = { accept: 'text/event-stream' }
const withHeaders = (request: Request, headers: Record<string, string>) => {
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
  return request
}
const callOf = (version: string, name: string, given: object = {}, _meta: object = {}) =>
  requestOf(version, { method: 'tools/call', params: { name, arguments: given, _meta } })

async function session(callMs = limits.callMs) {
  const sessions = memorySessions(() => server, { ...sessionLimits, callMs })
  const send = (request: Request) => serve(request, { server, sessions })
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } }
  const opened = await send(requestOf('2025-11-25', { method: 'initialize', params }))
  const named = { 'mcp-session-id': opened.headers.get('mcp-session-id')! }
  return (request: Request) => send(withHeaders(request, named))
}

const places = {
  'in the modern era': async (callMs = limits.callMs) => ({
    version: MODERN,
    send: (request: Request) => serve(request, { server, limits: { ...limits, callMs } }),
  }),
  'in the legacy era without a session': async (callMs = limits.callMs) => ({
    version: '2025-11-25',
    send: (request: Request) => serve(request, { server, limits: { ...limits, callMs } }),
  }),
  'in a session': async (callMs = limits.callMs) => ({
    version: '2025-11-25',
    send: await session(callMs),
  }),
}

const error = {
  code: -32603,
  message: 'This took longer than 120 seconds and was stopped: ask for less at once.',
}

describe.each(Object.entries(places))('a call %s', (_, open) => {
  test.each(['wait', 'heed'])(
    'is stopped when its time is up and not before (%s)',
    async (name) => {
      const { version, send } = await open()
      const timers = vi.getTimerCount()
      let response: Response | undefined
      const answering = send(callOf(version, name)).then((it) => {
        response = it
      })
      const { context } = await begun.promise
      await vi.advanceTimersByTimeAsync(limits.callMs - 1)
      expect(context.signal.aborted).toBe(false)
      expect(response).toBeUndefined()
      await vi.advanceTimersByTimeAsync(1)
      expect(context.signal.aborted).toBe(true)
      await answering
      expect(await response!.json()).toEqual({ jsonrpc: '2.0', id: 1, error })
      expect(vi.getTimerCount()).toBe(timers)
    },
  )

  test('that was stopped has an aborted signal with the reason', async () => {
    const { version, send } = await open()
    const answering = send(callOf(version, 'wait'))
    const { context } = await begun.promise
    await vi.advanceTimersByTimeAsync(limits.callMs)
    await answering
    expect(context.signal.aborted).toBe(true)
    expect(context.signal.reason.message).toBe(error.message)
  })

  test('that waits for nothing sets only the timer for its body, which is cleared', async () => {
    const { version, send } = await open()
    const timers = vi.getTimerCount()
    const set = vi.spyOn(globalThis, 'setTimeout')
    const response = await send(callOf(version, 'at once'))
    expect(await response.text()).toContain('done')
    expect(set.mock.calls.map(([, ms]) => ms)).toEqual([BODY_MS])
    expect(vi.getTimerCount()).toBe(timers)
  })

  test('that has a stream ends it with the error', async () => {
    const { version, send } = await open()
    const timers = vi.getTimerCount()
    const call = callOf(version, 'wait', { report: true }, { progressToken: 't' })
    const text = send(withHeaders(call, stream)).then((it) => it.text())
    await begun.promise
    await vi.advanceTimersByTimeAsync(limits.callMs)
    const events = (await text).split('\n').filter((it) => it.startsWith('data: {'))
    expect(JSON.parse(events.at(-1)!.slice(6))).toEqual({ jsonrpc: '2.0', id: 1, error })
    expect(vi.getTimerCount()).toBe(timers)
  })

  test('sends nothing more once it was stopped, and leaves nothing open', async () => {
    const { version, send } = await open()
    const timers = vi.getTimerCount()
    const response = send(callOf(version, 'wait', {}, { progressToken: 't' }))
    const { context, finish } = await begun.promise
    await vi.advanceTimersByTimeAsync(limits.callMs)
    context.progress(1)
    context.disconnect()
    finish('too late')
    expect(await (await response).json()).toMatchObject({ error })
    expect(vi.getTimerCount()).toBe(timers)
  })

  test('can take only as long as the server allows', async () => {
    const { version, send } = await open(50)
    const response = send(callOf(version, 'wait'))
    await begun.promise
    await vi.advanceTimersByTimeAsync(50)
    expect((await (await response).json()) as object).toMatchObject({ error: { code: -32603 } })
  })

  test('has unlimited time if the server says so', async () => {
    const { version, send } = await open(Number.POSITIVE_INFINITY)
    const response = send(callOf(version, 'wait'))
    const { finish } = await begun.promise
    await vi.advanceTimersByTimeAsync(24 * 60 * MINUTE)
    finish('done')
    expect(await (await response).text()).toContain('done')
  })
})

test('a call that was stopped in a session adds nothing to its stream afterwards', async () => {
  const send = await session()
  const call = callOf('2025-11-25', 'wait', { report: true }, { progressToken: 't' })
  const response = send(withHeaders(call, stream))
  const { context } = await begun.promise
  await vi.advanceTimersByTimeAsync(limits.callMs)
  const [first] = /(?<=id: )\S+/.exec(await (await response).text())!
  context.progress(2)
  const headers = { ...stream, 'last-event-id': first }
  const rest = await (await send(new Request('http://127.0.0.1/mcp', { headers }))).text()
  const messages = [...rest.matchAll(/^data: (\{.*)$/gm)].map(([, it]) => JSON.parse(it!))
  expect(messages).toMatchObject([{ params: { progress: 1 } }, { error }])
})

test('a handler that reports progress after it has returned leaves no stream open', async () => {
  const response = serve(callOf(MODERN, 'wait', {}, { progressToken: 't' }), { server })
  const { context, finish } = await begun.promise
  finish('done')
  await response
  context.progress(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('no call is stopped because of the time that a client takes to answer', async () => {
  const send = await session()
  const response = await send(withHeaders(callOf('2025-11-25', 'ask'), stream))
  const events = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (what: RegExp) => {
    while (!what.test(text)) text += (await events.read()).value
    return what.exec(text)![1]
  }
  const id = await until(/"id":"([^"]+)","method":"elicitation\/create"/)
  await vi.advanceTimersByTimeAsync(10 * MINUTE)
  const result = { action: 'accept', content: { name: 'Ada' } }
  await send(postOf({ jsonrpc: '2.0', id, result }))
  await until(/(Hello, Ada)/)
})

test('no subscription is stopped', async () => {
  const params = { notifications: { toolsListChanged: true } }
  const request = withHeaders(requestOf(MODERN, { method: 'subscriptions/listen', params }), stream)
  const events = (await serve(request, { server })).body!.getReader()
  await events.read()
  await vi.advanceTimersByTimeAsync(10 * MINUTE)
  await server.changes!.publish({ kind: 'tools' })
  let text = ''
  while (!text.includes('list_changed')) {
    const { done, value } = await events.read()
    expect(done).toBe(false)
    text += new TextDecoder().decode(value)
  }
  await events.cancel()
})

test('no task is stopped', async () => {
  const tasks = memoryTasks(() => server)
  const _meta = {
    ...meta(),
    'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
  }
  const request = callOf(MODERN, 'wait', {}, _meta)
  const { result } = (await (await serve(request, { server, tasks })).json()) as {
    result: { taskId: string }
  }
  const { context, finish } = await begun.promise
  await vi.advanceTimersByTimeAsync(10 * MINUTE)
  expect(context.signal.aborted).toBe(false)
  finish('at last')
  const { taskId } = result
  const asked = requestOf(MODERN, { method: 'tasks/get', params: { taskId, _meta } })
  asked.headers.set('mcp-name', taskId)
  expect(await (await serve(asked, { server, tasks })).text()).toContain('at last')
})
