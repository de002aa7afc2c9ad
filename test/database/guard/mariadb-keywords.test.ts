import { afterAll, describe, expect, test } from 'vitest'
import { rules } from '../../../src/database/mysql/rules.ts'
import { openMariaDb } from '../../fuzz/mariadb.ts'
import { filled, GUIDES, MARIADB, MARIADB_GUIDES } from '../../fuzz/slots.ts'
import { refuse } from '../../support/guard.ts'
import { orNone } from '../../support/mariadb.ts'

/** The words that begin a clause or a query, in pairs. All of them: npm run fuzz -- --keywords --engine mariadb */
const FEW = ['as', 'values', 'for', 'into', 'next', 'value', 'from']

const engine = await orNone(openMariaDb)
if (!engine) describe.skip('keywords before MariaDB', () => test('waits for a MariaDB', () => {}))
else {
  describe(`keywords before ${engine.version()}`, () => {
    afterAll(() => engine.close())

    test('hide nothing that must not run, where a name is due', async () => {
      const words = [...GUIDES, ...MARIADB_GUIDES]
      const texts = [...filled(words, FEW, MARIADB)].filter((it) => refuse(it, rules) === undefined)
      const verdicts = await engine.judge(texts)
      const escapes = texts.filter((_, i) => typeof verdicts[i] === 'object')
      expect(escapes.slice(0, 10)).toEqual([])
      // The guard refuses nearly all of them before MariaDB sees them.
      expect(texts.length).toBeGreaterThan(50)
    }, 120_000)
  })
}
