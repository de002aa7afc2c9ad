import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Background } from '../../src/registry/background.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('work that arrives during a run goes with the next run, in the same request', async () => {
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

test('the next request takes over from a hanging request, and finishes its work', async () => {
  const turns: Promise<unknown>[] = []
  let runs = 0
  let left = 3
  const background = new Background(
    () => {
      runs++
      // The first run hangs, because the platform ended its request.
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
