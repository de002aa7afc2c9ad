import { describe, expect, test } from 'vitest'
import { DatabaseError } from '../../../src/database/error.ts'
import { doorOf, logInPatiently } from '../../../src/database/transport/patient-login.ts'

const full = ['53300']
const never = new AbortController().signal
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A server with a maximum number of connections, which counts login attempts. */
function serverOf(room: number) {
  let inside = 0
  const seen = { most: 0, knocks: 0 }
  const logIn = async () => {
    seen.knocks++
    await pause(1)
    if (inside === room) throw new DatabaseError('network', 'full', { code: '53300' })
    seen.most = Math.max(seen.most, ++inside)
  }
  const call = async (door: string, timeoutMs = 60_000, signal = never) => {
    await logInPatiently(logIn, full, timeoutMs, signal, door)
    await pause(2)
    inside--
  }
  return { seen, call, logIn, fill: () => (inside = room), free: () => (inside = 0) }
}

describe('login to a full server', () => {
  test('succeeds for each of 200 callers with few attempts', async () => {
    const { seen, call } = serverOf(20)
    await Promise.all(Array.from({ length: 200 }, () => call('crowd')))
    expect(seen.most).toBe(20)
    expect(seen.knocks).toBeLessThan(4_000)
  })

  test('fails with a clear message after the time limit of the query', async () => {
    const { call, fill } = serverOf(1)
    fill()
    const error = await call('full', 300).catch((thrown) => thrown)
    expect(error).toMatchObject({
      kind: 'network',
      code: '53300',
      message: 'The database has no connection to spare. Try again later.',
    })
  })

  test('stops for a caller that aborts, without blocking the next one', async () => {
    const { call, fill, free } = serverOf(1)
    fill()
    const leaving = new AbortController()
    const first = call('left', 60_000, leaving.signal).catch((thrown) => thrown)
    await pause(20)
    const second = call('left')
    leaving.abort(new Error('gone'))
    expect(await first).toMatchObject({ message: 'gone' })
    free()
    await second
  })

  test('does not delay logins in another queue', async () => {
    const { call, fill, free } = serverOf(1)
    fill()
    const waiting = call('one')
    await pause(20)
    const other = serverOf(1)
    await other.call('other')
    expect(other.seen.knocks).toBe(1)
    free()
    await waiting
  })

  test('reports another error at once', async () => {
    const wrong = () => Promise.reject(new DatabaseError('auth', 'no', { code: '28P01' }))
    const error = await logInPatiently(wrong, full, 60_000, never, 'x').catch((thrown) => thrown)
    expect(error).toMatchObject({ kind: 'auth' })
  })
})

test('a queue is identified by servers, database, user and role', () => {
  const login = { host: 'h', port: 1, user: 'u', database: 'd', password: 'hunter2' }
  const same = doorOf([login], undefined)
  expect(doorOf([{ ...login }], undefined)).toBe(same)
  expect(same).not.toContain('hunter2')
  const others = [{ host: 'i' }, { port: 2 }, { user: 'v' }, { database: 'e' }]
  for (const it of others) expect(doorOf([{ ...login, ...it }], undefined)).not.toBe(same)
  expect(doorOf([login], 'r')).not.toBe(same)
})
