import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lexer, type Tokens, walkTokens } from 'marked'
import { expect, test } from 'vitest'
import { OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { startWorker } from '../support/worker.ts'

const run = promisify(execFile)

const docs = join(import.meta.dirname, '../../docs')

/** A page's shell blocks, in order. */
function blocks(page: string): readonly string[] {
  const all: string[] = []
  void walkTokens(lexer(readFileSync(join(docs, page), 'utf8')), (it) => {
    if (it.type === 'code' && (it as Tokens.Code).lang === 'sh') all.push(it.text)
  })
  return all
}

/** The examples on other pages, which use what docs/registry.md sets up. */
const elsewhere = globSync('*.md', { cwd: docs })
  .filter((page) => page !== 'registry.md')
  .flatMap(blocks)
  .filter((block) => block.startsWith('api '))

test('the commands in docs/registry.md run from first to last', async () => {
  // Tests have no name resolution.
  const worker = await startWorker({ ...operated, PRIVATE_HOSTS: '*' })
  const folder = mkdtempSync(join(tmpdir(), 'registry-'))
  try {
    const [secrets, prelude = '', ...own] = blocks('registry.md')
    // The page ends without the endpoint that the other pages use.
    const adding = own.find((it) => it.startsWith('api "$TIDEGATE/api/endpoints" -d'))!
    const examples = [...own, adding, ...elsewhere]
    expect(secrets).toContain('TIDEGATE_SECRET')
    const here = prelude.replace('http://127.0.0.1:8787', worker.url)
    expect(here).not.toBe(prelude)
    expect(examples.length).toBeGreaterThan(8)
    const env = { ...process.env, TIDEGATE_KEY: OPERATOR_KEY }
    for (const example of examples) {
      const failing = here.replace('curl -sS', 'curl -sS --fail-with-body')
      const script = `set -e\n${failing}\n${example}`
      // The example's database does not exist, and its test reports that.
      const { stdout } = await run('sh', ['-c', script], { cwd: folder, env })
      expect(stdout).not.toContain('"error":')
    }
  } finally {
    rmSync(folder, { recursive: true })
    await worker.close()
  }
})
