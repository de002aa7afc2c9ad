import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve, win32 } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hosts, settingsFolder } from '../src/command/hosts/hosts.ts'
import { snippetsFor } from '../src/console/snippets.ts'
import { tidegate } from './support/command-line.ts'

const URL_OF_ENDPOINT = 'https://gate.example/mcp'

/** The configuration file of each host, in an empty home directory on Linux. */
const FILES: Readonly<Record<string, string>> = {
  'claude-code': '.claude.json',
  'claude-desktop': '.config/Claude/claude_desktop_config.json',
  cursor: '.cursor/mcp.json',
  vscode: '.config/Code/User/mcp.json',
  codex: '.codex/config.toml',
  gemini: '.gemini/settings.json',
  qwen: '.qwen/settings.json',
  cline: '.cline/data/settings/cline_mcp_settings.json',
  amp: '.config/amp/settings.json',
  copilot: '.copilot/mcp-config.json',
  opencode: '.config/opencode/opencode.json',
  windsurf: '.codeium/windsurf/mcp_config.json',
  zed: '.config/zed/settings.json',
}

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tidegate-hosts-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const run = (...args: string[]) => tidegate(args, { vars: { HOME: home }, folder: home })
const read = (path: string) => readFileSync(join(home, path), 'utf8')
// biome-ignore lint/suspicious/noExplicitAny: configurations have every shape
const json = (path: string): any => JSON.parse(read(path))

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text, { mode })
}

describe.skipIf(process.platform !== 'linux')('tidegate add', () => {
  test.each(Object.entries(FILES))('adds, updates and removes: %s', async (host, path) => {
    const added = await run('add', host, '--demo', '--yes')
    expect(added).toMatchObject({ code: 0 })
    expect(added.stdout).toContain(join(home, path))
    const first = read(path)
    expect(first).toContain(resolve('bin/tidegate.mjs'))
    expect(statSync(join(home, path)).mode & 0o777).toBe(0o600)
    const again = await run('add', host, '--demo', '--yes')
    expect(again).toMatchObject({ code: 0, stdout: `${join(home, path)} already has it.\n` })
    expect(read(path)).toBe(first)

    write('.env', '')
    const changed = await run('add', host, '--env-file', '.env', '--yes')
    expect(changed.stdout).toMatch(/^ +- +"--demo"$/m)
    expect(changed.stdout).toMatch(/^ +\+ +"--env-file",$/m)
    const renamed = await run('add', host, '--vars', '.env', '--yes')
    expect(renamed.stdout).toMatch(/^ +\+ +"--vars",$/m)
    expect(read(path)).toContain(join(home, '.env'))
    const removed = await run('remove', host, '--yes')
    expect(removed).toMatchObject({ code: 0 })
    expect(read(path)).not.toContain('tidegate.mjs')
    expect((await run('remove', host, '--yes')).stdout).toContain('has no tidegate.')
  })

  test('shows the changes, and writes nothing without --yes', async () => {
    const shown = await run('add', 'cursor', URL_OF_ENDPOINT)
    expect(shown).toMatchObject({
      code: 3,
      stderr: 'This would add tidegate. Nothing was changed: add --yes to do it.\n',
    })
    expect(shown.stdout).toContain(`+   "url": "${URL_OF_ENDPOINT}"`)
    expect(readdirSync(home)).toEqual([])
  })

  test('shows an existing entry as a change, without its secrets', async () => {
    const entry = { url: 'https://old.example/mcp', headers: { Authorization: 'Bearer tg_marker' } }
    write('.cursor/mcp.json', JSON.stringify({ mcpServers: { tidegate: entry } }))
    const shown = await run('add', 'cursor', URL_OF_ENDPOINT)
    expect(shown.stdout).toContain('-   "url": "https://old.example/mcp"')
    expect(shown.stdout + shown.stderr).not.toContain('marker')
    const asJson = await run('add', 'cursor', URL_OF_ENDPOINT, '--json')
    expect(asJson.code).toBe(3)
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      written: false,
      changes: [{ at: 'mcpServers.tidegate', becomes: { url: URL_OF_ENDPOINT } }],
    })
    expect(asJson.stdout).not.toContain('marker')
  })

  test('writes the name of a variable instead of a secret', async () => {
    const how: Record<string, string> = {
      'claude-code': `"SHOP_URL": "\${SHOP_URL}"`,
      cursor: `"SHOP_URL": "\${env:SHOP_URL}"`,
      vscode: `"SHOP_URL": "\${input:tidegate-shop-url}"`,
      codex: 'env_vars = [ "SHOP_URL" ]',
      gemini: `"SHOP_URL": "\${SHOP_URL}"`,
      copilot: `"SHOP_URL": "\${SHOP_URL}"`,
      opencode: '"SHOP_URL": "{env:SHOP_URL}"',
      windsurf: `"SHOP_URL": "\${env:SHOP_URL}"`,
      qwen: `"SHOP_URL": "\${SHOP_URL}"`,
      cline: '"--url-env"',
      zed: '"--url-env"',
    }
    for (const [host, text] of Object.entries(how)) {
      await run('add', host, '--url-env', 'SHOP_URL', '--yes')
      expect(read(FILES[host]!), host).toContain(text)
    }
    const desktop = await run('add', 'claude-desktop', '--url-env', 'SHOP_URL', '--yes')
    expect(desktop.code).toBe(1)
    expect(desktop.stderr).toContain('--vars FILE')
    const amp = await run('add', 'amp', '--url-env', 'SHOP_URL', '--yes')
    expect(amp.stderr).toContain('--vars FILE')
    const keyed = await run('add', 'amp', URL_OF_ENDPOINT, '--key-env', 'SHOP_KEY', '--yes')
    expect(keyed.stderr).toContain('amp mcp add NAME')
    expect((await run('add', 'amp', URL_OF_ENDPOINT, '--yes')).code).toBe(0)
    expect(json(FILES.amp!)['amp.mcpServers']).toEqual({ tidegate: { url: URL_OF_ENDPOINT } })
    const zed = await run('add', 'zed', URL_OF_ENDPOINT, '--key-env', 'SHOP_KEY', '--yes')
    expect(zed.stderr).toContain('Zed cannot read a variable in a header')

    for (const url of [
      'postgres://ada:marker@db.example/shop',
      'postgres://ada@db.example/shop?password=marker',
      'libsql://db.example?authToken=marker',
      'mysql://ada:marker@[db',
    ]) {
      const refused = await run('add', 'cursor', url, '--yes')
      expect(refused, url).toMatchObject({ code: 2 })
      expect(refused.stdout + refused.stderr).not.toContain('marker')
    }
    expect(await run('add', 'cursor', 'postgres://ada@db.example/shop', '--yes')).toMatchObject({
      code: 0,
    })
  })

  test('passes on the options for the connection and the endpoint', async () => {
    write('key', '')
    const told = ['--title', 'The shop', '--rows', '50', '--no-sql']
    const way = ['--ssh', 'ada@bastion.example', '--ssh-key', 'key']
    await run('add', 'cursor', 'postgres://ada@db.example/shop', ...told, ...way, '--yes')
    const { args } = JSON.parse(read(FILES.cursor!)).mcpServers.tidegate
    expect(args.slice(2)).toEqual([
      ...['--ssh', 'ada@bastion.example', '--ssh-key', expect.stringMatching(/^\/.*\/key$/)],
      ...told,
    ])
  })

  test('passes on the variables in a file of endpoints, and makes paths absolute', async () => {
    write('endpoints.json', '{"name":"shop","databases":{"shop":{"url":"secret:SHOP_URL"}}}')
    write('shop.sqlite', '')
    await run('add', 'gemini', '--config', 'endpoints.json', '--yes')
    const { args, env } = json(FILES.gemini!).mcpServers.tidegate
    expect(args.slice(1)).toEqual(['--config', join(home, 'endpoints.json')])
    expect(env).toEqual({ SHOP_URL: `\${SHOP_URL}` })
    await run('add', 'gemini', './shop.sqlite', '--yes')
    expect(json(FILES.gemini!).mcpServers.tidegate.args[1]).toBe(join(home, 'shop.sqlite'))
    expect((await run('add', 'gemini', 'none.sqlite', '--yes')).stderr).toBe(
      'There is no file none.sqlite.\n',
    )
  })

  test('keeps comments, order and everything else', async () => {
    const before = `// mine\r
{\r
\t"editor.fontSize": 12, // small\r
\t"context_servers": {\r
\t\t/* another */\r
\t\t"other": { "command": "x", },\r
\t},\r
\t"vim_mode": true,\r
}\r
`
    write('.config/zed/settings.json', before)
    await run('add', 'zed', URL_OF_ENDPOINT, '--yes')
    const after = read('.config/zed/settings.json')
    expect(after.replace(/[\t ]*"tidegate": \{[^}]*\},?\r\n/, '')).toContain('/* another */')
    expect(after).toContain('\t"editor.fontSize": 12, // small\r\n')
    expect(after).toContain(`\t\t\t"url": "${URL_OF_ENDPOINT}"\r\n`)
    expect(after.replaceAll('\r\n', '')).not.toContain('\n')
    expect(read('.config/zed/settings.json.before-tidegate')).toBe(before)

    const toml = `# mine
model = "o3" # fast

[mcp_servers.other] # another
command = "x"
env = { A = "1" }

[profiles.x]
list = [ 1, # one
  2 ]
`
    write('.codex/config.toml', toml)
    await run('add', 'codex', URL_OF_ENDPOINT, '--key-env', 'SHOP_KEY', '--yes')
    expect(read('.codex/config.toml')).toBe(`${toml}
[mcp_servers.tidegate]
url = "${URL_OF_ENDPOINT}"
bearer_token_env_var = "SHOP_KEY"
required = true
`)
    await run('add', 'codex', '--demo', '--yes')
    expect(read('.codex/config.toml')).toContain('[mcp_servers.other] # another')
    await run('remove', 'codex', '--yes')
    expect(read('.codex/config.toml').trimEnd()).toBe(toml.trimEnd())

    write('.codex/config.toml', 'mcp_servers = { a = { command = "x" } }\n')
    await run('add', 'codex', URL_OF_ENDPOINT, '--yes')
    expect(read('.codex/config.toml')).toBe(
      `mcp_servers = { a = { command = "x" }, tidegate = { url = "${URL_OF_ENDPOINT}", required = true } }\n`,
    )
  })

  test.each([
    ['.cursor/mcp.json', 'cursor', '{"mcpServers": {'],
    ['.cursor/mcp.json', 'cursor', '[]'],
    ['.cursor/mcp.json', 'cursor', '{"mcpServers": []}'],
    ['.codex/config.toml', 'codex', 'model = \n'],
    ['.codex/config.toml', 'codex', 'mcp_servers = 1\n'],
  ])('leaves %s alone if it cannot be read', async (path, host, text) => {
    write(path, text)
    const ran = await run('add', host, '--demo', '--yes')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(
      /^\S+ (?:is not valid (?:JSON|TOML), so|has a \w+ that is not a table)/,
    )
    expect(read(path)).toBe(text)
    expect(readdirSync(dirname(join(home, path)))).toHaveLength(1)
  })

  test('keeps a file’s mode, and follows a symbolic link', async () => {
    write('dotfiles/mcp.json', '{}')
    chmodSync(join(home, 'dotfiles/mcp.json'), 0o640)
    mkdirSync(join(home, '.cursor'))
    symlinkSync(join(home, 'dotfiles/mcp.json'), join(home, '.cursor/mcp.json'))
    await run('add', 'cursor', '--demo', '--yes')
    expect(statSync(join(home, 'dotfiles/mcp.json')).mode & 0o777).toBe(0o640)
    expect(json('dotfiles/mcp.json').mcpServers.tidegate).toBeDefined()
    expect(readdirSync(join(home, '.cursor'))).toEqual(['mcp.json'])
    expect(readdirSync(join(home, 'dotfiles')).sort()).toEqual([
      'mcp.json',
      'mcp.json.before-tidegate',
    ])
  })

  test('removes the input that VS Code asks for, unless another server uses it', async () => {
    await run('add', 'vscode', URL_OF_ENDPOINT, '--key-env', 'SHOP_KEY', '--yes')
    const path = FILES.vscode!
    const { inputs, servers } = json(path)
    expect(inputs).toEqual([
      {
        type: 'promptString',
        id: 'tidegate-shop-key',
        description: 'SHOP_KEY of tidegate',
        password: true,
      },
    ])
    const other = { id: 'mine', type: 'promptString', description: 'mine' }
    write(path, JSON.stringify({ inputs: [other, ...inputs], servers }))
    await run('remove', 'vscode', '--yes')
    expect(json(path)).toEqual({ inputs: [other], servers: {} })
    write(path, JSON.stringify({ inputs, servers: { ...servers, also: servers.tidegate } }))
    await run('remove', 'vscode', '--yes')
    expect(json(path).inputs).toEqual(inputs)
  })

  test('writes into a project’s folder', async () => {
    await run('add', 'claude-code', URL_OF_ENDPOINT, '--scope', 'project', '--yes')
    expect(json('.mcp.json').mcpServers.tidegate.url).toBe(URL_OF_ENDPOINT)
    expect((await run('add', 'windsurf', '--demo', '--scope', 'project')).stderr).toContain(
      'Windsurf has no project file.',
    )
  })

  test('reports missing options', async () => {
    for (const [args, sentence] of [
      [['add', 'emacs', '--demo'], 'Unknown host. Name one of: claude-code,'],
      [['add', 'cursor'], 'Say what to add:'],
      [['add', 'cursor', URL_OF_ENDPOINT, '--demo'], 'Name one thing to add:'],
      [['add', 'cursor', '--demo', '--key-env', 'A'], '--key-env works only with the URL'],
      [['add', 'cursor', '--url-env', '$A'], 'A variable name can have only'],
      [['add', 'cursor', '--demo', '--name', 'a b'], 'A name must begin with a letter'],
      [['add', 'cursor', 'https://u:p@host.example/mcp'], 'Hosts do not send the user name'],
      [['add', 'constructor', '--demo'], 'Unknown host.'],
      [['add', 'claude-desktop', URL_OF_ENDPOINT], 'Claude Desktop starts the servers'],
    ] as const) {
      const ran = await run(...args, '--yes')
      expect(ran.code, args.join(' ')).toBeGreaterThan(0)
      expect(ran.stderr).toContain(sentence)
    }
    expect(readdirSync(home)).toEqual([])
  })
})

test('the snippets for web apps say that they cannot reach this machine, and what to do instead', () => {
  for (const access of ['none', 'key', 'sign-in'] as const) {
    const here = snippetsFor({ url: 'http://127.0.0.1:8787/mcp', name: 'tidegate', access })
    for (const host of ['Claude', 'ChatGPT'])
      expect(here.find((it) => it.host === host)!.after).toContain('npx tidegate deploy')
    const there = snippetsFor({ url: URL_OF_ENDPOINT, name: 'tidegate', access })
    expect(there[0]!.after ?? '').not.toContain('npx tidegate deploy')
  }
})

test('the snippets name the next step of a sign-in, and match docs/hosts.md', () => {
  const address = { url: URL_OF_ENDPOINT, name: 'tidegate' }
  const signedIn = snippetsFor({ ...address, access: 'sign-in' })
  for (const [host, next] of [
    ['Copilot', '/mcp auth tidegate'],
    ['Qwen Code', '/mcp'],
    ['Cline', 'Authorize OAuth'],
    ['Amp', 'opens the browser'],
  ]) {
    expect(signedIn.find((it) => it.host === host)?.after, host).toContain(next)
  }

  // The same lines as in the docs.
  const docs = readFileSync('docs/hosts.md', 'utf8')
  const keyed = snippetsFor({ url: 'URL', name: 'tidegate', access: 'key' })
  for (const host of ['Claude Code', 'Codex', 'Gemini CLI', 'Qwen Code', 'Cline', 'Amp']) {
    expect(docs).toContain(`\n${keyed.find((it) => it.host === host)?.text}\n`)
  }
})

test.skipIf(process.platform !== 'linux')(
  'tidegate add explains that Codex reads a project file only if you trust it',
  async () => {
    const ran = await run('add', 'codex', '--demo', '--scope', 'project', '--yes')
    expect(ran.stderr).toContain('only if you trust it')
    expect((await run('add', 'codex', '--demo', '--yes')).stderr).not.toContain('trust')
  },
)

test.skipIf(process.platform !== 'linux')(
  'tidegate add says that Cline does not read variables in headers',
  async () => {
    const ran = await run('add', 'cline', URL_OF_ENDPOINT, '--key-env', 'SHOP_KEY', '--yes')
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('Authorize OAuth')])
    await run('add', 'cline', URL_OF_ENDPOINT, '--yes')
    expect(json(FILES.cline!).mcpServers.tidegate).toEqual({
      type: 'streamableHttp',
      url: URL_OF_ENDPOINT,
    })
  },
)

test('the Console shows the same entries as tidegate add', async () => {
  const address = { url: URL_OF_ENDPOINT, name: 'tidegate', access: 'key' as const }
  const shown = new Map(
    snippetsFor({ ...address, key: `\${TIDEGATE_KEY}` }).map(({ host, text }) => [host, text]),
  )
  const titled = Object.entries(hosts).filter(([name]) => FILES[name]?.endsWith('.json'))
  let compared = 0
  for (const [name, { title }] of titled) {
    const text = shown.get(title === 'Copilot CLI' ? 'Copilot' : title)
    if (!text?.startsWith('{')) continue
    await run('add', name, URL_OF_ENDPOINT, '--key-env', 'TIDEGATE_KEY', '--yes')
    const written = read(FILES[name]!)
      .replace(/,\s*"inputs": \[[^\]]*\]/, '')
      .replace(
        /\$?\{(?:env:|input:)?(?:tidegate-key|TIDEGATE_KEY|tidegate-tidegate-key)\}/,
        `\${TIDEGATE_KEY}`,
      )
    expect(JSON.parse(written), title).toEqual(JSON.parse(text))
    compared++
  }
  expect(compared).toBe(4)
})

describe('the hosts’ files', () => {
  const machine = {
    windows: {
      platform: 'win32' as const,
      env: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
      home: 'C:\\Users\\ada',
      join: win32.join,
    },
    mac: { platform: 'darwin' as const, env: {}, home: '/Users/ada', join },
  }
  const fileOf = (name: keyof typeof hosts, on: (typeof machine)['mac' | 'windows']) =>
    hosts[name]!.files({ ...on, settings: settingsFolder(on) }).user![0]

  test('are where each host looks on Windows', () => {
    expect(fileOf('claude-desktop', machine.windows)).toBe(
      'C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    )
    expect(fileOf('vscode', machine.windows)).toBe(
      'C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json',
    )
    expect(fileOf('zed', machine.windows)).toBe(
      'C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json',
    )
    expect(fileOf('codex', machine.windows)).toBe('C:\\Users\\ada\\.codex\\config.toml')
  })

  test('are where each host looks on macOS', () => {
    expect(fileOf('claude-desktop', machine.mac)).toBe(
      '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
    )
    expect(fileOf('vscode', machine.mac)).toBe(
      '/Users/ada/Library/Application Support/Code/User/mcp.json',
    )
    expect(fileOf('zed', machine.mac)).toBe('/Users/ada/.config/zed/settings.json')
  })
})
