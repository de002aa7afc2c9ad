import { execFileSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'

/** When each bundled module was last written. */
function written(): Record<string, number> {
  const files = globSync('src/database/drivers/*.mjs')
  return Object.fromEntries(files.map((file) => [file, statSync(file).mtimeMs]))
}

test('a build that changes nothing writes nothing: wrangler dev would build for ever', () => {
  execFileSync(process.execPath, ['scripts/vendor.mjs'])
  const before = written()
  expect(Object.keys(before)).toHaveLength(4)
  execFileSync(process.execPath, ['scripts/vendor.mjs'])
  expect(written()).toEqual(before)
})
