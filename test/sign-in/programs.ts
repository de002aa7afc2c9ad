import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/port.ts'
import type { Desk, Run } from './desk.ts'
import { startModel } from './model.ts'

/** A published program that signs in, and a person's way to use it. */
export interface Program {
  readonly name: string
  /** Its way to identify itself: it registers (RFC 7591), or has a metadata document. */
  readonly identifies: 'registers' | 'has a document'
  /**
   * The time at which it requests another access token. A program that goes by its own clock gives up on a
   * token that is refused earlier.
   */
  readonly refreshes: 'once refused' | 'by its clock'
  /** The path to its executable. */
  readonly path: string
  /** Adds an endpoint to it, and signs in. */
  signIn(desk: Desk, url: string): Promise<unknown>
  /** Restarts it, and returns its output for the endpoint, which has to contain `works`. */
  use(desk: Desk, url: string): Promise<string>
  readonly works: string
}

const root = join(import.meta.dirname, '../..')
const installed = (name: string): string =>
  join(import.meta.dirname, 'programs/node_modules/.bin', name)

/** Returns whether a program can be run here. */
export const isInstalled = ({ path }: Program): boolean => existsSync(path)

const claude = installed('claude')
const claudeCode: Program = {
  name: 'Claude Code',
  identifies: 'has a document',
  refreshes: 'once refused',
  path: claude,
  async signIn(desk, url) {
    await desk.run([claude, 'mcp', 'add', '-t', 'http', '-s', 'user', 'shop', url], claudeRun)
    const until = 'Its tools are now available'
    await desk.runAtTerminal([claude, 'mcp', 'login', 'shop'], { ...claudeRun, until })
  },
  use: (desk) => desk.run([claude, 'mcp', 'list'], claudeRun),
  works: '✔ Connected',
}
const claudeRun: Run = {
  env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
}

const codex = installed('codex')
const codexThat = (strategy: 'cimd' | 'dcr'): Program => ({
  name: `Codex, with --oauth-client-registration ${strategy}`,
  identifies: strategy === 'dcr' ? 'registers' : 'has a document',
  refreshes: 'once refused',
  path: codex,
  async signIn(desk, url) {
    desk.write('.codex/config.toml', `[mcp_servers.shop]\nurl = "${url}"\n`)
    const how = ['--oauth-client-registration', strategy]
    await desk.runAtTerminal([codex, 'mcp', 'login', 'shop', ...how])
  },
  use: (desk) => {
    const request = (id: number, method: string, params: object) =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
    const clientInfo = { name: 'test', title: 'Test', version: '1' }
    return desk.run([codex, 'app-server'], {
      typing: [
        { when: '', keys: request(1, 'initialize', { clientInfo }) },
        { when: '"id":1', keys: request(2, 'mcpServerStatus/list', {}) },
      ],
      until: '"id":2',
    })
  },
  works: '"name":"list_tables"',
})

const gemini = installed('gemini')
const geminiCli: Program = {
  name: 'Gemini CLI',
  identifies: 'registers',
  refreshes: 'by its clock',
  path: gemini,
  async signIn(desk, url) {
    desk.write('.gemini/settings.json', {
      mcpServers: { shop: { httpUrl: url } },
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    })
    await desk.runAtTerminal([gemini], {
      ...geminiRun,
      typing: [
        { when: 'Type your message', keys: '/mcp auth' },
        { when: 'Authenticate with an OAuth', keys: ' shop' },
        { when: 'auth shop', keys: '\r' },
        { when: 'Do you want to continue?', keys: '\r' },
      ],
      until: 'Successfully authenticated and reloaded tools',
    })
  },
  use: (desk) => desk.run([gemini, 'mcp', 'list'], geminiRun),
  works: '- Connected',
}
const geminiRun: Run = {
  env: {
    GEMINI_API_KEY: 'none',
    GEMINI_TELEMETRY_ENABLED: 'false',
    // With a proxy, it loses the response headers.
    ...{ HTTP_PROXY: '', HTTPS_PROXY: '', NO_PROXY: '' },
    ...{ http_proxy: '', https_proxy: '', no_proxy: '' },
  },
}

/** A table in the demo. */
const TABLE = 'order_items'

export const copilot = installed('copilot')
const copilotCli: Program = {
  name: 'Copilot CLI',
  identifies: 'has a document',
  refreshes: 'by its clock',
  path: copilot,
  async signIn(desk, url) {
    desk.write('.copilot/mcp-config.json', {
      mcpServers: { shop: { type: 'http', url, tools: ['*'] } },
    })
    await desk.runAtTerminal([copilot], {
      ...copilotRun('http://127.0.0.1:9/v1'),
      typing: [{ when: 'Do you trust the files', keys: '\r' }],
      until: '1 server connected',
    })
  },
  async use(desk) {
    const model = await startModel('shop-list_tables', TABLE)
    try {
      await desk.run([copilot, '--allow-all-tools', '-p', 'Which tables?'], copilotRun(model.url))
      return model.told()
    } finally {
      model.stop()
    }
  },
  works: TABLE,
}
/** The settings with which Copilot CLI runs with its user's own model. */
export const copilotRun = (model: string): Run => ({
  env: {
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_MODEL: 'test',
    COPILOT_PROVIDER_BASE_URL: model,
  },
})

const opencode = installed('opencode')
const openCode: Program = {
  name: 'opencode',
  identifies: 'registers',
  refreshes: 'once refused',
  path: opencode,
  async signIn(desk, url) {
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`
    desk.write('.config/opencode/opencode.json', {
      mcp: { shop: { type: 'remote', url, oauth: { redirectUri } } },
      autoupdate: false,
    })
    await desk.run([opencode, 'mcp', 'auth', 'shop'], openCodeRun)
  },
  use: (desk) => desk.run([opencode, 'mcp', 'list'], openCodeRun),
  works: '✓ shop connected',
}
const openCodeRun: Run = {
  env: {
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  },
}

const remote = installed('mcp-remote-client')
const mcpRemote: Program = {
  name: 'mcp-remote',
  identifies: 'registers',
  refreshes: 'once refused',
  path: remote,
  signIn: (desk, url) => desk.run([remote, url]),
  use: (desk, url) => desk.run([remote, url]),
  works: '"name": "list_tables"',
}

const inspector = join(root, 'node_modules/.bin/mcp-inspector')
const inspectorThat = (document: string | undefined): Program => {
  const command = async (url: string, ...more: string[]) => [
    ...[inspector, '--cli', url, '--transport', 'http', '--method', 'tools/list'],
    ...['--callback-url', `http://127.0.0.1:${await freePort()}/oauth/callback`],
    ...(document ? ['--client-metadata-url', document] : []),
    ...more,
  ]
  const run: Run = { env: { MCP_INSPECTOR_SECRET_STORE: 'file' } }
  return {
    name: `the Inspector${document ? ', with --client-metadata-url' : ''}`,
    identifies: document ? 'has a document' : 'registers',
    refreshes: 'once refused',
    path: inspector,
    signIn: async (desk, url) => desk.runAtTerminal(await command(url), run),
    use: async (desk, url) => desk.runAtTerminal(await command(url), run),
    works: '"name": "list_tables"',
  }
}

/** The programs that are installed with Tidegate's own tools. */
export const tools: readonly Program[] = [
  inspectorThat(undefined),
  inspectorThat('https://client.example/metadata.json'),
]

/** The programs in `test/sign-in/programs`, which are large. */
export const programs: readonly Program[] = [
  claudeCode,
  codexThat('cimd'),
  codexThat('dcr'),
  geminiCli,
  copilotCli,
  openCode,
  mcpRemote,
]
