import '../support/workers-module.ts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

vi.mock('cloudflare:workers', () => ({ DurableObject: class {}, waitUntil() {} }))

const { IssuerFault } = await import('../../src/auth/issuer/ask.ts')
const { DocumentCache } = await import('../../src/auth/issuer/kept.ts')

const MINUTE = 60_000

describe('while an issuer does not respond', () => {
  let logs: string[]
  beforeEach(() => {
    vi.useFakeTimers()
    logs = []
    vi.spyOn(console, 'error').mockImplementation((line) => void logs.push(String(line)))
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  const down = () => Promise.reject(new IssuerFault('The identity provider did not answer.'))

  test('its last response is used for an hour and no longer', async () => {
    const kept = new DocumentCache<string>()
    expect(await kept.get('https://idp.example', async () => 'keys')).toBe('keys')
    for (let minutes = 11; minutes < 60; minutes += 8) {
      vi.setSystemTime(Date.now() + 8 * MINUTE)
      expect(await kept.get('https://idp.example', down)).toBe('keys')
    }
    vi.setSystemTime(Date.now() + 20 * MINUTE)
    await expect(kept.get('https://idp.example', down)).rejects.toThrow(IssuerFault)
  })

  test('older keys are used, and only the first request waits for it', async () => {
    const kept = new DocumentCache<string>()
    await kept.get('https://idp.example', async () => 'keys')
    vi.setSystemTime(Date.now() + 15 * MINUTE)
    const asked = kept.get('https://idp.example', () => new Promise(() => {}))
    const meanwhile = await kept.get('https://idp.example', () => new Promise(() => {}))
    expect(meanwhile).toBe('keys')
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await asked).toBe('keys')
  })

  test('the failure is logged once, and again only after the issuer has responded', async () => {
    const kept = new DocumentCache<string>()
    await kept.get('https://idp.example', async () => 'keys')
    for (let i = 0; i < 5; i++) {
      vi.setSystemTime(Date.now() + 11 * MINUTE)
      await kept.get('https://idp.example', down)
    }
    expect(logs).toEqual(['Issuer idp.example: The identity provider did not answer.'])
    vi.setSystemTime(Date.now() + MINUTE)
    expect(await kept.get('https://idp.example', async () => 'newer')).toBe('newer')
    vi.setSystemTime(Date.now() + 11 * MINUTE)
    expect(await kept.get('https://idp.example', down)).toBe('newer')
    expect(logs).toHaveLength(2)
  })
})
