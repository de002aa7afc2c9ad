import type { LookupAddress, LookupOptions } from 'node:dns'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

vi.mock('cloudflare:workers', () => import('../../src/node/workers.ts'))

const { publicFetch, publicFetchBy } = await import('../../src/node/public-fetch.ts')

let asked = 0
const server = createServer((_, answer) => {
  asked++
  answer.end('private')
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.close()
})

/** A fetch for which every name resolves to these addresses. */
const fetchWhere = (...addresses: string[]) =>
  publicFetchBy(((
    _: string,
    __: LookupOptions,
    done: (error: null, found: LookupAddress[]) => void,
  ) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as never)

const causeOf = (asking: Promise<Response>) =>
  asking.then(
    async (answer) => answer.text(),
    (error: Error) => String((error.cause as Error | undefined)?.message),
  )

test.each([
  'http://127.0.0.1:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::1]:PORT/',
  'http://2130706433:PORT/',
  'http://localhost:PORT/',
  'http://169.254.169.254/latest/meta-data',
])('%s is not fetched', async (url) => {
  expect(await causeOf(publicFetch(url.replace('PORT', `${port}`)))).toBe(
    'This is not a public address.',
  )
  expect(asked).toBe(0)
})

test.each([[['127.0.0.1']], [['10.1.2.3']], [['fd00::1']], [['93.184.216.34', '127.0.0.1']]])(
  'a name that resolves to %j at the time of the connection is not fetched',
  async (addresses) => {
    const fetching = fetchWhere(...addresses)(`http://app.example:${port}/`)
    expect(await causeOf(fetching)).toBe('This is not a public address.')
    expect(asked).toBe(0)
  },
)
