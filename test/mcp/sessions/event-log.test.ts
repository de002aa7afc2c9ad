import { describe, expect, test } from 'vitest'
import { EventLog } from '../../../src/mcp/sessions/event-log.ts'
import type { Storage } from '../../../src/mcp/state/storage.ts'

/** Three bytes in UTF-8, but one unit in UTF-16. */
const WIDE = '€'

const HOUR_MS = 3_600_000

const storageIn = (values: Map<string, unknown>): Storage => ({
  get: <T>(key: string) => values.get(key) as T | undefined,
  put: (key, value) => void values.set(key, value),
  delete: (key) => values.delete(key),
  list: <T>({ prefix }: { prefix: string }) =>
    [...values].filter(([key]) => key.startsWith(prefix)) as [string, T][],
})

const logOf = (values: Map<string, unknown>, bytes: number) =>
  new EventLog(storageIn(values), { events: 500, bytes, ageMs: HOUR_MS })

const keptIn = (values: Map<string, unknown>) =>
  [...values].filter(([key]) => key.startsWith('event:')).length

describe('the limit on stored events', () => {
  test('counts UTF-8 bytes, not characters', () => {
    const values = new Map<string, unknown>()
    const log = logOf(values, 300)
    for (let i = 0; i < 3; i++) log.add('c00000000', WIDE.repeat(50))
    expect(keptIn(values)).toBe(2)
    expect(log.after('c00000000-0')?.events.map(({ id }) => id)).toEqual([
      'c00000000-2',
      'c00000000-3',
    ])
  })

  test('counts events that an earlier instance stored', () => {
    const values = new Map<string, unknown>()
    for (let i = 0; i < 4; i++) logOf(values, 300).add('c00000000', WIDE.repeat(50))
    expect(keptIn(values)).toBe(2)
  })

  test('skips a message over 512 KiB, and keeps earlier messages', () => {
    const values = new Map<string, unknown>()
    const log = logOf(values, 1024 * 1024)
    log.add('c00000000', 'first')
    log.add('c00000000', WIDE.repeat(200 * 1024))
    expect(log.add('c00000000', 'last')).toBe('c00000000-3')
    const { events } = log.after('c00000000-0')!
    expect(events.map(({ id }) => id)).toEqual(['c00000000-1', 'c00000000-3'])
  })
})
