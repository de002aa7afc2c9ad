import { describe, expect, test } from 'vitest'
import { enginesOf } from '../../src/console/parts/engine.ts'
import { engines } from '../../src/database/engines.ts'
import { knownScheme } from '../../src/database/index.ts'

const visit = { titleOf: (scheme: string) => knownScheme(scheme)?.title }

/** Returns the Console's name for the database of an endpoint with this URL. */
function called(url: string): string {
  const [[, { engine }] = ['', { engine: '' }]] = enginesOf({ databases: { main: { url } } }, visit)
  return engine
}

describe('an engine’s name in the Console', () => {
  test.each([
    ['sqlite:/srv/shop.db', 'SQLite'],
    ['file:/srv/shop.db', 'SQLite'],
    ['mariadb://db.example.com/shop', 'MariaDB'],
    ['hyperdrive:SHOP', 'Hyperdrive'],
    ['secret:SHOP', 'Database'],
  ])('is derived from its URL scheme: %s', (url, title) => {
    expect(called(url)).toBe(title)
  })

  test('exists for each scheme of each engine', () => {
    const schemes = engines.flatMap((it) => Object.keys(it.schemes))
    expect(schemes.map((it) => called(`${it}:`))).not.toContain('Database')
  })
})
