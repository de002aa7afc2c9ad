import { mkdtempSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { machineWith } from '../../src/node/machine.ts'
import { failure } from '../support/failure.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-machine-'))
const { readFile } = machineWith({})

test('reads a small file', async () => {
  writeFileSync(join(folder, 'ca.pem'), 'text')
  expect(await readFile(join(folder, 'ca.pem'))).toBe('text')
})

test.each([
  ['nothing.pem', () => {}, 'it does not exist'],
  ['', () => {}, 'it is a folder'],
  ['/dev/zero', () => {}, 'it is not a regular file'],
  ['large.pem', large, 'has more than 1048576 bytes'],
])('refuses a missing, irregular or large file: %s', async (name, make, why) => {
  make()
  const path = name.startsWith('/') ? name : join(folder, name)
  const { kind, message } = await failure(readFile(path))
  expect([kind, message]).toEqual(['config', expect.stringContaining(why)])
})

function large() {
  writeFileSync(join(folder, 'large.pem'), '')
  truncateSync(join(folder, 'large.pem'), 2 ** 30)
}
