import { describe, expect, test } from 'vitest'
import { until } from '../../../src/database/transport/deadline.ts'

const never = new Promise<never>(() => {})

describe('until', () => {
  test('returns the outcome of the work if that comes first', async () => {
    const { signal } = new AbortController()
    expect(await until(signal, Promise.resolve(7))).toBe(7)
    await expect(until(signal, Promise.reject(new Error('its own')))).rejects.toThrow('its own')
  })

  test('rejects with the reason of the signal if that comes first', async () => {
    const caller = new AbortController()
    const reason = new Error('gone')
    const work = until(caller.signal, never)
    caller.abort(reason)
    await expect(work).rejects.toBe(reason)
    await expect(until(caller.signal, never)).rejects.toBe(reason)
  })

  test('ignores a later failure of the work', async () => {
    const late = Promise.withResolvers<never>()
    const reason = new Error('gone')
    await expect(until(AbortSignal.abort(reason), late.promise)).rejects.toBe(reason)
    late.reject(new Error('late'))
  })
})
