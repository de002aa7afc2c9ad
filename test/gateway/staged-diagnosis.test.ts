import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { diagnoseInStages } from '../../src/gateway/diagnose/staged-diagnosis.ts'
import { readEndpoints } from '../../src/gateway/index.ts'
import { testMachine } from '../support/machine.ts'

const home = mkdtempSync(join(tmpdir(), 'tidegate-stages-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const file = join(home, 'nothing.pem')
beforeAll(() => writeFileSync(file, 'No key, and no certificate.', { mode: 0o600 }))

/** The stages of a diagnosis, and the reason for its failure. */
async function seen(url: string) {
  const databases = { main: { url: 'secret:SHOP_URL' } }
  const ENDPOINTS = JSON.stringify([{ name: 'shop', title: 'Shop', databases }])
  const [endpoint] = readEndpoints({ ENDPOINTS })
  const io = { fetch, bindings: { SHOP_URL: url }, machine: testMachine() }
  const stages: unknown[] = []
  let reason: string | undefined
  for await (const it of diagnoseInStages(endpoint!, io, new AbortController().signal)) {
    if ('stage' in it) stages.push([it.stage, it.state])
    else reason = it.failure?.reason
  }
  return { stages, reason }
}

test.each([
  `postgres://reader:x@127.0.0.1:1/shop?sslmode=verify-full&sslrootcert=${file}`,
  `postgres://reader:x@127.0.0.1:1/shop?sslmode=verify-full&sslcert=${file}&sslkey=${file}`,
  `mysql://reader:x@127.0.0.1:1/shop?ssl-mode=VERIFY_CA&ssl-ca=${file}`,
])('the stage "reached" fails if a TLS file cannot be used: %s', async (url) => {
  expect(await seen(url)).toEqual({
    stages: [
      ['recognised', 'ok'],
      ['reached', 'bad'],
    ],
    reason: 'tls_file_unusable',
  })
})
