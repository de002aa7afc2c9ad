import { afterEach, expect, test, vi } from 'vitest'
import { engines } from '../../src/database/engines.ts'
import { locate } from '../../src/database/open.ts'

afterEach(() => vi.restoreAllMocks())

test('a database is opened again after its engine could not be read once', async () => {
  const engine = engines.find(({ schemes }) => Object.hasOwn(schemes, 'rqlite'))!
  vi.spyOn(engine, 'read').mockRejectedValueOnce(new Error('the module cannot be read'))
  const { open } = locate('rqlite://127.0.0.1', { fetch, bindings: {} })
  await expect(open()).rejects.toThrow('the module cannot be read')
  const database = await open()
  expect(await open()).toBe(database)
})
