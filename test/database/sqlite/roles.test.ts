import { afterAll, expect, test } from 'vitest'
import { inspectRole } from '../../../src/database/doctor/index.ts'
import { startHrana } from '../../servers/hrana.ts'
import { TOKEN } from '../../servers/sqlite-child.ts'
import { open } from '../../support/open.ts'

const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const server = await startHrana(['create table t (id)'])
afterAll(() => server.close())

test('says of a libSQL database that its token cannot be asked, and which one to make', async () => {
  const url = `libsql://127.0.0.1:${server.port}?authToken=${TOKEN}`
  const found = await inspectRole(open(url, { fetch, bindings: {} }), limits)
  expect(found).toMatchObject({ role: undefined, findings: [], reader: [] })
  expect(found.version).toMatch(/^SQLite 3\.\d+/)
  expect(found.note).toContain('--read-only')
})
