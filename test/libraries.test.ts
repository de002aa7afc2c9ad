import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createTestHarness } from 'wrangler'
import { callTool } from './support/worker.ts'

const built = mkdtempSync(join(tmpdir(), 'tidegate-built-'))
const wrangler = join('node_modules', 'wrangler', 'bin', 'wrangler.js')
execFileSync(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', built])
// Each library logs when it is evaluated. The rest of it is as it would be deployed.
for (const name of ['pg', 'mysql2', 'aws4fetch', 'jose']) {
  const file = join(built, readdirSync(built).find((it) => it.startsWith(`${name}-`))!)
  writeFileSync(file, `console.log('evaluated ${name}');${readFileSync(file, 'utf8')}`)
}

const databases = {
  demo: { url: 'demo:' },
  postgres: { url: 'secret:POSTGRES' },
  mysql: { url: 'secret:MYSQL' },
  rds: { url: 'secret:RDS' },
}
const secrets = {
  ENDPOINTS: JSON.stringify([{ name: 'all', title: 'All', access: 'public', databases }]),
  // No server has to answer: the library is loaded before the connection.
  POSTGRES: 'postgres://app@127.0.0.1:9/shop',
  MYSQL: 'mysql://app@127.0.0.1:9/shop',
  RDS: 'mysql://app@127.0.0.1:9/shop?auth=rds-iam&region=eu-west-1',
  ...{ AWS_ACCESS_KEY_ID: 'AKIAX', AWS_SECRET_ACCESS_KEY: 'x' },
  ...{ DATABASE_URL: '', TIDEGATE_KEY: '', ORIGINS: '', LEGACY_SSE: '' },
}
const harness = createTestHarness({
  workers: [{ configPath: './wrangler.toml', prebuiltWorkerDir: built, secrets }],
})
const { url } = await harness.listen()
afterAll(async () => {
  await harness.close()
  rmSync(built, { recursive: true, force: true })
})

const evaluated = () =>
  harness
    .getLogs()
    .flatMap(({ message }) => /evaluated (\w+)/.exec(message)?.[1] ?? [])
    .sort()

test('a library for TCP or signing is loaded once, by the first query that needs it', async () => {
  const query = (database: string) =>
    callTool(`${url.origin}/mcp`, 'query', { database, sql: 'select 42 as it' })
  expect((await query('demo')).structuredContent.rows).toEqual([[42]])
  await callTool(`${url.origin}/mcp`, 'list_tables', { database: 'demo' })
  expect(evaluated()).toEqual([])
  for (let times = 0; times < 2; times++) await query('postgres')
  await expect.poll(evaluated).toEqual(['pg'])
  for (let times = 0; times < 2; times++) await query('mysql')
  await expect.poll(evaluated).toEqual(['mysql2', 'pg'])
  for (let times = 0; times < 2; times++) await query('rds')
  await expect.poll(evaluated).toEqual(['aws4fetch', 'mysql2', 'pg'])
})
