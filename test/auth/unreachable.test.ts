import '../support/workers-module.ts'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { SECRET } from '../support/registry-api.ts'

vi.mock('cloudflare:workers', () => ({ DurableObject: class {}, waitUntil() {} }))

const { app } = await import('../../src/app.ts')

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))

/** A deployment whose authorization server is restarted while it is asked. */
const env = {
  TIDEGATE_KEY: 'operator',
  TIDEGATE_SECRET: SECRET,
  TIDEGATE_PASSPHRASE: 'tulip harbor seven lanterns',
  AUTHORIZATION: {
    idFromName: () => 'authorization',
    get: () => ({
      fetch: () => Promise.reject(new Error('Durable Object reset because its code was updated.')),
    }),
  },
}

const ask = (path: string, init?: RequestInit) =>
  app.request(`https://tidegate.example${path}`, init, env as never)

describe('an authorization server that does not answer', () => {
  test.each([
    ['/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token' }) }],
    ['/register', { method: 'POST', body: '{}' }],
    ['/.well-known/oauth-authorization-server', {}],
  ])('is an error of OAuth at %s, after which apps keep what they have', async (path, init) => {
    const answer = await ask(path, init)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'The sign-in does not answer. Try again in a few seconds.',
    })
  })

  test.each(['/authorize?client_id=x', '/signin', '/signin/callback'])(
    'is a page at %s',
    async (path) => {
      const answer = await ask(path)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        503,
        'text/html; charset=utf-8',
      ])
      expect(await answer.text()).toContain('does not answer. Try again in a few seconds.')
    },
  )

  test('is not waited for without end', async () => {
    // What a request reads first is read before the clock stands still.
    await ask('/token', { method: 'POST', body: new URLSearchParams() })
    const silent = { idFromName: () => '', get: () => ({ fetch: () => new Promise(() => {}) }) }
    vi.useFakeTimers()
    try {
      const init = { method: 'POST', body: new URLSearchParams() }
      const asked = app.request('https://tidegate.example/token', init, {
        ...env,
        AUTHORIZATION: silent,
      } as never)
      let status: number | undefined
      void Promise.resolve(asked).then((it) => {
        status = it.status
      })
      await vi.advanceTimersByTimeAsync(29_000)
      expect(status).toBeUndefined()
      await vi.advanceTimersByTimeAsync(2_000)
      expect(status).toBe(503)
    } finally {
      vi.useRealTimers()
    }
  })
})
