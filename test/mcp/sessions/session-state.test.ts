import { expect, test } from 'vitest'
import { SessionState } from '../../../src/mcp/sessions/session-state.ts'
import type { Storage } from '../../../src/mcp/state/storage.ts'

test('a session stored by an older version keeps the view of its next request', () => {
  const saved = { version: '2025-06-18', subject: 'ada', usedAt: Date.now() }
  const values = new Map<string, unknown>([['session', saved]])
  const storage = {
    get: (key: string) => values.get(key),
    put: (key: string, value: unknown) => values.set(key, value),
  } as unknown as Storage
  const opened = () => new SessionState(storage, 3_600_000)
  expect(opened().hasOtherView({ subject: 'ada', view: 'first' })).toBe(false)
  opened().use({ subject: 'ada', view: 'first' })
  expect(opened().hasOtherView({ subject: 'ada', view: 'first' })).toBe(false)
  expect(opened().hasOtherView({ subject: 'ada', view: 'second' })).toBe(true)
})
