import { describe, expect, test } from 'vitest'
import { engines } from '../../src/database/engines.ts'
import { locate } from '../../src/database/index.ts'

const io = { fetch, bindings: {} }
const schemes = engines.flatMap((it) => it.schemes)

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
      for (const scheme of engine.schemes) {
        const url = new URL(`${scheme}://user:secret@db.example.com/shop`)
        expect([scheme, drivers.some((it) => it.opens(url))]).toEqual([scheme, true])
      }
    }
  })
})
