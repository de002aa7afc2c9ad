import '../support/workers-module.ts'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { SECRET } from '../support/registry-api.ts'

vi.mock('cloudflare:workers', () => ({ DurableObject: class {}, waitUntil() {} }))

const { app } = await import('../../src/door/app.ts')

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))

/** A deployment whose authorization server is restarted during a request. */
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

describe('an authorization server that does not respond', () => {
  test.each([
    ['/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token' }) }],
    ['/register', { method: 'POST', body: '{}' }],
    ['/.well-known/oauth-authorization-server', {}],
  ])('causes an OAuth error at %s, after which apps keep their tokens', async (path, init) => {
    const answer = await ask(path, init)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'The sign-in service is not responding. Try again in a few seconds.',
    })
  })

  test.each(['/authorize?client_id=x', '/signin', '/signin/callback'])(
    'leads to an error page at %s',
    async (path) => {
      const answer = await ask(path)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        503,
        'text/html; charset=utf-8',
      ])
      expect(await answer.text()).toContain('is not responding. Try again in a few seconds.')
    },
  )

  test('does not keep a request waiting forever', async () => {
    // A first request loads its data before the clock is stopped.
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
