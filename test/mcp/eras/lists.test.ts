import { expect, test } from 'vitest'
import {
  localChanges,
  memorySessions,
  noResource,
  type Server,
  serve,
} from '../../../src/mcp/index.ts'
import { ask, LEGACY, MODERN, postOf, requestOf } from '../../support/mcp.ts'

/** Lists that are computed for each request, completion of long lists, and changes to whole trees. */

let shelves = 250
const books = (shelf: string) => (offset: number) => {
  const end = Math.min(offset + 120, shelves)
  const items = Array.from({ length: end - offset }, (_, i) => ({
    uri: `book://${shelf}/${offset + i}`,
    name: `${shelf} ${offset + i}`,
  }))
  return { items, next: end < shelves ? end : undefined }
}
const server: Server = {
  name: 'library',
  title: 'Library',
  version: '1.0.0',
  icons: [{ src: 'data:,x' }],
  websiteUrl: 'https://example.com',
  changes: { ...localChanges(), lists: ['resources'] },
  tools: [],
  prompts: [],
  resources: [
    { uri: 'book://a', name: 'a', ttlMs: 7_000, read: () => 'All of a.' },
    {
      uri: 'book://a/{id}',
      name: 'book of a',
      list: books('a'),
      complete: { id: (begun) => ({ values: [begun, `${begun}0`], total: 5_000 }) },
      read: ({ id }, context, uri) => {
        if (id === 'none') throw noResource(context, uri, 'Did you mean a?')
        return id
      },
    },
    { uri: 'book://b/{id}', name: 'book of b', list: books('b'), read: ({ id }) => id },
    { uri: 'book://c/{id}', name: 'book of c', read: ({ id }) => id },
  ],
}
const options = { server }
const call = async (version: string, method: string, params = {}) =>
  (await ask(options, requestOf(version, { method, params }))).body

test.each([MODERN, LEGACY[0], LEGACY[3]])(
  'in %s resources/list continues with the resources under templates, computed each time',
  async (version) => {
    for (const count of [250, 3]) {
      shelves = count
      const uris: string[] = []
      const sizes: number[] = []
      let cursor: string | undefined
      do {
        const { result } = await call(version, 'resources/list', cursor ? { cursor } : {})
        uris.push(...result.resources.map((it: { uri: string }) => it.uri))
        sizes.push(result.resources.length)
        cursor = result.nextCursor
      } while (cursor)
      expect(uris).toHaveLength(1 + 2 * count)
      expect(new Set(uris).size).toBe(uris.length)
      expect(uris[0]).toBe('book://a')
      expect(uris.at(-1)).toBe(`book://b/${count - 1}`)
      expect(sizes).toEqual(count === 3 ? [7] : [121, 120, 130, 120, 10])
    }
    const { result } = await call(version, 'resources/templates/list')
    expect(result.resourceTemplates).toHaveLength(3)
  },
)

test('a read result states its lifetime if the revision supports it', async () => {
  const modern = (await call(MODERN, 'resources/read', { uri: 'book://a' })).result
  expect([modern.ttlMs, modern.cacheScope]).toEqual([7_000, 'private'])
  expect((await call(MODERN, 'resources/read', { uri: 'book://c/1' })).result.ttlMs).toBe(0)
  const legacy = (await call(LEGACY[3], 'resources/read', { uri: 'book://a' })).result
  expect(Object.keys(legacy)).toEqual(['contents'])
})

test('the error for a missing resource has its era’s code and can suggest another', async () => {
  const message = 'There is no resource at this address. Did you mean a?'
  const uri = 'book://a/none'
  expect((await call(MODERN, 'resources/read', { uri })).error).toEqual({
    ...{ code: -32602, message, data: { uri } },
  })
  expect((await call(LEGACY[2], 'resources/read', { uri })).error.code).toBe(-32002)
})

test('a completion shows the first of many values, and their total', async () => {
  const ref = { type: 'ref/resource', uri: 'book://a/{id}' }
  const argument = { name: 'id', value: '1' }
  for (const version of [MODERN, LEGACY[3]]) {
    const { completion } = (await call(version, 'completion/complete', { ref, argument })).result
    expect(completion).toEqual({ values: ['1', '10'], total: 5_000, hasMore: true })
  }
})

test('only lists that can change are declared to change', async () => {
  const resources = { listChanged: true, subscribe: true }
  const offered = { tools: {}, prompts: {}, resources, completions: {} }
  expect((await call(MODERN, 'server/discover')).result.capabilities).toEqual(offered)
  const asked = { protocolVersion: '2025-11-25', capabilities: {} }
  expect((await call(LEGACY[3], 'initialize', asked)).result.capabilities).toEqual(offered)
})

test('icons and URL are in the introduction, but not in every response', async () => {
  const of = ({ result }: Awaited<ReturnType<typeof call>>) =>
    result._meta['io.modelcontextprotocol/serverInfo']
  const { icons, websiteUrl } = server
  const named = { name: 'library', title: 'Library', version: '1.0.0' }
  expect(of(await call(MODERN, 'server/discover'))).toEqual({ ...named, icons, websiteUrl })
  expect(of(await call(MODERN, 'tools/list'))).toEqual(named)
})

const tree = (version: string) => ({ kind: 'tree', uri: 'book://a', version }) as const

test('a tree’s new version is sent once to watchers of the tree or a part of it', async () => {
  const resourceSubscriptions = ['book://a', 'book://a/1', 'book://ab', 'book://b/1']
  const notifications = {
    ...{ toolsListChanged: true, resourcesListChanged: true },
    resourceSubscriptions,
  }
  const request = requestOf(MODERN, { method: 'subscriptions/listen', params: { notifications } })
  const response = await serve(request, options)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const next = async () => JSON.parse(/^data: (.*)$/m.exec((await reader.read()).value ?? '')![1]!)
  expect((await next()).params.notifications).toEqual({
    ...{ resourcesListChanged: true, resourceSubscriptions },
  })
  for (const version of ['1', '1', '2', '2', '1']) await server.changes!.publish(tree(version))
  for (let changed = 0; changed < 2; changed++) {
    const told = [await next(), await next(), await next()]
    expect(told.map(({ method, params }) => [method, params.uri])).toEqual([
      ['notifications/resources/updated', 'book://a'],
      ['notifications/resources/updated', 'book://a/1'],
      ['notifications/resources/list_changed', undefined],
    ])
  }
  await server.changes!.publish({ kind: 'resource', uri: 'book://b/1' })
  expect((await next()).params.uri).toBe('book://b/1')
  await reader.cancel()
})

test('a tree’s new version is sent to sessions subscribed to a part of it', async () => {
  const sessions = memorySessions(() => server)
  const send = (message: object, headers: Record<string, string> = {}) =>
    serve(postOf({ jsonrpc: '2.0', ...message }, headers), { server, sessions })
  const params = { protocolVersion: '2025-11-25', capabilities: {} }
  const opened = await send({ id: 1, method: 'initialize', params })
  const id = { 'mcp-session-id': opened.headers.get('mcp-session-id')! }
  await send({ method: 'notifications/initialized' }, id)
  const uri = 'book://a/1'
  await (await send({ id: 2, method: 'resources/subscribe', params: { uri } }, id)).text()
  const get = new Request('http://127.0.0.1/mcp', { headers: id })
  const stream = await serve(get, { server, sessions })
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  await reader.read()
  for (const version of ['a', 'b']) await server.changes!.publish(tree(version))
  let told = ''
  while (!/list_changed.*list_changed/s.test(told)) told += (await reader.read()).value
  expect(told.match(/"uri":"[^"]*"/g)).toEqual(['"uri":"book://a/1"', '"uri":"book://a/1"'])
  await reader.cancel()
})
