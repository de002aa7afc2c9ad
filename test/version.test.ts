import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
// @ts-expect-error: plain JavaScript
import { places } from '../scripts/version.mjs'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const rows = places as { file: string; around: RegExp }[]

test.each(rows)('$file has the version in package.json', ({ file, around }) => {
  const found = [...readFileSync(file, 'utf8').matchAll(around)]
  expect(found.length).toBeGreaterThan(0)
  for (const [text, before = '', after = ''] of found) {
    expect(text).toBe(`${before}${version}${after}`)
  }
})

test('no other source file names the version', () => {
  const sources = globSync(['src/**/*.{ts,tsx}', 'scripts/*.mjs'])
  const named = sources.filter((it) => readFileSync(it, 'utf8').includes(`'${version}'`))
  expect(sources.length).toBeGreaterThan(500)
  expect(named.filter((it) => !rows.some(({ file }) => file === it))).toEqual([])
})
