import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { readEndpoints } from '../../src/gateway/config/endpoint.ts'
import { gateway } from '../../src/gateway/index.ts'
import { durableChanges, serve } from '../../src/mcp/index.ts'
import { MODERN, requestOf } from '../support/mcp.ts'

afterEach(() => vi.useRealTimers())

const [endpoint] = readEndpoints({
  ENDPOINTS: JSON.stringify([
    { name: 'e', title: 'E', databases: { shop: { url: 'd1:TEST_DB' } } },
  ]),
})

/** One isolate's server, with its own memory and a shared hub. */
const isolate = () =>
  gateway(
    endpoint!,
    { fetch: (...args) => fetch(...args), bindings: { ...env } },
    { carrier: durableChanges(() => env.SESSIONS, 'hub:schema-test') },
  )

test('a schema change reaches its subscribers, whichever isolate detects it', async () => {
  const d1 = (env as unknown as { TEST_DB: D1Database }).TEST_DB
  await d1.exec('create table watched (id integer primary key)')
  const uri = 'schema://shop/watched'
  const notifications = { resourcesListChanged: true, resourceSubscriptions: [uri] }
  const request = requestOf(MODERN, { method: 'subscriptions/listen', params: { notifications } })
  const reader = (await serve(request, { server: isolate() })).body!.getReader()
  const next = async () => new TextDecoder().decode((await reader.read()).value)
  expect(await next()).toContain('acknowledged')

  const read = async (at = uri) => {
    const asked = requestOf(MODERN, { method: 'resources/read', params: { uri: at } })
    const { body } = await serve(asked, { server: isolate() })
    return new Response(body).text()
  }
  expect(await read()).toContain('id integer primary key')
  await read()
  await d1.exec('alter table watched add column note text')
  expect(await read()).toContain('note text')
  await read()
  const told = (await next()) + (await next())
  expect(told).toContain(`"method":"notifications/resources/updated","params":{"uri":"${uri}"`)
  expect(told).toContain('notifications/resources/list_changed')
  const overview = await read('schema://shop')
  expect(overview).toContain('watched (table)')
  expect(overview).not.toMatch(/sqlite_|_cf_/)
  await d1.exec('drop table watched')
  expect(await read()).toContain('There is no resource at this address.')
  expect((await next()) + (await next())).toContain('list_changed')
  await reader.cancel()
})
