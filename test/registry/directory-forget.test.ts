import { expect, test } from 'vitest'
import { directory } from '../../src/registry/calls/directory.ts'
import type { EndpointEntry, LookupResult } from '../../src/registry/state/entries.ts'
import type { AskRegistry } from '../../src/registry/state/registry-state.ts'

const none = { endpoints: [], keys: [] }
const found = (active: boolean, version: number): LookupResult => ({
  instance: 'a',
  version,
  changes: none,
  endpoint: { name: 'shop', active } as EndpointEntry,
})

test('a result requested before a change is not kept after it', async () => {
  const waiting: ((it: LookupResult) => void)[] = []
  const ask = (() => new Promise<LookupResult>((resolve) => waiting.push(resolve))) as AskRegistry
  const known = directory(ask, () => {})
  const before = known.lookup({ endpoint: 'shop' })
  // Meanwhile, the endpoint is switched off here.
  known.forget()
  waiting.shift()?.(found(true, 1))
  expect((await before).endpoint?.active).toBe(true)
  const after = known.lookup({ endpoint: 'shop' })
  waiting.shift()?.(found(false, 2))
  expect((await after).endpoint?.active).toBe(false)
  // This result is kept.
  expect((await known.lookup({ endpoint: 'shop' })).endpoint?.active).toBe(false)
  expect(waiting).toEqual([])
})
