import { expect, test } from 'vitest'
import { DatabaseError } from '../../src/database/index.ts'
import { ConfigError, readEndpoints } from '../../src/gateway/index.ts'
import type { CredentialIo } from '../../src/gateway/open/endpoint-database.ts'
import { located } from '../../src/gateway/open/open-database.ts'
import { locateAll } from '../../src/gateway/open/pipeline.ts'
import { failure } from '../support/failure.ts'

/** An endpoint with these databases. */
function endpointOf(databases: Readonly<Record<string, string>>) {
  const urls = Object.entries(databases).map(([name, url]) => [name, { url }])
  const shop = { name: 'shop', title: 'Shop', databases: Object.fromEntries(urls) }
  return readEndpoints({ ENDPOINTS: JSON.stringify([shop]) })[0]!
}

const io: CredentialIo = { fetch, bindings: {} }
const missing = { message: expect.stringContaining('SHOP_URL'), reason: 'secret_missing' }

test('a database that cannot be opened has a reason, and the others still open', async () => {
  const all = locateAll(endpointOf({ good: 'demo:', bad: 'secret:SHOP_URL' }), io)
  expect(all.get('good')!.problem).toBeUndefined()
  expect((await all.get('good')!.open()).dialect.name).toBe('sqlite')
  const { problem, open } = all.get('bad')!
  expect(problem).toBeInstanceOf(ConfigError)
  expect(problem).toMatchObject({ ...missing, subject: 'SHOP_URL' })
  expect(await failure(open())).toMatchObject({
    kind: 'config',
    message: expect.stringMatching(/^This database cannot be opened\. .* SHOP_URL /),
  })
})

test('an endpoint where no database can be opened throws the error of the first', () => {
  const endpoint = endpointOf({ first: 'secret:SHOP_URL', second: 'secret:OTHER_URL' })
  expect(() => locateAll(endpoint, io)).toThrow(
    expect.objectContaining({ ...missing, subject: 'SHOP_URL' }),
  )
})

test('a configuration error of a driver becomes a ConfigError with the same reason and subject', () => {
  const because = { reason: 'login_secret_missing', subject: 'SHOP_KEY' } as const
  const credential = () => {
    throw new DatabaseError('config', 'It is so.', because)
  }
  const { main } = endpointOf({ main: 'secret:SHOP_URL' }).databases
  const stored = { ...main!, url: 'credential:a1' }
  const found = () => located(stored, { ...io, credential })
  expect(found).toThrow(ConfigError)
  expect(found).toThrow(expect.objectContaining({ message: 'It is so.', ...because }))
})
