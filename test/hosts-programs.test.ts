import { createServer, type Server } from 'node:http'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Desk, noTerminal, type Run } from './sign-in/desk.ts'
import { isInstalled, programs } from './sign-in/programs.ts'
import { onPackage } from './support/node-worker.ts'
import { packedOnce } from './support/packed-worker.ts'
import { freePort } from './support/port.ts'

const KEY = 'key-of-a-caller'

const bin = (name: string): string =>
  join(import.meta.dirname, 'sign-in/programs/node_modules/.bin', name)

/** A published program, and the command that lists the servers in its configuration. */
interface Program {
  /** Its name in `tidegate add`. */
  readonly host: string
  /** Its name in the list of programs that sign in. */
  readonly name: RegExp
  /** Its configuration before the test. */
  readonly before?: readonly [path: string, value: object]
  list(desk: Desk, env: Run['env']): Promise<string>
  readonly works: RegExp
}

const list: readonly Program[] = [
  {
    host: 'claude-code',
    name: /^Claude Code/,
    list: (desk, env) =>
      desk.run([bin('claude'), 'mcp', 'list'], {
        env: { ...env, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
      }),
    works: /shop: .* - ✔ Connected/,
  },
  {
    host: 'codex',
    name: /^Codex/,
    list: (desk, env = {}) => {
      const request = (id: number, method: string, params: object) =>
        `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
      const clientInfo = { name: 'test', title: 'Test', version: '1' }
      return desk.run([bin('codex'), 'app-server'], {
        env,
        typing: [
          { when: '', keys: request(1, 'initialize', { clientInfo }) },
          { when: '"id":1', keys: request(2, 'mcpServerStatus/list', {}) },
        ],
        until: '"id":2',
      })
    },
    works: /"name":"shop".*"name":"list_tables"/,
  },
  {
    host: 'gemini',
    name: /^Gemini/,
    before: [
      '.gemini/settings.json',
      {
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      },
    ],
    list: (desk, env) =>
      desk.run([bin('gemini'), 'mcp', 'list'], {
        env: { ...env, GEMINI_API_KEY: 'none', GEMINI_TELEMETRY_ENABLED: 'false', ...noProxy },
      }),
    works: /✓ shop: .* - Connected/,
  },
  {
    host: 'opencode',
    name: /^opencode/,
    before: ['.config/opencode/opencode.jsonc', { autoupdate: false }],
    list: (desk, env) =>
      desk.run([bin('opencode'), 'mcp', 'list'], {
        env: {
          ...env,
          OPENCODE_DISABLE_AUTOUPDATE: '1',
          OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
          OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
          OPENCODE_DISABLE_MODELS_FETCH: '1',
        },
      }),
    works: /✓ shop\s+connected/,
  },
  {
    host: 'copilot',
    name: /^Copilot/,
    list: (desk, env) =>
      desk.runAtTerminal([bin('copilot')], {
        env: {
          ...env,
          COPILOT_OFFLINE: 'true',
          COPILOT_AUTO_UPDATE: 'false',
          COPILOT_MODEL: 'test',
          COPILOT_PROVIDER_BASE_URL: 'http://127.0.0.1:9/v1',
        },
        typing: [{ when: 'Do you trust the files', keys: '\r' }],
        until: '1 server connected',
      }),
    works: /1 server connected/,
  },
]

// With a proxy, it loses the headers of responses.
const noProxy = {
  ...{ HTTP_PROXY: '', HTTPS_PROXY: '', NO_PROXY: '' },
  ...{ http_proxy: '', https_proxy: '', no_proxy: '' },
}

const tool = { name: 'list_tables', inputSchema: { type: 'object' } }

/** The response of an MCP server with one tool. */
// biome-ignore lint/suspicious/noExplicitAny: whatever programs send
function answerTo({ id, method, params }: any): object {
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'shop', version: '1' },
    },
    'tools/list': { tools: [tool] },
    ping: {},
  }
  const result = results[method]
  return { jsonrpc: '2.0', id, ...(result ? { result } : { error: NO_METHOD }) }
}
const NO_METHOD = { code: -32601, message: 'There is no such method.' }

/** The command in this folder, or in the installed tarball. */
const command = onPackage
  ? join((await packedOnce()).project, 'node_modules/tidegate/bin/tidegate.mjs')
  : resolve('bin/tidegate.mjs')

describe('tidegate add with the real host program', () => {
  let server: Server
  let url: string
  const keys = new Set<string | undefined>()
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const { authorization } = request.headers
      keys.add(authorization)
      if (authorization !== `Bearer ${KEY}`) return void response.writeHead(401).end()
      if (request.method !== 'POST') return void response.writeHead(405).end()
      let body = ''
      for await (const chunk of request) body += chunk
      const message = JSON.parse(body)
      if (message.id === undefined) return void response.writeHead(202).end()
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answerTo(message)))
    })
    const port = await freePort()
    await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
    url = `http://127.0.0.1:${port}/mcp`
  })
  afterAll(() => server.close())
  beforeEach(() => keys.clear())

  for (const program of list) {
    const installed = programs.find(({ name }) => program.name.test(name))!
    const why = isInstalled(installed)
      ? noTerminal()
      : 'it is not installed (npm install --no-save --prefix test/sign-in/programs)'
    if (why !== undefined && process.env.REQUIRE_ALL !== '1') {
      console.warn(`Skipped for want of ${program.host}: ${why}.`)
      describe.skip(program.host, () => test('waits to be installed', () => {}))
      continue
    }

    test(`${program.host} finds the endpoint, and sends the variable’s key`, async () => {
      expect(why).toBe(undefined)
      const desk = new Desk({ open: async () => {} } as never)
      try {
        if (program.before) desk.write(...program.before)
        await add(desk, program.host, url, '--key-env', 'SHOP_KEY')
        expect(await program.list(desk, { SHOP_KEY: KEY })).toMatch(program.works)
        expect([...keys]).toEqual([`Bearer ${KEY}`])
      } finally {
        desk.clear()
      }
    })

    test(`${program.host} starts this program, and passes the variable`, async () => {
      expect(why).toBe(undefined)
      const desk = new Desk({ open: async () => {} } as never)
      try {
        if (program.before) desk.write(...program.before)
        await add(desk, program.host, '--url-env', 'SHOP_URL')
        expect(await program.list(desk, { SHOP_URL: 'demo:' })).toMatch(program.works)
      } finally {
        desk.clear()
      }
    })
  }
})

const add = (desk: Desk, host: string, ...what: string[]) =>
  desk.run([...[process.execPath, command, 'add', host, ...what], ...['--name', 'shop', '--yes']])
