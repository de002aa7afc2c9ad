import { afterAll, expect, test } from 'vitest'
import { failure } from '../../support/failure.ts'
import { openOn, testMachine } from '../../support/machine.ts'
import { freePort } from '../../support/port.ts'

const machine = testMachine()
afterAll(() => machine.close())

const NOWHERE = [
  ['postgres://reader@127.0.0.1:PORT/shop', 'nothing is listening at its host and port'],
  ['mysql://reader@127.0.0.1:PORT/shop', 'nothing is listening at its host and port'],
  ['postgres://reader@db.invalid/shop?sslmode=disable', 'name'],
  ['mysql://reader@db.invalid/shop?ssl-mode=DISABLED', 'name'],
  ['postgres://reader@/shop?host=/nowhere', 'there is no socket at its path'],
  ['mysql://reader@localhost/shop?socket=/nowhere.sock', 'there is no socket at its path'],
] as const

test.each(NOWHERE)('on Node, the error for %s explains the reason', async (url, why) => {
  const database = await openOn(machine, url.replace('PORT', String(await freePort())))
  const error = await failure(
    database.query({ sql: 'select 1' }, { maxRows: 1, maxBytes: 1_000, timeoutMs: 5_000 }),
  )
  expect(error).toMatchObject({ kind: 'network', message: expect.stringContaining(why) })
  expect(error.message).toMatch(/^The database cannot be reached: .*[a-z]\.$/)
})
