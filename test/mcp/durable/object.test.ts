import { afterEach, expect, test, vi } from 'vitest'
import { sessionObject } from '../../../src/mcp/durable/object.ts'

afterEach(() => {
  vi.doUnmock('../../../src/mcp/durable/object-roles.ts')
  vi.restoreAllMocks()
})

test('an object loads its code again after the first load failed', async () => {
  const failed = vi.fn().mockImplementationOnce(() => {
    throw new Error('the module cannot be read')
  })
  vi.doMock('../../../src/mcp/durable/object-roles.ts', () => ({
    ObjectRoles: class {
      constructor() {
        failed()
      }
      fetch = () => new Response('served')
    },
  }))
  const logged = vi.spyOn(console, 'error').mockReturnValue()
  const McpSession = sessionObject({} as Parameters<typeof sessionObject>[0])
  const object = new McpSession({} as DurableObjectState, {})
  const request = () => object.fetch(new Request('https://session/'))
  await expect(request()).rejects.toThrow('the module cannot be read')
  expect(logged).toHaveBeenCalledOnce()
  expect(await (await request()).text()).toBe('served')
})
