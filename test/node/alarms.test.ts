import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test, vi } from 'vitest'
import { aboutNow, inLog } from '../../src/node/logged.ts'
import { Alarms } from '../../src/node/objects/alarms.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Alarms in a database, with the logged errors. */
function started(wake: (kind: string, name: string) => Promise<void>) {
  vi.useFakeTimers()
  const logs: unknown[] = []
  vi.spyOn(console, 'error').mockImplementation((error) => void logs.push(error))
  const database = new DatabaseSync(':memory:')
  const alarms = new Alarms(database, wake)
  // Like a full disk: reads work, but writes fail.
  const setFull = (isFull: boolean) => database.exec(`pragma query_only = ${isFull ? 1 : 0}`)
  return { alarms, logs, setFull, set: () => alarms.of('RECORDS', 'a', () => {}).set(Date.now()) }
}

test('an alarm on a full disk does not end the process, is logged once, and fires later', async () => {
  const woken: string[] = []
  const { alarms, logs, set, setFull } = started(async (kind, name) => void woken.push(kind + name))
  set()
  setFull(true)
  // An error in a timer would be thrown here.
  await vi.advanceTimersByTimeAsync(60_000)
  expect([woken, logs.length]).toEqual([[], 1])
  setFull(false)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(woken).toEqual(['RECORDSa'])
  alarms.stop()
})

test('an object that fails because of a full disk is woken again when there is room', async () => {
  let isFull = false
  let woken = 0
  const { alarms, set, setFull } = started(async () => {
    woken++
    if (woken > 1) return
    isFull = true
    setFull(true)
    throw new Error('database or disk is full')
  })
  const rejected: unknown[] = []
  const note = (error: unknown) => rejected.push(error)
  process.on('unhandledRejection', note)
  set()
  await vi.advanceTimersByTimeAsync(30_000)
  expect([isFull, woken]).toEqual([true, 1])
  setFull(false)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(woken).toBe(2)
  vi.useRealTimers()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(rejected).toEqual([])
  alarms.stop()
})

test('the log of an alarm has no data of the request that set it', async () => {
  const about: object[] = []
  const wake = async () => void about.push(aboutNow())
  const alarms = new Alarms(new DatabaseSync(':memory:'), wake)
  const trace = '0af7651916cd43dd8448eb211c80319c'
  inLog({ endpoint: 'shop', trace }, () => alarms.of('RECORDS', 'a', () => {}).set(Date.now()))
  await vi.waitFor(() => expect(about).toEqual([{}]))
  alarms.stop()
})
