import { expect, test, vi } from 'vitest'
import { DemoStore } from '../../../src/database/demo/demo-store.ts'

test('logs why it fails, which its Worker does not hear', async () => {
  const logged = vi.spyOn(console, 'error').mockReturnValue()
  const store = new DemoStore({ storage: {} } as DurableObjectState)
  const request = new Request('https://demo/', { method: 'POST', body: 'no JSON' })
  await expect(store.fetch(request)).rejects.toThrow(SyntaxError)
  expect(logged).toHaveBeenCalledWith(expect.any(SyntaxError))
  logged.mockRestore()
})
