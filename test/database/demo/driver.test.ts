import { describe, expect, test } from 'vitest'
import type { Io } from '../../../src/database/database.ts'
import { demo } from '../../../src/database/demo/driver.ts'
import { DatabaseError } from '../../../src/database/error.ts'
import { guarded } from '../../../src/database/guard/guarded.ts'

const limits = { maxRows: 10, maxBytes: 1000, timeoutMs: 1000 }

/** A namespace of Durable Objects that answers as told, or when told to give up. */
function store(answer: (request: Request) => Response | Promise<Response>) {
  const names: string[] = []
  const namespace = {
    idFromName: (name: string) => names.push(name) && name,
    get: () => ({
      fetch: (url: string, init: RequestInit) =>
        new Promise((resolve, reject) => {
          init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
          const request = new Request(url, init)
          Promise.resolve(request).then(answer).then(resolve, reject)
        }),
    }),
  }
  const io: Io = { fetch, bindings: { DEMO: namespace } }
  return { names, database: guarded(demo.open(new URL('demo:'), io)) }
}

const never = () => new Promise<Response>(() => {})
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  )

describe('the driver of the demo store', () => {
  test('opens demo: and nothing else', () => {
    expect(demo.opens(new URL('demo:'))).toBe(true)
    expect(demo.opens(new URL('postgres://demo/'))).toBe(false)
  })

  test('asks the one store for rows and adds the time', async () => {
    const { database, names } = store(async (request) => {
      expect(await request.json()).toEqual({
        sql: 'select ?',
        params: [1],
        maxRows: 10,
        maxBytes: 1000,
      })
      return Response.json({
        columns: [{ name: '?', type: 'integer' }],
        rows: [[1]],
        truncated: false,
      })
    })
    const rows = await database.query({ sql: 'select ?', params: [1] }, limits)
    expect(rows).toMatchObject({ rows: [[1]], truncated: false })
    expect(rows.elapsedMs).toBeGreaterThanOrEqual(0)
    expect(names).toEqual(['store'])
  })

  test('throws what the store says', async () => {
    const error = { kind: 'sql', message: 'no such column: x', code: 'SQLITE_ERROR', position: 8 }
    const { database } = store(() => Response.json({ error }))
    const thrown = await failure(database.query({ sql: 'select x' }, limits))
    expect(thrown).toBeInstanceOf(DatabaseError)
    expect(thrown).toMatchObject(error)
  })

  test('gives up when the time is over', async () => {
    const { database } = store(never)
    const thrown = await failure(database.query({ sql: 'select 1' }, { ...limits, timeoutMs: 20 }))
    expect(thrown).toMatchObject({
      kind: 'timeout',
      message: 'The query was stopped after 0.02 seconds.',
    })
  })

  test('gives up when nobody waits any more', async () => {
    const { database } = store(never)
    const caller = new AbortController()
    setTimeout(() => caller.abort(), 10)
    const waiting = database.query({ sql: 'select 1' }, { ...limits, signal: caller.signal })
    expect(await failure(waiting)).toMatchObject({
      kind: 'timeout',
      message: 'The query was cancelled by the client.',
    })
  })

  test('keeps to itself why a store breaks', async () => {
    const { database } = store(() => Promise.reject(new Error('a secret')))
    const thrown = await failure(database.query({ sql: 'select 1' }, limits))
    expect(thrown).toMatchObject({ kind: 'network' })
    expect(String(thrown)).not.toContain('secret')
  })

  test('tells the operator which binding is missing', async () => {
    const database = demo.open(new URL('demo:'), { fetch, bindings: {} })
    const thrown = await failure(database.query({ sql: 'select 1' }, limits))
    expect(thrown).toMatchObject({ kind: 'config', message: expect.stringContaining('DEMO') })
  })
})
