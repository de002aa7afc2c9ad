import { afterEach, describe, expect, test, vi } from 'vitest'
import { Kept } from '../../src/database/kept.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('What is kept', () => {
  test('is forgotten when its time is over, counted from when it became known', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
    const kept = new Kept<string>({ seconds: 10, entries: 5 })
    kept.set('a', 'now')
    kept.set('b', 'before', 0, 995_000)
    vi.setSystemTime(1_005_000)
    expect([kept.get('a'), kept.get('b')]).toEqual(['now', undefined])
    vi.setSystemTime(1_010_000)
    expect(kept.get('a')).toBeUndefined()
  })

  test('is bounded by number and by size, and what was set longest ago goes first', () => {
    const kept = new Kept<number>({ seconds: 60, entries: 3, size: 100 })
    for (const [i, name] of ['a', 'b', 'c', 'a', 'd'].entries()) kept.set(name, i, 10)
    expect(['a', 'b', 'c', 'd'].map((it) => kept.get(it))).toEqual([3, undefined, 2, 4])
    kept.set('e', 5, 95)
    expect([kept.get('d'), kept.get('e'), kept.size]).toEqual([undefined, 5, 95])
    kept.set('e', 6, 101)
    expect([kept.get('e'), kept.size]).toEqual([undefined, 0])
  })
})
