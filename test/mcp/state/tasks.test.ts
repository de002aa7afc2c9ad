import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestHarness, type TestHarness } from 'wrangler'
import * as z from 'zod'
import {
  type Caller,
  type Context,
  elicit,
  InputRequired,
  listRoots,
  memorySessions,
  memoryTasks,
  type Server,
  serve,
  type Tasks,
  ToolError,
  taskLimits,
  together,
  tool,
} from '../../../src/mcp/index.ts'
import { LEGACY, MODERN, meta, postOf, requestOf } from '../../support/mcp.ts'

/** SEP-2663 through the front door, in memory, and then behavior that only Durable Objects show. */

const TASKS = 'io.modelcontextprotocol/tasks'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const able = { elicitation: {}, extensions: { [TASKS]: {} } }

/** The contexts of waiting tools, with the function that lets each finish. */
const waiting: { context: Context; resolve: (value: string) => void }[] = []
const nothing = z.object({})
const askFor = (context: Context, key: string) =>
  elicit(context, key, `Your ${key}?`, z.object({ text: z.string() }))

const server: Server = {
  name: 'worker',
  version: '1.0.0',
  logs: true,
  tools: [
    tool({
      name: 'plain',
      description: 'Answers.',
      input: nothing,
      run: () => 'plain',
    }),
    tool({
      name: 'double',
      description: 'Doubles a number.',
      input: z.object({ n: z.number() }),
      output: z.object({ doubled: z.number() }),
      task: 'optional',
      run: ({ n }) => ({ doubled: n * 2 }),
    }),
    tool({
      name: 'long',
      description: 'Says a lot.',
      input: z.object({ length: z.int() }),
      task: 'required',
      run: ({ length }) => 'é'.repeat(length),
    }),
    tool({
      name: 'explain',
      description: 'Asks at length, and then in short.',
      input: z.object({ length: z.int() }),
      task: 'optional',
      run({ length }, context) {
        const form = z.object({ text: z.string() })
        const agree = elicit(context, 'agree', 'é'.repeat(length), form)
        return agree instanceof InputRequired ? agree : askFor(context, 'really')
      },
    }),
    tool({
      name: 'wait',
      description: 'Waits until it is let go.',
      input: nothing,
      task: 'required',
      run: (_, context) => new Promise((resolve) => waiting.push({ context, resolve })),
    }),
    tool({
      name: 'fail',
      description: 'Fails as its input says.',
      input: z.object({ how: z.enum(['tool', 'stranger', 'protocol']) }),
      task: 'optional',
      run({ how }, context) {
        if (how === 'tool') throw new ToolError('No such row.')
        if (how === 'stranger') throw new Error('postgres://user:secret@host')
        return listRoots(context, 'roots')
      },
    }),
    tool({
      name: 'greet',
      description: 'Asks for two things at once, and then a third.',
      input: nothing,
      task: 'optional',
      run(_, context) {
        const names = together(askFor(context, 'name'), askFor(context, 'town'))
        if (names instanceof InputRequired) return names
        const mood = askFor(context, 'mood')
        if (mood instanceof InputRequired) return mood
        return [...names, mood].map((it) => it?.text ?? 'nothing').join(', ')
      },
    }),
    tool({
      name: 'pester',
      description: 'Asks the same for ever.',
      input: nothing,
      task: 'optional',
      run(_, { answers, ...context }) {
        return askFor({ ...context, answers: {} }, 'name')
      },
    }),
    tool({
      name: 'first',
      description: 'Asks before it becomes a task.',
      input: nothing,
      task: 'required',
      ask: (_, context) => askFor(context, 'name'),
      run(_, context) {
        const name = askFor(context, 'name')
        return name instanceof InputRequired ? name : `For ${name?.text}.`
      },
    }),
  ],
}

/** The number of servers that the task store built, one for each run. */
let built = 0
let tasks: Tasks
beforeEach(() => {
  built = 0
  waiting.length = 0
  tasks = memoryTasks(() => {
    built++
    return server
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

interface Sent {
  readonly capabilities?: object
  readonly caller?: Caller
  readonly options?: object
  readonly headers?: Record<string, string>
  readonly path?: string
}

function requestTo(
  method: string,
  params: object,
  { capabilities = able, headers = {}, path = '/mcp' }: Sent,
) {
  const { name, taskId } = params as { name?: string; taskId?: string }
  const named = name ?? taskId
  const made = postOf(
    {
      ...{ jsonrpc: '2.0', id: 1, method },
      params: { ...params, _meta: { ...meta(), [CAPABILITIES]: capabilities } },
    },
    {
      ...{ 'mcp-protocol-version': MODERN, 'mcp-method': method },
      ...(typeof named === 'string' && { 'mcp-name': named }),
      ...headers,
    },
  )
  return new Request(new URL(path, made.url), made)
}

async function ask(method: string, params: object = {}, sent: Sent = {}) {
  const { caller, options } = sent
  const response = await serve(requestTo(method, params, sent), {
    ...{ server, tasks, caller },
    ...options,
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look at messages of every shape
  const body = (await response.json()) as any
  return { status: response.status, ...body }
}

const call = (name: string, given: object = {}, sent?: Sent) =>
  ask('tools/call', { name, arguments: given }, sent)

async function begin(name: string, given?: object, sent?: Sent): Promise<string> {
  const { result } = await call(name, given, sent)
  expect(result).toMatchObject({ resultType: 'task', status: 'working' })
  return result.taskId
}

const get = async (taskId: string) => (await ask('tasks/get', { taskId })).result
const update = (taskId: string, inputResponses: object) =>
  ask('tasks/update', { taskId, inputResponses })
const accept = (text: string) => ({ action: 'accept', content: { text } })
const firstText = (result: { content: { text: string }[] }) => result.content[0]!.text

describe('a tool call as a task', () => {
  test('returns a task, which ends with the result that the call would have had', async () => {
    const plain = await call('double', { n: 4 }, { capabilities: {} })
    const { result: begun } = await call('double', { n: 4 })
    expect(begun).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(/^[0-9a-f]{32}\.[\w-]{22}$/),
      status: 'working',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      lastUpdatedAt: begun.createdAt,
      ttlMs: taskLimits.ttlMs,
      pollIntervalMs: taskLimits.pollIntervalMs,
      _meta: plain.result._meta,
    })
    const { _meta, ...result } = plain.result
    expect(await get(begun.taskId)).toEqual({
      ...begun,
      ...{ resultType: 'complete', status: 'completed', result },
      lastUpdatedAt: expect.any(String),
    })
  })

  test('runs while its client does other things, and reports its progress', async () => {
    const id = await begin('wait')
    expect(await get(id)).toMatchObject({ status: 'working' })
    expect(await get(id)).not.toHaveProperty('result')
    const { context, resolve } = waiting[0]!
    context.log('error', 'not sent to anybody')
    context.progress(3, 10)
    expect(await get(id)).toMatchObject({ status: 'working', statusMessage: '3 of 10' })
    context.progress(4, 10, 'almost there')
    expect(await get(id)).toMatchObject({ status: 'working', statusMessage: 'almost there' })
    resolve('done')
    await get(id)
    context.progress(5, 10, 'too late')
    const ended = await get(id)
    expect(ended).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } })
    expect(ended).not.toHaveProperty('statusMessage')
  })

  test('returns at once if the arguments are invalid', async () => {
    const { result } = await call('double', { n: 'four' })
    expect(result).toMatchObject({ resultType: 'complete', isError: true })
    expect(built).toBe(0)
  })

  test('can have a result or a question that exceeds one stored value', async () => {
    const length = 1_500_000
    const { result } = await get(await begin('long', { length }))
    expect(firstText(result)).toHaveLength(length)

    const id = await begin('explain', { length })
    const { inputRequests } = await get(id)
    expect(inputRequests['1-agree'].params.message).toHaveLength(length)
    await update(id, { '1-agree': accept('yes') })
    expect(Object.keys((await get(id)).inputRequests)).toEqual(['2-really'])
  })

  test('that fails with a message for the model is completed with that message', async () => {
    const ended = await get(await begin('fail', { how: 'tool' }))
    expect(ended).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(firstText(ended.result)).toBe('No such row.')
  })

  test('that fails for an internal reason does not reveal the reason', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const ended = await get(await begin('fail', { how: 'stranger' }))
    expect(ended).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(JSON.stringify(ended)).not.toContain('secret')
    expect(log).toHaveBeenCalledOnce()
  })

  test('that ends with a protocol error has failed with that error', async () => {
    const ended = await get(await begin('fail', { how: 'protocol' }))
    expect(ended).toMatchObject({
      status: 'failed',
      error: { code: -32021, data: { requiredCapabilities: { roots: {} } } },
    })
    expect(ended.statusMessage).toBe(ended.error.message)
    expect(ended).not.toHaveProperty('result')
  })
})

describe('a task’s questions', () => {
  test('are answered one by one, and the tool runs again when all are answered', async () => {
    const id = await begin('greet')
    const { status, inputRequests } = await get(id)
    expect(status).toBe('input_required')
    const [name, town] = Object.keys(inputRequests) as [string, string]
    expect(inputRequests[name]).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Your name?' },
    })
    const { result: ack } = await update(id, { [name]: accept('Ada'), 'never-asked': accept('x') })
    expect(Object.keys(ack)).toEqual(['resultType', '_meta'])
    expect(ack.resultType).toBe('complete')
    expect(await get(id)).toMatchObject({ status: 'input_required' })
    expect(Object.keys((await get(id)).inputRequests)).toEqual([town])

    await update(id, { [town]: { action: 'decline' }, [name]: accept('too late') })
    const [mood] = Object.keys((await get(id)).inputRequests)
    await update(id, { [mood!]: accept('good') })
    expect(firstText((await get(id)).result)).toBe('Ada, nothing, good')
    expect(built).toBe(3)
  })

  test('never share an ID, even if the tool asks the same question again', async () => {
    const id = await begin('greet')
    const [name, town] = Object.keys((await get(id)).inputRequests)
    await update(id, { [name!]: { action: 'accept', content: 5 }, [town!]: accept('Bath') })
    const again = await get(id)
    expect(Object.values(again.inputRequests)).toMatchObject([
      { params: { message: 'Your name?' } },
    ])
    expect(Object.keys(again.inputRequests)).not.toContain(name)
    // An answer to the first question does not count for the second.
    await update(id, { [name!]: accept('Ada') })
    expect((await get(id)).inputRequests).toEqual(again.inputRequests)
  })

  test('that never end make the task fail', async () => {
    const id = await begin('pester')
    for (let round = 0; round < 8; round++) {
      const { inputRequests } = await get(id)
      await update(id, Object.fromEntries(Object.keys(inputRequests).map((it) => [it, 0])))
    }
    expect(await get(id)).toMatchObject({ status: 'failed', error: { code: -32603 } })
  })

  test('can come before the task, in the call itself', async () => {
    const asked = (await call('first')).result
    expect(asked).toMatchObject({ resultType: 'input_required' })
    expect(asked).not.toHaveProperty('taskId')
    expect(built).toBe(0)
    const { result } = await ask('tools/call', {
      ...{ name: 'first', arguments: {}, requestState: asked.requestState },
      inputResponses: { name: accept('Ada') },
    })
    expect(result).toMatchObject({ resultType: 'task' })
    expect(result).not.toHaveProperty('requestState')
    expect(firstText((await get(result.taskId)).result)).toBe('For Ada.')
  })

  test('need answers that are an object', async () => {
    const taskId = await begin('greet')
    for (const inputResponses of [['Ada'], 'Ada', undefined]) {
      const { error } = await ask('tasks/update', { taskId, inputResponses })
      expect(error.code).toBe(-32602)
    }
    expect(await get(taskId)).toMatchObject({ status: 'input_required' })
  })
})

describe('a task’s end', () => {
  test('comes with tasks/cancel, and stops the tool', async () => {
    const taskId = await begin('wait')
    const { context, resolve } = waiting[0]!
    const { result } = await ask('tasks/cancel', { taskId })
    expect(Object.keys(result)).toEqual(['resultType', '_meta'])
    expect(context.signal.aborted).toBe(true)
    expect(await get(taskId)).toMatchObject({ status: 'cancelled' })
    context.progress(1)
    resolve('too late')
    await Promise.resolve()
    const ended = await get(taskId)
    expect(ended).toMatchObject({ status: 'cancelled' })
    expect(ended).not.toHaveProperty('result')
    expect(ended).not.toHaveProperty('statusMessage')
  })

  test('comes with tasks/cancel even while the task waits for an answer', async () => {
    const taskId = await begin('greet')
    const { inputRequests } = await get(taskId)
    await ask('tasks/cancel', { taskId })
    const late = await update(taskId, { [Object.keys(inputRequests)[0]!]: accept('Ada') })
    expect(late.result.resultType).toBe('complete')
    const ended = await get(taskId)
    expect(ended).toMatchObject({ status: 'cancelled' })
    expect(ended).not.toHaveProperty('inputRequests')
  })

  test('is final, so cancelling a completed task changes nothing', async () => {
    const taskId = await begin('double', { n: 1 })
    const before = await get(taskId)
    expect((await ask('tasks/cancel', { taskId })).result.resultType).toBe('complete')
    expect(await get(taskId)).toEqual(before)
  })

  test('comes when its time is over, with its data deleted and its tool stopped', async () => {
    vi.useFakeTimers()
    const [running, ended] = [await begin('wait'), await begin('double', { n: 1 })]
    await vi.advanceTimersByTimeAsync(taskLimits.ttlMs - 1)
    expect(await get(running)).toMatchObject({ status: 'working' })
    expect(await get(ended)).toMatchObject({ status: 'completed' })
    await vi.advanceTimersByTimeAsync(1)
    for (const taskId of [running, ended]) {
      for (const method of ['tasks/get', 'tasks/cancel']) {
        expect((await ask(method, { taskId })).error.code).toBe(-32602)
      }
    }
    expect(waiting[0]!.context.signal.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a task’s owner', () => {
  const ada = { subject: 'ada', scopes: [] }
  const methods = ['tasks/get', 'tasks/update', 'tasks/cancel']

  test('is the only caller who finds it, at the same path and with the right ID', async () => {
    const id = await begin('wait', {}, { caller: ada })
    const [name] = id.split('.')
    const sessions = memorySessions(() => server)
    const opened = await serve(
      requestOf('2025-11-25', {
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
        },
      }),
      { server, sessions },
    )
    const session = opened.headers.get('mcp-session-id')
    const strangers: [unknown, Sent][] = [
      [id, { caller: { subject: 'bob', scopes: [] } }],
      [id, {}],
      [id, { caller: ada, path: '/mcp/other' }],
      [`${name}.${'A'.repeat(43)}`, { caller: ada }],
      [name, { caller: ada }],
      ['', { caller: ada }],
      [session, {}],
      [7, { caller: ada }],
      [undefined, { caller: ada }],
    ]
    for (const method of methods) {
      for (const [taskId, sent] of strangers) {
        const { error } = await ask(method, { taskId, inputResponses: {} }, sent)
        expect(error.code).toBe(-32602)
        expect(error.message).toMatch('no such task')
      }
      expect(waiting[0]!.context.signal.aborted).toBe(false)
    }
    // No other task store was opened for any of them.
    expect(built).toBe(1)
    const found = await ask('tasks/get', { taskId: id }, { caller: ada })
    expect(found.result).toMatchObject({ taskId: id, status: 'working' })
    expect(waiting[0]!.context.caller).toEqual(ada)
  })

  test('must name the task in the header Mcp-Name', async () => {
    const taskId = await begin('wait')
    for (const method of methods) {
      const headers = { 'mcp-name': 'another' }
      const { error, status } = await ask(method, { taskId, inputResponses: {} }, { headers })
      expect([status, error.code]).toEqual([400, -32020])
    }
  })
})

describe('support for tasks', () => {
  const undeclared = { capabilities: { elicitation: {} } }

  test('is declared in the modern era by a server with a task store and a task tool', async () => {
    const capabilities = async (options?: object) =>
      (await ask('server/discover', {}, { ...(options && { options }) })).result.capabilities
    expect(await capabilities()).toMatchObject({ extensions: { [TASKS]: {} } })
    expect(await capabilities({ tasks: undefined })).not.toHaveProperty('extensions')
    const without = { ...server, tools: server.tools!.filter(({ task }) => !task) }
    expect(await capabilities({ server: without })).not.toHaveProperty('extensions')
    const params = { protocolVersion: '2025-11-25', capabilities: able }
    const opened = await serve(requestOf('2025-11-25', { method: 'initialize', params }), {
      ...{ server, tasks },
    })
    expect(await opened.text()).not.toContain('extensions')
  })

  test('is not needed by a client to get a plain result', async () => {
    const { result } = await call('double', { n: 2 }, undeclared)
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { doubled: 4 } })
  })

  test('is required of a client for tools and methods that need tasks', async () => {
    const requiredCapabilities = { extensions: { [TASKS]: {} } }
    const refused = { status: 400, error: { code: -32021, data: { requiredCapabilities } } }
    expect(await call('wait', {}, undeclared)).toMatchObject(refused)
    expect(waiting).toEqual([])
    const taskId = await begin('wait')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const params = { taskId, inputResponses: {} }
      expect(await ask(method, params, undeclared)).toMatchObject(refused)
    }
    const notifications = { taskIds: [taskId] }
    const headers = { accept: 'text/event-stream, application/json' }
    const listen = await ask('subscriptions/listen', { notifications }, { ...undeclared, headers })
    expect(listen).toMatchObject(refused)
  })

  test('is missing without a task store, where tools just run', async () => {
    const options = { tasks: undefined }
    expect((await call('long', { length: 1 }, { options })).result.resultType).toBe('complete')
    expect(await ask('tasks/get', { taskId: 'x' }, { options })).toMatchObject({
      status: 404,
      error: { code: -32601 },
    })
  })

  test('does not include the methods of an earlier draft', async () => {
    for (const method of ['tasks/list', 'tasks/result']) {
      expect((await ask(method, { taskId: 'x' })).error.code).toBe(-32601)
    }
  })

  test.each(LEGACY)('does not exist in %s, where every tool just runs', async (version) => {
    for (const [name, args] of [
      ['double', { n: 2 }],
      ['long', { length: 1 }],
    ] as const) {
      const params = { name, arguments: args, task: { ttl: 1 } }
      const request = requestOf(version, { method: 'tools/call', params })
      const text = await (await serve(request, { server, tasks })).text()
      expect(text).toContain('"content"')
      expect(text).not.toContain('taskId')
    }
    const params = { taskId: 'x' }
    const refused = await serve(requestOf(version, { method: 'tasks/get', params }), {
      server,
      tasks,
    })
    expect(await refused.json()).toMatchObject({ error: { code: -32601 } })
  })

  test('is not used for a plain tool, which runs in the server that was asked', async () => {
    expect((await call('plain')).result).toMatchObject({ content: [{ text: 'plain' }] })
    expect(built).toBe(0)
  })
})

/** Reads a stream's notifications as they arrive. */
function reader(response: Response) {
  const source = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    // biome-ignore lint/suspicious/noExplicitAny: tests look at messages of every shape
    async next(): Promise<any> {
      for (;;) {
        const [, block, rest] = /^([\s\S]*?)\n\n([\s\S]*)$/.exec(text) ?? []
        const { done, value } = block === undefined ? await source.read() : {}
        if (done) return undefined
        text = rest ?? text + value
        const data = /^data: (.*)$/m.exec(block ?? '')?.[1]
        if (data) return JSON.parse(data)
      }
    },
    cancel: () => source.cancel(),
  }
}

describe('a subscription to tasks', () => {
  const headers = { accept: 'text/event-stream' }
  const listen = async (taskIds: unknown[], sent: Sent = {}) =>
    reader(
      await serve(requestTo('subscriptions/listen', { notifications: { taskIds } }, { headers }), {
        ...{ server, tasks, caller: sent.caller },
      }),
    )

  test('reports the current state and each later state', async () => {
    const id = await begin('greet')
    const foreign = await begin('wait', {}, { caller: { subject: 'bob', scopes: [] } })
    const stream = await listen([id, id, foreign, 'made-up', 7])
    expect(await stream.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [id] }, _meta: { [SUBSCRIPTION]: 1 } },
    })
    const { resultType, _meta, ...found } = await get(id)
    expect(await stream.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tasks',
      params: { ...found, _meta: { [SUBSCRIPTION]: 1 } },
    })
    await update(
      id,
      Object.fromEntries(Object.keys(found.inputRequests).map((it) => [it, accept(it)])),
    )
    expect((await stream.next()).params).toMatchObject({ taskId: id, status: 'working' })
    expect((await stream.next()).params).toMatchObject({ taskId: id, status: 'input_required' })
    await ask('tasks/cancel', { taskId: id })
    expect((await stream.next()).params).toMatchObject({ taskId: id, status: 'cancelled' })
    await stream.cancel()
  })

  test('reports progress no more often than a client would poll', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const stream = await listen([await begin('wait')])
    await stream.next()
    await stream.next()
    const { context, resolve } = waiting[0]!
    for (let done = 1; done <= 50; done++) context.progress(done, 50)
    vi.setSystemTime(Date.now() + taskLimits.pollIntervalMs)
    context.progress(50, 50, 'all of it')
    expect((await stream.next()).params).toMatchObject({ statusMessage: 'all of it' })
    resolve('done')
    expect((await stream.next()).params).toMatchObject({ status: 'completed' })
    await stream.cancel()
  })
})

describe('a task in a Durable Object', () => {
  let harness: TestHarness
  beforeAll(async () => {
    const compatibility = {
      ...{ compatibility_date: '2026-10-30', compatibility_flags: ['enable_request_signal'] },
    }
    const bindings = [{ name: 'SESSIONS', class_name: 'McpSession' }]
    const brief = {
      ...{ name: 'brief', main: './test/servers/brief.ts', ...compatibility },
      durable_objects: { bindings },
      exports: { McpSession: { type: 'durable-object' as const, storage: 'sqlite' as const } },
    }
    const workers = [{ configPath: './examples/everything/wrangler.toml' }, { config: brief }]
    harness = createTestHarness({ workers })
    await harness.listen()
  })
  afterAll(() => harness.close())

  const workerOf = (name = 'everything') => harness.getWorker(name)
  const send = async (method: string, params: object, worker?: string, headers = {}) => {
    const request = requestTo(method, params, { headers })
    const init = { method: 'POST', headers: [...request.headers], body: await request.text() }
    return workerOf(worker).fetch('/mcp', init) as unknown as Promise<Response>
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests look at messages of every shape
  const post = async (method: string, params: object, worker?: string): Promise<any> =>
    (await send(method, params, worker)).json()
  const start = async (name: string, given: object, worker?: string): Promise<string> =>
    (await post('tools/call', { name, arguments: given }, worker)).result.taskId
  const nameOf = (taskId: string) => ({ name: taskId.split('.')[0]! })
  const evict = (taskId: string, webSockets: 'close' | 'hibernate') =>
    workerOf().evictDurableObject('McpSession', { ...nameOf(taskId), webSockets })

  test('waits for an answer across evictions, as does its subscriber', async () => {
    const taskId = await start('confirm_delete', { filename: 'a.txt' })
    const notifications = { taskIds: [taskId] }
    const accepts = { accept: 'text/event-stream' }
    const stream = reader(await send('subscriptions/listen', { notifications }, undefined, accepts))
    await stream.next()
    expect((await stream.next()).params).toMatchObject({ status: 'input_required' })
    await evict(taskId, 'hibernate')
    const { inputRequests } = (await post('tasks/get', { taskId })).result
    await evict(taskId, 'close')
    expect((await stream.next()).params).toMatchObject({ status: 'input_required', inputRequests })
    const [key] = Object.keys(inputRequests)
    const inputResponses = { [key!]: { action: 'accept', content: { confirm: true } } }
    await post('tasks/update', { taskId, inputResponses })
    expect((await stream.next()).params).toMatchObject({ status: 'working' })
    expect((await stream.next()).params).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'Deleted a.txt.' }] },
    })
    await stream.cancel()
  })

  test('is not woken by an invented ID', async () => {
    const before = await workerOf().listDurableObjectIds('McpSession')
    for (const taskId of ['x', `${'0'.repeat(32)}.${'A'.repeat(43)}`]) {
      expect((await post('tasks/get', { taskId })).error.code).toBe(-32602)
    }
    expect(await workerOf().listDurableObjectIds('McpSession')).toEqual(before)
  })

  test('leaves nothing behind when its time is over, whatever its state', async () => {
    const begun = [
      await start('slow_compute', { seconds: 60, label: 'cut off' }, 'brief'),
      await start('slow_compute', { seconds: 0, label: 'done' }, 'brief'),
      await start('confirm_delete', { filename: 'a.txt' }, 'brief'),
    ]
    const stored = () =>
      Promise.all(
        begun.map(async (taskId) => {
          const { name } = nameOf(taskId)
          return (await workerOf('brief').fetch(`/stored?name=${name}`)).json()
        }),
      )
    const something = { rows: expect.any(Number), alarm: expect.any(Number) }
    expect(await stored()).toEqual([something, something, something])
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    const nothing = { rows: 0, alarm: null }
    expect(await stored()).toEqual([nothing, nothing, nothing])
    for (const taskId of begun) {
      expect((await post('tasks/get', { taskId }, 'brief')).error.code).toBe(-32602)
    }
  })

  test('has failed, with a message, if the Worker stopped in the middle of it', async () => {
    const taskId = await start('slow_compute', { seconds: 60, label: 'lost' })
    await harness.update((options) => ({ ...options }))
    const { result } = await post('tasks/get', { taskId })
    expect(result).toMatchObject({ status: 'failed', error: { code: -32603 } })
    expect(result.statusMessage).toMatch('call the tool again')
  })
})
