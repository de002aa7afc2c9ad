import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { plainVars, program } from '../support/spawned.ts'

const folder = mkdtempSync(join(tmpdir(), 'loaded-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The modules that are loaded before a host gets the answer to its first request. */
async function loadedBeforeInitialize(): Promise<string[]> {
  const list = join(folder, 'list')
  const hook = join(folder, 'hook.mjs')
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({
  load(url, context, next) {
    appendFileSync(${JSON.stringify(list)}, url + '\\n')
    return next(url, context)
  },
})`,
  )
  const args = [`--import=${pathToFileURL(hook).href}`, program, '--demo']
  const child = spawn(process.execPath, args, { env: plainVars() })
  const over = once(child, 'close')
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  await once(child.stdout, 'data')
  const loaded = readFileSync(list, 'utf8').trim().split('\n')
  child.stdin.end()
  await over
  return loaded
}

// `codex exec` continues without a server that does not answer within about a second.
test('over stdio, few modules are loaded before the answer to initialize', async () => {
  const loaded = await loadedBeforeInitialize()
  expect(loaded.filter((it) => it.includes('/node_modules/'))).toEqual([])
  // These modules are for HTTP, and load much of Node.
  expect(loaded.filter((it) => /^node:(?:https?|http2|tls|inspector)$/.test(it))).toEqual([])
  expect(loaded.filter((it) => it.includes('/listen'))).toEqual([])
  const own = loaded.filter((it) => it.startsWith('file:'))
  // There used to be 118. The build decides into how many chunks the rest is split.
  expect(own.length).toBeGreaterThan(20)
  expect(own.length).toBeLessThanOrEqual(80)
}, 60_000)
