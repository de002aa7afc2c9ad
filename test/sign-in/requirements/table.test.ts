import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lexer, type Tokens } from 'marked'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const HERE = 'test/sign-in/requirements'

const [...tables] = lexer(readFileSync(join(root, HERE, 'README.md'), 'utf8')).filter(
  (it): it is Tokens.Table => it.type === 'table',
)

/** Every proof in a row: a file, and the title of a test in it. */
const proofs = tables
  .slice(0, -1)
  .flatMap(({ rows }) => rows.map((row) => row.at(-1)!.text))
  .flatMap((cell) => cell.split('<br>'))
  .map((proof) => {
    const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(proof) ?? []
    return { proof, file: file.includes('/') ? file : `${HERE}/${file}`, title }
  })

/** The test titles in a file, without a placeholder at their end, and with … for any other placeholder. */
const titlesIn = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(TITLE)].map(([, title]) =>
    title!.replaceAll(/%\w/g, '…'),
  )

const TITLE = /(?:\btest|\]\))\(\s*'(.+?)(?:: "?%\w"?)?',/g

describe('the table of requirements', () => {
  test('has a row for each RFC, and only complete rows', () => {
    expect(tables.length).toBeGreaterThan(9)
    expect(proofs.length).toBeGreaterThan(80)
    expect(proofs.filter(({ title }) => title === '')).toEqual([])
    const cells = tables.flatMap(({ rows }) => rows.flat())
    expect(cells.filter(({ text }) => text.trim() === '')).toEqual([])
  })

  test('refers only to existing tests', () => {
    const missing = proofs.filter(({ file, title }) => !titlesIn(file).includes(title))
    expect(missing.map(({ proof }) => proof)).toEqual([])
  })

  test('refers to every requirement test', () => {
    const named = new Set(proofs.map(({ title }) => title))
    const files = globSync(`${HERE}/*.ts`, { cwd: root }).filter((it) => !it.endsWith('.test.ts'))
    const tests = files.flatMap(titlesIn)
    expect(tests.length).toBeGreaterThan(40)
    expect(tests.filter((title) => !named.has(title))).toEqual([])
  })
})
