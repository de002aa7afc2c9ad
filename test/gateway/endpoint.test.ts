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
