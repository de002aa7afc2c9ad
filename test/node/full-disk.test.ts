import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type NodeWorker, startNodeWorker } from '../support/node-worker.ts'
import { OPERATOR_KEY, operated } from '../support/registry-api.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-full-'))
let worker: NodeWorker | undefined
afterAll(async () => {
  await worker?.close('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const ready = async () => {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
  const answer = await fetch(`${worker!.url}/ready`, { headers })
  return [answer.status, ((await answer.json()) as { problems: readonly string[] }).problems]
}

// Beyond this size, the system writes nothing to a file, like on a full disk.
const limit = (size: string) =>
  execFileSync('prlimit', [`--pid=${worker!.pid}`, `--fsize=${size}:`])

const hasLimits = process.platform === 'linux'

test.skipIf(!hasLimits)(
  'a deployment with a full disk is not ready until there is room again',
  async () => {
    worker = await startNodeWorker(operated, undefined, join(folder, 'state.sqlite'))
    expect(await ready()).toEqual([200, []])
    limit('0')
    await expect
      .poll(ready, { timeout: 30_000, interval: 500 })
      .toEqual([503, [expect.stringContaining('The state cannot be written')]])
    limit('unlimited')
    await expect.poll(ready, { timeout: 30_000, interval: 500 }).toEqual([200, []])
    expect(readdirSync(folder).filter((it) => /-[\da-f]{8}-/.test(it))).toEqual([])
  },
)
