import { execFileSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The modification time of each built module. */
function written(): Record<string, number> {
  const files = [...globSync('src/database/*/*.mjs'), ...globSync('dist/*.js')]
  return Object.fromEntries(files.map((file) => [file, statSync(file).mtimeMs]))
}

// Otherwise `wrangler dev` would rebuild forever.
test('a build without changes writes no file', () => {
  execFileSync(process.execPath, ['scripts/build.mjs'])
  const before = written()
  expect(Object.keys(before).length).toBeGreaterThan(4)
  execFileSync(process.execPath, ['scripts/build.mjs'])
  expect(written()).toEqual(before)
})
