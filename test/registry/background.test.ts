import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Background } from '../../src/registry/background.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('what comes during a run goes with the next, by the same request', async () => {
  const runs: number[] = []
  const turns: Promise<unknown>[] = []
  let waiting = 0
  const background = new Background(
    async () => {
      runs.push(waiting)
      waiting = 0
      await new Promise((resolve) => setTimeout(resolve, 50))
      return false
    },
    (it) => void turns.push(it),
  )
  const add = () => {
    waiting++
    background.wake()
  }
  add()
  add()
  await vi.advanceTimersByTimeAsync(10)
  add()
  add()
  add()
  await vi.runAllTimersAsync()
  await Promise.all(turns)
  expect([runs, turns.length]).toEqual([[2, 3], 1])
  add()
  await vi.runAllTimersAsync()
  expect([runs, turns.length]).toEqual([[2, 3, 1], 2])
})

test('the next request takes over from one that never ends, and finishes the work', async () => {
  const turns: Promise<unknown>[] = []
  let runs = 0
  let left = 3
  const background = new Background(
    () => {
      runs++
      // The first one hangs: its request was ended by the platform.
      if (runs === 1) return new Promise(() => {})
      return Promise.resolve(--left > 0)
    },
    (it) => void turns.push(it),
  )
  background.wake()
  await vi.advanceTimersByTimeAsync(1_000)
  background.wake()
  expect(turns).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(10_000)
  background.wake()
  await vi.runAllTimersAsync()
  expect([turns.length, left]).toEqual([2, 0])
})

test('two requests that begin at once leave nothing undone', async () => {
  let left = 5
  const background = new Background(
    async () => --left > 0,
    () => {},
  )
  background.wake()
  vi.setSystemTime(Date.now() + 20_000)
  background.wake()
  await vi.runAllTimersAsync()
  expect(left).toBeLessThanOrEqual(0)
})
