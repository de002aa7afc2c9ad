import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describePostgres } from './support/postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcpb-test-'))
const bundle = join(folder, 'tidegate.mcpb')
const unpacked = join(folder, 'unpacked')
const mcpb = resolve('node_modules/@anthropic-ai/mcpb/dist/cli/cli.js')
const run = (...args: string[]) => execFileSync(process.execPath, args, { encoding: 'utf8' })

beforeAll(() => {
  run('scripts/mcpb.mjs', bundle)
  run(mcpb, 'unpack', bundle, unpacked)
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true }))

const manifest = () => JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))

test('the bundle is small, and the official command accepts it', () => {
  expect(run(mcpb, 'validate', join(unpacked, 'manifest.json'))).toContain('passes')
  expect(statSync(bundle).size).toBeLessThan(3 * 1024 * 1024)
})

test('the settings form of the bundle hides the connection string', () => {
  const { user_config } = manifest()
  expect(user_config.database_url).toMatchObject({ sensitive: true, required: true })
  const others = Object.entries<{ required: boolean }>(user_config).slice(1)
  expect(others.filter(([, it]) => it.required)).toEqual([])
})

await describePostgres('the bundle', 'create table shown (n int)', ({ tcp }) => {
  test('serves the database from its settings form with its own command', async () => {
    const { mcp_config } = manifest().server
    const form: Record<string, string> = { database_url: tcp(), ssh: '', ssh_key: '', ca: '' }
    const filled = (text: string) =>
      text
        .replace(/\$\{__dirname\}/, unpacked)
        .replace(/\$\{user_config\.(\w+)\}/g, (_, name) => form[name] ?? '')
    const env = Object.entries<string>(mcp_config.env).map(([name, it]) => [name, filled(it)])
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: mcp_config.args.map(filled),
        cwd: folder,
        env: { PATH: '', HOME: folder, ...Object.fromEntries(env) },
      }),
    )
    const { structuredContent } = await client.callTool({ name: 'list_tables', arguments: {} })
    expect(JSON.stringify(structuredContent)).toContain('shown')
    await client.close()
  })
})
