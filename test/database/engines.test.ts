import { describe, expect, test } from 'vitest'
import { engines } from '../../src/database/engines.ts'
import { locate } from '../../src/database/index.ts'
import { databaseUrl } from '../../src/database/transport/hosts.ts'

const io = { fetch, bindings: {} }
const schemes = engines.flatMap((it) => Object.keys(it.schemes))

describe('a URL that several drivers open', () => {
  test.each([
    ['neon', 'neon://app:secret@db.example.com/shop'],
    ['neon', 'postgres://app:secret@ep-x.us-east-2.aws.neon.tech/shop'],
    ['postgres', 'postgresql://app:secret@db.example.com/shop'],
    ['postgres', 'hyperdrive:STORE'],
    ['planetscale', 'planetscale://app:secret@127.0.0.1/shop'],
    ['planetscale', 'mysql://app:secret@aws.connect.psdb.cloud/shop'],
    ['mysql', 'mysql://app:secret@db.example.com/shop'],
    ['mysql', 'mariadb://app:secret@aws.connect.psdb.cloud/shop'],
  ])('goes to the first of them, %s: %s', async (name, url) => {
    const parsed = new URL(url)
    const engine = engines.find((it) => Object.hasOwn(it.schemes, parsed.protocol.slice(0, -1)))!
    const { drivers } = await engine.read()
    expect(drivers.find((it) => it.opens(parsed))?.name).toBe(name)
  })
})

describe('the list of engines', () => {
  test('is what a URL that nobody opens is told', () => {
    let message = ''
    try {
      locate('oracle://app@db.example.com/shop', io)
    } catch (thrown) {
      ;({ message } = thrown as Error)
    }
    for (const scheme of schemes) expect(message).toContain(` ${scheme}:`)
  })

  test('names no scheme twice, and none that no driver of its engine opens', async () => {
    expect(new Set(schemes).size).toBe(schemes.length)
    for (const engine of engines) {
      const { drivers } = await engine.read()
      for (const scheme of Object.keys(engine.schemes)) {
        const url = databaseUrl(`${scheme}://user:secret@db.example.com/shop`)
        expect([scheme, drivers.some((it) => it.opens(url))]).toEqual([scheme, true])
      }
    }
  })
})
