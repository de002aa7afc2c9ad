import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { lexer, type Tokens } from 'marked'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Desk, type Run } from '../sign-in/desk.ts'
import { startModel } from '../sign-in/model.ts'
import { program } from '../support/spawned.ts'

const folder = resolve('test/sign-in/programs/node_modules/.bin')

/** The code blocks of the section about stdio. */
const page = lexer(readFileSync('docs/hosts.md', 'utf8'))
const from = page.findIndex((it) => it.type === 'heading' && it.text === 'Over stdio')
const to = page.findIndex((it, i) => i > from && it.type === 'heading')
const blocks = page.slice(from, to).filter((it): it is Tokens.Code => it.type === 'code')
const block = (text: string): string => blocks.find(({ text: it }) => it.includes(text))!.text

let desk: Desk
beforeEach(() => {
  desk = new Desk({ open: async () => {} } as never)
  // Does the same as npx with an installed package.
  const npx = `#!/bin/sh\ntest "$1 $2" = '-y tidegate' || exit 9\nshift 2\nexec '${process.execPath}' '${program}' "$@"\n`
  desk.write('bin/npx', npx)
  chmodSync(join(desk.home, 'bin/npx'), 0o755)
})
afterEach(() => desk.clear())

/** Runs a shell command with the hosts in its PATH. */
const shell = (line: string, { env, ...run }: Run = {}) => {
  const places = [join(desk.home, 'bin'), folder, dirname(process.execPath), '/usr/bin', '/bin']
  const PATH = places.join(delimiter)
  return desk.run(['sh', '-c', line], { ...run, env: { ...env, PATH } })
}

/** Adds a test of a host, which is skipped if the host is not installed. */
function host(name: string, command: string, body: () => Promise<void>): void {
  const isHere = existsSync(join(folder, command))
  if (!isHere && process.env.REQUIRE_ALL === '1') throw new Error(`${name} is not installed.`)
  test.skipIf(!isHere)(name, body)
}

const claude = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
}
const gemini = {
  GEMINI_API_KEY: 'none',
  GEMINI_TELEMETRY_ENABLED: 'false',
  ...{ HTTP_PROXY: '', HTTPS_PROXY: '', http_proxy: '', https_proxy: '' },
}
const opencode = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
}

const request = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`

/** The status of Codex's servers, from the API that its other programs use. */
const codexStatus = (env: Record<string, string> = {}) =>
  shell('codex app-server', {
    env,
    typing: [
      {
        when: '',
        keys: request(1, 'initialize', {
          clientInfo: { name: 'test', title: 'Test', version: '1' },
        }),
      },
      { when: '"id":1', keys: request(2, 'mcpServerStatus/list', {}) },
    ],
    until: '"id":2',
  })

describe('with the commands and files in docs/hosts.md', () => {
  host('Claude Code connects, and shows what to fix', 'claude', async () => {
    const line = block('claude mcp add')
    await shell(line, { env: claude })
    await shell(line.replace('tidegate', 'other').replace('--demo', ''), { env: claude })
    const list = await shell('claude mcp list', { env: claude })
    expect(list).toMatch(/^tidegate: .*✔ Connected$/m)
    expect(list).toMatch(/^other: .*Name a database/m)
  })

  host('Codex connects with its command and with its file', 'codex', async () => {
    await shell(block('codex mcp add'))
    expect(await codexStatus()).toContain('"name":"list_tables"')
    desk.write('.codex/config.toml', block('[mcp_servers'))
    expect(await codexStatus({ DATABASE_URL: 'demo:' })).toContain('"name":"list_tables"')
    expect(await codexStatus()).toContain('Name a database')
  })

  host('Gemini CLI connects', 'gemini', async () => {
    desk.write('.gemini/settings.json', {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    })
    await shell(block('gemini mcp add'), { env: gemini })
    expect(await shell('gemini mcp list', { env: gemini })).toContain('- Connected')
  })

  host('opencode connects', 'opencode', async () => {
    desk.write('.config/opencode/opencode.json', block('"mcp":'))
    expect(await shell('opencode mcp list', { env: opencode })).toContain('✓ tidegate connected')
  })

  host('Copilot CLI connects, and its model calls a tool', 'copilot', async () => {
    desk.write('.copilot/mcp-config.json', block('"tools":["*"]'))
    const model = await startModel('tidegate-list_tables', 'order_items')
    const env = {
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_MODEL: 'test',
      COPILOT_PROVIDER_BASE_URL: model.url,
    }
    await shell("copilot --allow-all-tools -p 'Which tables?'", { env })
    expect(model.told()).toContain('order_items')
    model.stop()
  })
})
