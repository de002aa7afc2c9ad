import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { limits, type Server, serve, ToolError, ToolResult, tool } from '../../src/mcp/index.ts'
import { ask, LEGACY, MODERN, meta, postOf, requestOf } from '../support/mcp.ts'

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

const server: Server = {
  name: 'calculator',
  title: 'Calculator',
  version: '1.2.3',
  instructions: 'Divide.',
  tools: [
    tool({
      name: 'divide',
      title: 'Divide',
      description: 'Divide a by b.',
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.object({ quotient: z.number() }),
      annotations,
      run({ a, b }) {
        if (b === 0) throw new ToolError('b must not be zero.')
        return { quotient: a / b }
      },
    }),
    tool({
      name: 'hello',
      description: 'Say hello.',
      input: z.object({ name: z.string().default('you') }),
      run: ({ name }) => `Hello, ${name}`,
    }),
    tool({
      name: 'leak',
      description: 'Fail with a secret.',
      input: z.object({}),
      run() {
        throw new Error('postgres://user:hunter2@host')
      },
    }),
    tool({
      name: 'count',
      description: 'Count to three.',
      input: z.object({}),
      run(_, { progress }) {
        for (const n of [1, 2, 3]) progress(n, 3, `step ${n}`)
        return new ToolResult([{ type: 'text', text: 'counted' }])
      },
    }),
  ],
}
const options = { server }
const call = (name: string, args?: unknown, more: object = {}) => ({
  method: 'tools/call',
  params: { name, ...(args !== undefined && { arguments: args }), ...more },
})

describe.each([...LEGACY, MODERN])('%s', (version) => {
  const send = (message: Parameters<typeof requestOf>[1]) =>
    ask(options, requestOf(version, message))

  test('lists the tools with a schema whose root is an object', async () => {
    const { status, body } = await send({ method: 'tools/list' })
    expect(status).toBe(200)
    expect(body.result.tools.map((it: { name: string }) => it.name)).toEqual([
      'divide',
      'hello',
      'leak',
      'count',
    ])
    expect(body.result.tools[0].inputSchema).toMatchObject({
      type: 'object',
      required: ['a', 'b'],
    })
    expect(body.result.tools[0].inputSchema).not.toHaveProperty('$schema')
  })

  test('calls a tool', async () => {
    const { body } = await send(call('divide', { a: 1, b: 4 }))
    expect(JSON.parse(body.result.content[0].text)).toEqual({ quotient: 0.25 })
  })

  test('responds with the ID of the request, whatever it is', async () => {
    for (const id of [0, -1, '', 'server-discover-probe-1']) {
      expect((await send({ id, method: 'tools/list' })).body.id).toBe(id)
    }
  })

  test('accepts missing arguments, and arguments sent as a JSON string', async () => {
    expect((await send(call('hello'))).body.result.content[0].text).toBe('Hello, you')
    expect((await send(call('hello', '{"name":"Ada"}'))).body.result.content[0].text).toBe(
      'Hello, Ada',
    )
  })

  test('returns a failure that the model can repair as a result', async () => {
    const { status, body } = await send(call('divide', { a: 1, b: 0 }))
    expect(status).toBe(200)
    expect(body.result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'b must not be zero.' }],
    })
  })

  test('hides the message of a foreign error', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { body } = await send(call('leak'))
    expect(body.result.isError).toBe(true)
    expect(JSON.stringify(body)).not.toContain('hunter2')
    expect(log).toHaveBeenCalled()
    log.mockRestore()
  })

  test('responds to an unknown tool with invalid params and the existing names', async () => {
    const { status, body } = await send(call('multiply'))
    expect(status).toBe(200)
    expect(body.error.code).toBe(-32602)
    expect(body.error.message).toContain('divide')
  })

  test.each(['constructor', '__proto__', 'tools/lists', ''])('has no method %j', async (method) => {
    const { status, body } = await send({ method })
    expect(status).toBe(version === MODERN ? 404 : 200)
    expect(body).toMatchObject({ id: 1, error: { code: -32601 } })
  })

  test('sends progress before the result if the client requested it', async () => {
    const request = requestOf(version, call('count', {}, { _meta: { progressToken: 'p' } }))
    const text = await (await serve(request, options)).text()
    const events = text
      .split('\n\n')
      .filter(Boolean)
      .map((it) => JSON.parse(it.replace('event: message\ndata: ', '')))
    expect(events.map((it) => it.params?.progress ?? it.result.content[0].text)).toEqual([
      1,
      2,
      3,
      'counted',
    ])
    expect(events[0]).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 'p', total: 3 },
    })
  })

  test('sends no progress that was not requested or that the client cannot read', async () => {
    const plain = await serve(requestOf(version, call('count')), options)
    expect(plain.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const request = requestOf(version, call('count', {}, { _meta: { progressToken: 1 } }))
    request.headers.set('accept', 'application/json')
    expect((await ask(options, request)).body.result.content[0].text).toBe('counted')
  })

  test('accepts a notification with 202 and without a body or content type', async () => {
    const request = postOf(
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { 'mcp-protocol-version': version },
    )
    const response = await serve(request, options)
    expect(response.status).toBe(202)
    expect(response.headers.get('content-type')).toBeNull()
    expect(await response.text()).toBe('')
  })

  test('never sends a field that the revision does not have', async () => {
    const listed = (await send({ method: 'tools/list' })).body.result.tools[0]
    expect('annotations' in listed).toBe(version >= '2025-03-26')
    expect('title' in listed).toBe(version >= '2025-06-18')
    expect('outputSchema' in listed).toBe(version >= '2025-06-18')
    const { result } = (await send(call('divide', { a: 1, b: 2 }))).body
    expect('structuredContent' in result).toBe(version >= '2025-06-18')
    expect('resultType' in result).toBe(version === MODERN)
  })

  test('reports invalid arguments in the revision’s own way', async () => {
    const { body } = await send(call('divide', { a: 'one' }))
    if (version >= '2025-11-25') expect(body.result.isError).toBe(true)
    else expect(body.error.code).toBe(-32602)
    expect(JSON.stringify(body)).toContain('expected number')
  })
})

describe('legacy', () => {
  const initialize = (protocolVersion: unknown) =>
    ask(
      options,
      requestOf('2025-11-25', {
        method: 'initialize',
        params: {
          protocolVersion,
          capabilities: {},
          clientInfo: { name: 't', version: '1' },
        },
      }),
    )

  test.each(LEGACY)('initialize echoes %s', async (version) => {
    const { body, headers } = await initialize(version)
    expect(body.result).toMatchObject({
      protocolVersion: version,
      serverInfo: { name: 'calculator', version: '1.2.3' },
      capabilities: { tools: {} },
      instructions: 'Divide.',
    })
    expect(headers.get('mcp-session-id')).toBeNull()
  })

  test.each(['1.0.0.1', '2026-07-28', '2099-01-01'])(
    'offers its newest legacy revision to a client that requests %s',
    async (version) => {
      expect((await initialize(version)).body.result.protocolVersion).toBe('2025-11-25')
    },
  )

  test('ignores the version header of an initialize request', async () => {
    const request = requestOf('2025-11-25', {
      method: 'initialize',
      params: { protocolVersion: '2025-06-18' },
    })
    request.headers.set('mcp-protocol-version', MODERN)
    expect((await ask(options, request)).body.result.protocolVersion).toBe('2025-06-18')
  })

  test('initialize without a version is invalid', async () => {
    expect((await initialize(7)).body.error.code).toBe(-32602)
  })

  test('serves a client that sends no version header in the newest format', async () => {
    const { body } = await ask(options, postOf({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
    expect(body.result.tools[0]).toHaveProperty('outputSchema')
  })

  test('refuses an unknown version with a 400 that lists the supported versions', async () => {
    const { status, body } = await ask(options, requestOf('1.0.0.1', { method: 'tools/list' }))
    expect(status).toBe(400)
    expect(body.error.message).toContain('2025-11-25')
  })

  test('does not treat Mcp-Method and Mcp-Name as a sign of an era', async () => {
    const request = postOf(
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { 'mcp-method': 'ping', 'mcp-name': 'x' },
    )
    expect((await ask(options, request)).body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {},
    })
  })

  test('answers a batch only if the revision has batches', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'nope' },
    ]
    for (const version of ['2024-11-05', '2025-03-26']) {
      const { body } = await ask(options, postOf(batch, { 'mcp-protocol-version': version }))
      expect(body).toMatchObject([
        { id: 1, result: {} },
        { id: 2, error: { code: -32601 } },
      ])
    }
    for (const version of ['2025-06-18', '2025-11-25', MODERN]) {
      const { status, body } = await ask(
        options,
        postOf(batch, { 'mcp-protocol-version': version }),
      )
      expect([status, body.error.code]).toEqual([400, -32600])
    }
  })

  test('accepts a batch of notifications, but not initialize or too many messages', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await ask(options, postOf([note, note]))).status).toBe(202)
    const opening = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-03-26' },
    }
    expect((await ask(options, postOf([opening]))).status).toBe(400)
    const pings = Array.from({ length: 21 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'ping',
    }))
    expect((await ask(options, postOf(pings))).status).toBe(400)
  })

  test('accepts an error from the client that names no request', async () => {
    for (const id of [{}, { id: null }]) {
      const body = { jsonrpc: '2.0', ...id, error: { code: -32700, message: 'What?' } }
      expect((await serve(postOf(body), options)).status).toBe(202)
    }
  })

  test('accepts a response from the client with 202', async () => {
    const response = await serve(postOf({ jsonrpc: '2.0', id: 1, result: {} }), options)
    expect([response.status, await response.text()]).toEqual([202, ''])
  })
})

describe('modern', () => {
  test('server/discover returns versions, capabilities, its name and a lifetime', async () => {
    const { body } = await ask(options, requestOf(MODERN, { method: 'server/discover' }))
    expect(body.result).toMatchObject({
      resultType: 'complete',
      capabilities: { tools: {} },
      instructions: 'Divide.',
      cacheScope: 'private',
      _meta: {
        'io.modelcontextprotocol/serverInfo': {
          name: 'calculator',
          version: '1.2.3',
        },
      },
    })
    expect(body.result.supportedVersions[0]).toBe(MODERN)
    expect(body.result.ttlMs).toBeGreaterThan(0)
  })

  test.each(['initialize', 'ping'])('has no %s', async (method) => {
    const { status, body } = await ask(
      options,
      requestOf(MODERN, { method, params: { protocolVersion: '2025-11-25' } }),
    )
    expect([status, body.error.code]).toEqual([404, -32601])
  })

  const refused = async (
    change: (request: Request) => void,
    metadata: object | undefined = meta(),
  ) => {
    const body = {
      jsonrpc: '2.0',
      id: 'x',
      method: 'tools/call',
      params: { name: 'hello', ...(metadata && { _meta: metadata }) },
    }
    const request = postOf(body, {
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/call',
      'mcp-name': 'hello',
    })
    change(request)
    return ask(options, request)
  }
  const nothing = () => {}

  test('refuses metadata that is missing or lacks a field as invalid params', async () => {
    const { 'io.modelcontextprotocol/clientCapabilities': _, ...incomplete } = meta()
    for (const metadata of [
      undefined,
      {},
      incomplete,
      { ...meta(), 'io.modelcontextprotocol/protocolVersion': 1 },
    ]) {
      const body = {
        jsonrpc: '2.0',
        id: 'x',
        method: 'tools/list',
        params: metadata && { _meta: metadata },
      }
      const answer = await ask(
        options,
        postOf(body, {
          'mcp-protocol-version': MODERN,
          'mcp-method': 'tools/list',
        }),
      )
      expect([answer.status, answer.body.id, answer.body.error.code]).toEqual([400, 'x', -32602])
    }
  })

  test('serves a client that does not identify itself', async () => {
    const { 'io.modelcontextprotocol/clientInfo': _, ...anonymous } = meta()
    expect((await refused(nothing, anonymous)).body.result.content[0].text).toBe('Hello, you')
  })

  test.each([
    [
      'a version header that is missing',
      (it: Request) => it.headers.delete('mcp-protocol-version'),
    ],
    [
      'a different version header',
      (it: Request) => it.headers.set('mcp-protocol-version', '2025-11-25'),
    ],
    ['a missing method header', (it: Request) => it.headers.delete('mcp-method')],
    ['a different method header', (it: Request) => it.headers.set('mcp-method', 'TOOLS/CALL')],
    ['a missing name header', (it: Request) => it.headers.delete('mcp-name')],
    ['a different name header', (it: Request) => it.headers.set('mcp-name', 'leak')],
    [
      'a name header that is broken Base64',
      (it: Request) => it.headers.set('mcp-name', '=?base64?!!?='),
    ],
  ])('refuses %s as a header mismatch', async (_, change) => {
    const { status, body } = await refused(change)
    expect([status, body.id, body.error.code]).toEqual([400, 'x', -32020])
  })

  test('trims headers before comparing them, and decodes Base64', async () => {
    const answer = await refused((it) => {
      it.headers.set('mcp-method', ' tools/call ')
      it.headers.set('mcp-name', '=?base64?aGVsbG8=?=')
    })
    expect(answer.body.result.content[0].text).toBe('Hello, you')
  })

  test('refuses an unsupported version, and lists the supported versions', async () => {
    const { status, body } = await refused(
      (it) => it.headers.set('mcp-protocol-version', 'v999.0.0'),
      meta('v999.0.0'),
    )
    expect(status).toBe(400)
    expect(body.error).toMatchObject({
      code: -32022,
      data: { requested: 'v999.0.0' },
    })
    expect(body.error.data.supported).toContain(MODERN)
    const legacy = await refused(
      (it) => it.headers.set('mcp-protocol-version', '2025-11-25'),
      meta('2025-11-25'),
    )
    expect(legacy.body.error).toMatchObject({
      code: -32022,
      data: { supported: [MODERN] },
    })
  })

  test('refuses responses', async () => {
    const request = postOf(
      { jsonrpc: '2.0', id: 1, result: {} },
      { 'mcp-protocol-version': MODERN },
    )
    expect((await ask(options, request)).status).toBe(400)
  })

  test('aborts the tool’s signal when the client has gone', async () => {
    let signal: AbortSignal | undefined
    const waiting = tool({
      name: 'wait',
      description: 'Wait.',
      input: z.object({}),
      run: (_, context) => {
        signal = context.signal
        context.progress(1)
        return new Promise((resolve) =>
          context.signal.addEventListener('abort', () => resolve('gone')),
        )
      },
    })
    const request = requestOf(MODERN, call('wait', {}, { _meta: { progressToken: 1 } }))
    const response = await serve(request, {
      server: { ...server, tools: [waiting] },
    })
    await response.body?.cancel()
    expect(signal?.aborted).toBe(true)
  })
})

describe('any body', () => {
  const refusal = async (body: string | Uint8Array, headers: Record<string, string> = {}) => {
    const answer = await ask(options, postOf(body, headers))
    return [answer.status, answer.body.error?.code, answer.body.id]
  }

  test.each([
    ['nothing', '', -32700],
    ['nonsense', '1.0.0.1', -32700],
    ['half a message', '{"jsonrpc":"2.0","id":1', -32700],
    ['a number', '7', -32600],
    ['null', 'null', -32600],
    ['an empty batch', '[]', -32600],
    ['a batch of numbers', '[1]', -32600],
    ['an object without a version', '{"id":1,"method":"ping"}', -32600],
    ['an object with another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['a message with a null ID', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['a message with the ID true', '{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600],
    ['a message with a fractional ID', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    [
      'a message with an ID beyond safe integers',
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
      -32600,
    ],
    ['an object with neither method nor result', '{"jsonrpc":"2.0"}', -32600],
    ['deep nesting', '['.repeat(500_000) + ']'.repeat(500_000), -32600],
    ['deep nesting that never ends', '{"a":'.repeat(100_000), -32600],
  ])('that is %s gets a 400 with an error', async (_, body, code) => {
    expect(await refusal(body)).toEqual([400, code, null])
    expect(await refusal(body, { 'mcp-protocol-version': MODERN })).toEqual([400, code, undefined])
  })

  test('with a readable ID is refused under that ID', async () => {
    expect(await refusal('{"jsonrpc":"2.0","id":7,"method":1}')).toEqual([400, -32600, 7])
    expect(await refusal('{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}')).toEqual([
      400, -32602, 7,
    ])
    expect(await refusal('{"jsonrpc":"2.0","id":7}')).toEqual([400, -32600, 7])
  })

  test('can leave out params or set it to null', async () => {
    for (const params of ['', ',"params":null', ',"params":{}']) {
      expect(
        (await ask(options, postOf(`{"jsonrpc":"2.0","id":1,"method":"tools/list"${params}}`))).body
          .result.tools,
      ).toHaveLength(4)
    }
  })

  test('can nest brackets inside its strings to any depth', async () => {
    const { body } = await ask(
      options,
      requestOf('2025-11-25', call('hello', { name: '"[\\'.repeat(1000) })),
    )
    expect(body.result.content[0].text).toContain('"[\\"[')
  })

  test('that is not UTF-8 is a parse error, but a byte order mark is allowed', async () => {
    expect(await refusal(new Uint8Array([0x22, 0xff, 0xfe, 0x22]))).toEqual([400, -32700, null])
    const { body } = await ask(options, postOf('\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}'))
    expect(body.result).toEqual({})
  })

  test('is read the same if its length was announced', async () => {
    const announced = async (bytes: Uint8Array) =>
      ask(options, postOf(bytes, { 'content-length': String(bytes.length) }))
    // A four-byte character, cut after three, which is as long as the replacement that a lax reader puts in.
    const cut = new Uint8Array([0x22, 0xf0, 0x9f, 0x98, 0x22])
    expect((await announced(cut)).body.error.code).toBe(-32700)
    // A replacement character that the client sent does not replace anything.
    for (const mark of ['', '\ufeff']) {
      const ping = `${mark}{"jsonrpc":"2.0","id":"é\ufffd","method":"ping"}`
      const { body } = await announced(new TextEncoder().encode(ping))
      expect(body).toEqual({ jsonrpc: '2.0', id: 'é\ufffd', result: {} })
    }
    const { status, body } = await announced(new Uint8Array([0x22, 0xff, 0xfe, 0x22]))
    expect([status, body.error.code]).toEqual([400, -32700])
  })

  test.each(['not announced', 'announced'])(
    'over the limit is refused with 413, but a body at the limit is accepted (%s)',
    async (how) => {
      const bounded = { server, limits: { ...limits, bodyBytes: 100 } }
      const padded = (bytes: number) =>
        postOf(
          '{"jsonrpc":"2.0","id":1,"method":"ping"}'.padEnd(bytes, ' '),
          how === 'announced' ? { 'content-length': String(bytes) } : {},
        )
      expect((await ask(bounded, padded(100))).body.result).toEqual({})
      expect((await ask(bounded, padded(101))).status).toBe(413)
      expect((await ask(bounded, padded(3 * 1024 * 1024))).status).toBe(413)
    },
  )

  test('in an endless upload is not read to its end', async () => {
    const endless = new ReadableStream({
      pull: (it) => it.enqueue(new Uint8Array(1024)),
    })
    const init = {
      method: 'POST',
      body: endless,
      duplex: 'half',
    } as RequestInit
    expect(
      (
        await ask(
          { server, limits: { ...limits, bodyBytes: 4096 } },
          new Request('http://127.0.0.1/mcp', init),
        )
      ).status,
    ).toBe(413)
  })
})

describe('a bound', () => {
  const bounds = { ...limits, bodyBytes: 400, depth: 4, keys: 12, nameChars: 20, uriChars: 30 }
  const send = (params: object, method = 'tools/call') =>
    ask({ server, limits: bounds }, postOf({ jsonrpc: '2.0', id: 1, method, params }))
  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })
  const keyed = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, i) => [i, 1]))

  test('accepts a value at its edge, and refuses a value one past it', async () => {
    // The message itself is one level, and its params are another. It has four keys.
    expect((await send(nested(2), 'ping')).body.result).toEqual({})
    expect((await send(nested(3), 'ping')).body.error.message).toContain('4 levels')
    expect((await send(keyed(8), 'ping')).body.result).toEqual({})
    expect((await send(keyed(9), 'ping')).body.error.message).toContain('12 keys')
    expect((await send({}, 'x'.repeat(20))).body.error.code).toBe(-32601)
    expect((await send({}, 'x'.repeat(21))).body.error).toMatchObject({ code: -32602 })
    expect((await send({ name: 'x'.repeat(20) })).body.error.message).toContain('no tool')
    expect((await send({ name: 'x'.repeat(21) })).body.error.message).toContain('20 characters')
    const read = (length: number) => send({ uri: 'x'.repeat(length) }, 'resources/read')
    expect((await read(30)).body.error.message).toContain('no resource')
    expect((await read(31)).body.error.message).toContain('30 characters')
  })
})

describe('the response', () => {
  const typeFor = async (accept: string | undefined) => {
    const request = requestOf('2025-11-25', { method: 'ping' })
    if (accept !== undefined) request.headers.set('accept', accept)
    const response = await serve(request, options)
    expect(response.status).toBe(200)
    return [response.headers.get('content-type'), await response.text()]
  }
  const json = ['application/json; charset=utf-8', '{"jsonrpc":"2.0","id":1,"result":{}}']

  test.each([
    undefined,
    '*/*',
    'application/json',
    'application/json, text/event-stream',
    'text/event-stream, application/json',
    'Application/JSON;q=0.9',
    'application/*',
    'text/html',
    'nonsense',
  ])('is JSON for Accept: %s', async (accept) => expect(await typeFor(accept)).toEqual(json))

  test.each(['text/event-stream', 'text/event-stream, application/json;q=0'])(
    'is one event for Accept: %s',
    async (accept) => {
      expect(await typeFor(accept)).toEqual([
        'text/event-stream; charset=utf-8',
        `event: message\ndata: ${json[1]}\n\n`,
      ])
    },
  )
})

describe('a request', () => {
  test.each(['GET', 'DELETE', 'PUT'])(
    'with the method %s is refused with 405 and the allowed methods',
    async (method) => {
      const response = await serve(
        new Request('http://127.0.0.1/mcp', {
          method,
          headers: { accept: 'text/event-stream' },
        }),
        options,
      )
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST, OPTIONS')
    },
  )

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'of type %s is refused with 415',
    async (type) => {
      expect((await ask(options, postOf('a=1', { 'content-type': type }))).status).toBe(415)
    },
  )

  test.each(['application/json; charset=utf-8', 'application/JSON', 'text/plain'])(
    'of type %s is read as JSON',
    async (type) => {
      expect(
        (
          await ask(
            options,
            postOf({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'content-type': type }),
          )
        ).status,
      ).toBe(200)
    },
  )

  const from = (origin: string, more: object = {}, url = 'http://127.0.0.1/mcp') => {
    const request = new Request(url, {
      method: 'POST',
      headers: { origin },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    })
    return ask({ server, ...more }, request)
  }

  test('from a foreign page is refused with 403', async () => {
    for (const origin of [
      'https://evil.example.com',
      'null',
      'http://localhost.evil.example.com',
      'https://127.0.0.1.evil.com',
    ]) {
      expect((await from(origin)).status).toBe(403)
    }
    // Under DNS rebinding the Host header is the attacker's.
    expect((await from('http://evil.example.com', {}, 'http://evil.example.com/mcp')).status).toBe(
      403,
    )
  })

  test('from a page on this machine, this server or a listed origin is served', async () => {
    for (const origin of ['http://localhost:6274', 'http://127.0.0.1:8787', 'http://[::1]:80']) {
      expect((await from(origin)).status).toBe(200)
    }
    expect(
      (await from('https://gate.example.com', {}, 'https://gate.example.com/mcp')).status,
    ).toBe(200)
    expect(
      (
        await from('https://app.example.com', {
          origins: ['https://app.example.com'],
        })
      ).status,
    ).toBe(200)
  })

  test('from a caller with a credential is served from any page', async () => {
    expect(
      (
        await from('https://evil.example.com', {
          caller: { subject: 'key', scopes: [] },
        })
      ).status,
    ).toBe(200)
  })
})
