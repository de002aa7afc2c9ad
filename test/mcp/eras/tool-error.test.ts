import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Server, serveStdio, ToolError } from '../../../src/mcp/index.ts'
import { ask, LEGACY, MODERN, meta, requestOf } from '../../support/mcp.ts'

const SENTENCE = 'The archive is closed: ask again tomorrow.'

/** A server whose handlers throw this error. */
function throwing(error: Error): Server {
  const fail = () => Promise.reject(error)
  return {
    name: 'closed',
    version: '1.0.0',
    resources: [
      { uri: 'paper://today', name: 'today', read: fail },
      { uri: 'paper://{day}', name: 'day', read: fail, list: fail, complete: { day: fail } },
    ],
    prompts: [{ name: 'sum_up', arguments: [{ name: 'day', complete: fail }], get: fail }],
  }
}

const argument = { name: 'day', value: '' }
const requests = [
  { method: 'resources/read', params: { uri: 'paper://today' } },
  { method: 'resources/read', params: { uri: 'paper://monday' } },
  { method: 'resources/list', params: {} },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/resource', uri: 'paper://{day}' }, argument },
  },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name: 'sum_up' }, argument },
  },
  { method: 'prompts/get', params: { name: 'sum_up' } },
]

const overHttp =
  (version: string) =>
  async (server: Server, { method, params }: (typeof requests)[number]) =>
    (await ask({ server }, requestOf(version, { method, params }))).body

const overStdio =
  (version: string) =>
  async (server: Server, { method, params }: (typeof requests)[number]) => {
    const _meta = version === MODERN ? meta() : {}
    const clientInfo = { name: 'test', version: '1' }
    const hello = { protocolVersion: version, capabilities: {}, clientInfo }
    const messages = [
      ...(version === MODERN ? [] : [{ id: 0, method: 'initialize', params: hello }]),
      { id: 1, method, params: { ...params, _meta } },
    ]
    const said: string[] = []
    const lines = messages.map((it) => `${JSON.stringify({ jsonrpc: '2.0', ...it })}\n`).join('')
    const input = new Blob([lines]).stream()
    await serveStdio({ input, write: (line) => void said.push(line) }, { server })
    return said.map((it) => JSON.parse(it)).find(({ id }) => id === 1)
  }

const ways = [MODERN, LEGACY.at(-1)!].flatMap((version) => [
  { way: `HTTP, ${version}`, answer: overHttp(version) },
  { way: `stdio, ${version}`, answer: overStdio(version) },
])

const log = vi.spyOn(console, 'error')
beforeEach(() => void log.mockImplementation(() => {}))
afterEach(() => log.mockReset())

describe.each(ways)('over $way', ({ answer }) => {
  test.each(requests)('$method returns the message of a ToolError', async (request) => {
    const { error } = await answer(throwing(new ToolError(SENTENCE)), request)
    expect(error).toEqual({ code: -32603, message: SENTENCE })
    expect(log).not.toHaveBeenCalled()
  })

  test.each(requests)('$method hides the message of any other error', async (request) => {
    const { error } = await answer(throwing(new Error('marker')), request)
    expect(error.code).toBe(-32603)
    expect(error.message).toMatch(/^Something went wrong inside the server/)
    expect(error.message).not.toContain('marker')
    expect(log).toHaveBeenCalledOnce()
  })
})
