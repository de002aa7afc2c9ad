import { describe, expect, it } from 'vitest'
import { ConfigError, readEndpoints } from '../../src/gateway/index.ts'

const read = (url: string) =>
  readEndpoints({
    ENDPOINTS: JSON.stringify([{ name: 'shop', title: 'Shop', databases: { shop: { url } } }]),
  })

describe('the URL of a database in ENDPOINTS', () => {
  it.each(['demo:', 'secret:SHOP_URL', 'hyperdrive:SHOP'])('may be %s', (url) => {
    expect(read(url)[0]!.databases.shop!.url).toBe(url)
  })

  it.each([
    'postgres://app:hunter2@db.example.com/shop',
    'hyperdrive:',
    'hyperdrive:SHOP?password=hunter2',
    'demo:hunter2',
  ])('holds nothing that had to be hidden: not %s', (url) => {
    let error: unknown
    try {
      read(url)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).message).toContain('"hyperdrive:BINDING"')
    expect((error as ConfigError).message).not.toContain('hunter2')
  })
})

it.each([
  ['{}', 'at least one database'],
  ['{"Shop":{"url":"demo:"}}', 'names in lower case'],
  ['{"__proto__":{"url":"demo:"}}', 'at least one database'],
  ['[]', 'expected object'],
])('no endpoint has as its databases %s', (databases, sentence) => {
  const ENDPOINTS = `[{"name":"shop","title":"Shop","databases":${databases}}]`
  expect(() => readEndpoints({ ENDPOINTS })).toThrow(ConfigError)
  expect(() => readEndpoints({ ENDPOINTS })).toThrow(sentence)
})

it('an endpoint has the caps and keeps what is usual, where it says nothing of them', () => {
  expect(read('demo:')[0]).toMatchObject({
    caps: { rows: 200, bytes: 10_000, cell: 1_000, timeoutMs: 20_000 },
    keep: { rows: 2_000, bytes: 250_000, repeatSeconds: 0 },
    ...{ sql: true, format: 'json', access: 'key' },
  })
  const some = { name: 'shop', title: 'Shop', databases: { shop: { url: 'demo:' } } }
  const of = (more: object) => readEndpoints({ ENDPOINTS: JSON.stringify([{ ...some, ...more }]) })
  expect(of({ caps: { rows: 7 }, keep: { rows: 9 } })[0]).toMatchObject({
    caps: { rows: 7, bytes: 10_000 },
    keep: { rows: 9, bytes: 250_000 },
  })
  expect(of({ keep: false })[0]!.keep).toBe(false)
})
