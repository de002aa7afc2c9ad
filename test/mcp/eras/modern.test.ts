import { afterEach, expect, test, vi } from 'vitest'
import * as z from 'zod'
import {
  elicit,
  InputRequired,
  localChanges,
  type ServeOptions,
  type Server,
  sealWith,
  serve,
  tool,
} from '../../../src/mcp/index.ts'
import { ask, MODERN, requestOf } from '../../support/mcp.ts'

/** Features of the modern era only: questions across several calls, sealed state, subscriptions. */

const name = z.object({ name: z.string() })
const server: Server = {
  name: 'modern',
  version: '1.0.0',
  changes: localChanges(),
  tools: [
    tool({
      name: 'introduce',
      description: 'Asks twice.',
      input: z.object({ formal: z.boolean().default(false) }),
      run({ formal }, context) {
        const first = elicit(context, 'first', 'Your name?', name)
        if (first instanceof InputRequired) return first
        const second = elicit(context, 'second', `${first?.name}, and theirs?`, name)
        if (second instanceof InputRequired) return second
        return `${formal ? 'May I introduce' : 'Meet'} ${first?.name} and ${second?.name}`
      },
    }),
    ...Array.from({ length: 250 }, (_, n) =>
      tool({ name: `t${n}`, description: 'One of many.', input: z.object({}), run: () => 'ok' }),
    ),
  ],
}
const options: ServeOptions = { server, seal: sealWith('a secret all isolates share') }
const able = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }

const call = (params: object, more: Partial<ServeOptions> = {}) =>
  ask(
    { ...options, ...more },
    requestOf(MODERN, {
      method: 'tools/call',
      params: { name: 'introduce', arguments: {}, _meta: able, ...params },
    }),
  )
const accept = (value: string) => ({ action: 'accept', content: { name: value } })

afterEach(() => vi.useRealTimers())

test('a tool that asks twice gets both answers in three calls that share one state', async () => {
  const first = (await call({})).body.result
  expect(first).toMatchObject({
    resultType: 'input_required',
    inputRequests: { first: { method: 'elicitation/create' } },
  })
  expect(first).not.toHaveProperty('ttlMs')
  const round = { inputResponses: { first: accept('Ada') }, requestState: first.requestState }
  const second = (await call(round, { seal: sealWith('a secret all isolates share') })).body.result
  expect(second.inputRequests.second.params.message).toBe('Ada, and theirs?')
  const last = { inputResponses: { second: accept('Bo') }, requestState: second.requestState }
  const { result } = (await call(last)).body
  expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'Meet Ada and Bo' }] })
})

test('a state is refused if it is changed, expired, or used elsewhere', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { requestState } = (await call({})).body.result
  const inputResponses = { first: accept('Ada') }
  const refused = async (params: object, more: Partial<ServeOptions> = {}) => {
    const { status, body } = await call({ inputResponses, requestState, ...params }, more)
    expect([status, body.error?.code]).toEqual([200, -32602])
  }
  await refused({ requestState: `${requestState}x` })
  await refused({ requestState: requestState.slice(2) })
  await refused({ requestState: 7 })
  await refused({ arguments: { formal: true } })
  await refused({ name: 't1' })
  await refused({}, { caller: { subject: 'somebody else', scopes: [] } })
  await refused({}, { seal: sealWith('another secret') })
  expect((await call({ inputResponses, requestState })).body.result.resultType).toBe(
    'input_required',
  )
  vi.setSystemTime(Date.now() + 16 * 60_000)
  await refused({})
})

test('invalid answers and answers to other questions are requested again', async () => {
  for (const inputResponses of [
    {},
    { other: accept('x') },
    { first: 7 },
    { first: { action: 'accept', content: { name: 1 } } },
  ]) {
    const { result } = (await call({ inputResponses })).body
    expect(Object.keys(result.inputRequests)).toEqual(['first'])
  }
  expect((await call({ inputResponses: null })).body.error.code).toBe(-32602)
})

test('a user who declines is not asked again', async () => {
  for (const action of ['decline', 'cancel']) {
    const { result } = (await call({ inputResponses: { first: { action } } })).body
    expect(Object.keys(result.inputRequests)).toEqual(['second'])
  }
})

test('a client is asked only the kinds of questions that it declared', async () => {
  for (const elicitation of [undefined, { url: {} }]) {
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation } }
    const { status, body } = await call({ _meta })
    expect(status).toBe(400)
    expect(body.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: {} } },
    })
  }
})

test('lists have pages, and a changed or foreign cursor is refused', async () => {
  const list = async (method: string, cursor?: string) =>
    (await ask(options, requestOf(MODERN, { method, params: cursor ? { cursor } : {} }))).body
  const names: string[] = []
  let cursor: string | undefined
  do {
    const { result } = await list('tools/list', cursor)
    names.push(...result.tools.map((it: { name: string }) => it.name))
    cursor = result.nextCursor
  } while (cursor)
  expect(names).toEqual(server.tools?.map((it) => it.name))
  const { nextCursor } = (await list('tools/list')).result
  expect((await list('tools/list', `${nextCursor}A`)).error.code).toBe(-32602)
  expect((await list('tools/list', '100')).error.code).toBe(-32602)
  expect((await list('prompts/list', nextCursor)).error.code).toBe(-32602)
})

test('a subscription is acknowledged first, filtered, and labeled with its ID', async () => {
  const notifications = { toolsListChanged: true, resourceSubscriptions: ['a:1'] }
  const request = requestOf(MODERN, {
    id: 'l',
    method: 'subscriptions/listen',
    params: { notifications },
  })
  const response = await serve(request, options)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const next = async () => JSON.parse(/^data: (.*)$/m.exec((await reader.read()).value ?? '')![1]!)
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 'l' }
  expect(await next()).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications, _meta },
  })
  for (const change of [
    { kind: 'prompts' },
    { kind: 'resource', uri: 'a:2' },
    { kind: 'resource', uri: 'a:1' },
    { kind: 'tools' },
  ] as const) {
    await server.changes!.publish(change)
  }
  expect(await next()).toMatchObject({
    method: 'notifications/resources/updated',
    params: { uri: 'a:1', _meta },
  })
  expect(await next()).toMatchObject({
    method: 'notifications/tools/list_changed',
    params: { _meta },
  })
  await reader.cancel()
})

test('an invalid argument that has a header is refused by its schema', async () => {
  const region = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) })
  const there = tool({ name: 't', description: 'Goes.', input: region, run: () => 'gone' })
  for (const value of [{ toString: 1 }, { toString: null, valueOf: 1 }, [[]], {}]) {
    const params = { name: 't', arguments: { region: value } }
    const request = requestOf(MODERN, { method: 'tools/call', params })
    const { status, body } = await ask({ server: { ...server, tools: [there] } }, request)
    expect([status, body.error, body.result?.isError]).toEqual([200, undefined, true])
  }
})
