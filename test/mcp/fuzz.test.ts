import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import * as z from 'zod'
import {
  elicit,
  InputRequired,
  localChanges,
  memorySessions,
  type Server,
  serve,
  tool,
} from '../../src/mcp/index.ts'
import { MODERN, meta } from '../support/mcp.ts'

/** The number of messages. For more: FUZZ=1000000 npm test -- test/mcp/fuzz.test.ts */
const COUNT = Number(process.env.FUZZ ?? 100_000)
const MARKER = 'hunter2-planted-secret'

const server: Server = {
  name: 'fuzzed',
  version: '1.0.0',
  logs: true,
  changes: localChanges(),
  resources: [
    { uri: 'note://{id}', name: 'note', read: ({ id }) => (id === 'x' ? undefined : id) },
  ],
  prompts: [
    { name: 'greet', arguments: [{ name: 'who', required: true }], get: ({ who }) => `${who}` },
  ],
  tools: [
    tool({
      name: 'add',
      description: 'Add.',
      input: z.object({
        a: z.number(),
        b: z.number(),
        r: z.string().optional().meta({ 'x-mcp-header': 'R' }),
      }),
      run: ({ a, b }) => ({ sum: a + b }),
    }),
    tool({
      name: 'leak',
      description: 'Throws a secret.',
      input: z.object({}),
      run() {
        throw new Error(`postgres://user:${MARKER}@host`)
      },
    }),
    tool({
      name: 'ask',
      description: 'Asks.',
      input: z.object({}),
      run(_, context) {
        const answer = elicit(context, 'k', 'Who?', z.object({ name: z.string() }))
        return answer instanceof InputRequired ? answer : `Hello ${answer?.name}`
      },
    }),
  ],
}
const sessions = memorySessions(() => server)

// xorshift32, so that every run has the same messages.
let seed = Number(process.env.FUZZ_SEED ?? 20261121)
function random(below: number): number {
  seed ^= seed << 13
  seed ^= seed >>> 17
  seed ^= seed << 5
  return (seed >>> 0) % below
}
const pick = <T>(from: readonly T[]): T => from[random(from.length)]!

const methods = [
  ...['initialize', 'ping', 'tools/list', 'tools/call', 'resources/list', 'resources/read'],
  ...['resources/templates/list', 'prompts/list', 'prompts/get', 'completion/complete'],
  ...['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'server/discover'],
  ...['notifications/initialized', 'notifications/cancelled', 'notifications/x', 'constructor'],
  ...['tasks/get', 'tasks/update', 'tasks/cancel', '__proto__', ''],
]
const odd: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, 2 ** 53, '', '\u0000', '\ud800', 'x'.repeat(5_000), [], {}, [[]]],
  ...[{ __proto__: null }, { constructor: 1 }, ['a', 1], '2026-07-28', 'secret', '=?base64?x?='],
  ...[{ type: 'ref/prompt', name: 'greet' }, { name: 'who', value: 'a' }, 'note://x', 'note://%zz'],
]

const message = (id: unknown): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id,
  method: pick(methods),
  params: {
    name: pick(['add', 'leak', 'ask', 'greet', 'none']),
    uri: pick(['note://1', 'note://x', 'nothing:']),
    arguments: pick([{ a: 1, b: 2 }, { who: 'me' }, {}, '{"a":1,"b":2}', 'no']),
    protocolVersion: pick(['2025-11-25', '2024-11-05', MODERN, 'x']),
    level: pick(['info', 'loud']),
    _meta: { ...(random(2) ? meta() : {}), ...(random(4) ? {} : { progressToken: pick(odd) }) },
  },
})

/** Replaces some part of a value with something odd. */
function mutate(value: unknown): unknown {
  if (random(5) === 0 || typeof value !== 'object' || value === null) return pick(odd)
  if (Array.isArray(value)) return random(2) ? [...value, pick(odd)] : value.map(mutate)
  const keys = Object.keys(value)
  const key = pick([...keys, 'extra', 'requestState', 'inputResponses', 'cursor', 'result'])
  const { [key]: old, ...rest } = value as Record<string, unknown>
  return random(4) === 0 ? rest : { ...rest, [key]: mutate(old) }
}

function bodyOf(sessionIds: readonly string[]): [string, Record<string, string>] {
  let value: unknown = message(pick([1, 'a', 0, undefined]))
  if (random(12) === 0) value = { jsonrpc: '2.0', id: pick([1, 'a', null]), result: mutate({}) }
  if (random(12) === 0) value = Array.from({ length: random(4) }, () => message(random(9)))
  const { method, params } = value as { method?: string; params?: { name?: string } }
  for (let n = random(3); n > 0; n--) value = mutate(value)
  let body = JSON.stringify(value) ?? ''
  if (random(10) === 0) {
    const at = random(body.length + 1)
    body =
      body.slice(0, at) +
      pick(['', '"', '}', '[', '\\', '\u0007', ',']) +
      body.slice(at + random(3))
  }
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  const put = (name: string, ...values: (string | undefined)[]) => {
    const it = pick(values)
    if (it !== undefined && /^[\t\x20-\x7e]*$/.test(it)) headers[name] = it
  }
  put('mcp-protocol-version', undefined, MODERN, '2025-11-25', '2025-03-26', 'x', '9999-99-99')
  put('mcp-method', undefined, method, method, 'x', '=?base64?x?=')
  put('mcp-name', undefined, params?.name, params?.name, 'x', '=?base64?!?=')
  put('accept', undefined, 'application/json', 'text/event-stream', '*/*', 'x/y;q=0')
  put('mcp-session-id', undefined, undefined, 'x', 'a.b', ...sessionIds)
  put('last-event-id', undefined, undefined, 'c12345678-1', 'x')
  put('content-type', 'application/json', 'application/json', 'text/plain', 'multipart/form-data')
  put('origin', undefined, undefined, undefined, 'http://localhost', 'null', 'http://evil')
  return [body, headers]
}

/** Returns the fault in a response, if any. */
async function faultOf(response: Response): Promise<string | undefined> {
  const stream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!stream) return faultIn(await response.text(), response.status)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  // A stream can wait forever, so its beginning is enough.
  const nothing = new Promise<{ value?: string }>((resolve) => setTimeout(resolve, 20, {}))
  const { value = '' } = await Promise.race([reader.read(), nothing])
  await reader.cancel()
  for (const event of value.split('\n\n').filter(Boolean)) {
    const data = /^data: ?(.*)$/m.exec(event)?.[1]
    const fault = data ? faultIn(data, response.status) : undefined
    if (fault) return fault
  }
  return undefined
}

function faultIn(text: string, status: number): string | undefined {
  if (text.includes(MARKER)) return 'a secret'
  if (status >= 500) return `status ${status}`
  if (text === '') return [202, 204].includes(status) ? undefined : `nothing, with status ${status}`
  const messages = [JSON.parse(text)].flat()
  for (const { jsonrpc, id, result, error, method } of messages) {
    if (jsonrpc !== '2.0') return 'no version'
    if (method !== undefined) continue
    if (error ? !Number.isInteger(error.code) || typeof error.message !== 'string' : !result)
      return text
    if (result && id === undefined) return 'a result without an id'
    if (error?.code === -32603 && !/too many times|in time/.test(error.message)) return text
  }
  return undefined
}

/** Fails if a response never arrives. */
async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('No answer.')), ms)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

const log = vi.spyOn(console, 'error')
beforeAll(() => void log.mockImplementation(() => {}))
afterAll(() => log.mockRestore())

test('no message makes the server fail, hang or leak a secret', {
  timeout: 120_000,
}, async () => {
  const ids: string[] = []
  for (let n = 0; n < COUNT; n++) {
    const [body, headers] = bodyOf(ids)
    const method = random(20) === 0 ? pick(['GET', 'DELETE', 'PUT']) : 'POST'
    const init = { method, headers, body: method === 'GET' ? null : body }
    const answered = serve(new Request('http://127.0.0.1/mcp', init), { server, sessions })
    const fault = await within(5_000, answered.then(faultOf)).catch((error) => String(error))
    if (fault)
      expect.fail(`${fault}\n\n${method} ${JSON.stringify(headers)}\n${body.slice(0, 2_000)}`)
    const id = (await answered).headers.get('mcp-session-id')
    if (id) ids.splice(random(8), 1, id)
  }
  // The only internal faults are the errors that a handler threw.
  for (const [, thrown] of log.mock.calls) expect(String(thrown)).toContain(MARKER)
})
