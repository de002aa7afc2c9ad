// The apps that run an AI: where each keeps its MCP servers, and what an entry looks like there.

/**
 * Every host. `entry` is of a server: `{ url, keyEnv }`, or `{ command, args, env }` with names of variables in `env`.
 * `files` has the paths by scope; the first that is there is taken, else the first. `values` says how it hands the
 * variables of this machine to a server; one without it hands none.
 */
export const hosts = {
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    place: ['mcpServers'],
    files: ({ join, home, env }) => ({
      user: [join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')],
      project: ['.mcp.json'],
    }),
    values: (name) => `\${${name}}`,
    remote: ({ url, headers }) => ({ type: 'http', url, ...headers }),
    local: ({ command, args, env }) => ({ type: 'stdio', command, args, ...env }),
    next: 'Start Claude Code again, and type /mcp there.',
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    format: 'json',
    place: ['mcpServers'],
    files: ({ join, settings }) => ({
      user: [join(settings, 'Claude', 'claude_desktop_config.json')],
    }),
    noRemote:
      'Claude Desktop starts servers, and takes no URL in its file. Add the URL there: Settings, Connectors, Add custom connector.',
    noValues:
      'Claude Desktop hands no variable of this machine to what it starts. Put the line NAME=… into a file that only you can read, and add --vars FILE.',
    local: ({ command, args }) => ({ command, args }),
    next: 'Quit Claude Desktop and start it again.',
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    place: ['mcpServers'],
    files: ({ join, home }) => ({
      user: [join(home, '.cursor', 'mcp.json')],
      project: [join('.cursor', 'mcp.json')],
    }),
    values: (name) => `\${env:${name}}`,
    remote: ({ url, headers }) => ({ url, ...headers }),
    local: ({ command, args, env }) => ({ command, args, ...env }),
    next: 'Look at Settings, Tools & MCP in Cursor, and turn it on there.',
  },
  vscode: {
    title: 'VS Code',
    format: 'json',
    place: ['servers'],
    files: ({ join, settings }) => ({
      user: [join(settings, 'Code', 'User', 'mcp.json')],
      project: [join('.vscode', 'mcp.json')],
    }),
    // It asks for the value once, and keeps it encrypted.
    inputs: true,
    remote: ({ url, headers }) => ({ type: 'http', url, ...headers }),
    local: ({ command, args, env }) => ({ type: 'stdio', command, args, ...env }),
    next: 'Run "MCP: List Servers" in VS Code, and start it there.',
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    place: ['mcp_servers'],
    files: ({ join, home, env }) => ({
      user: [join(env.CODEX_HOME || join(home, '.codex'), 'config.toml')],
      project: [join('.codex', 'config.toml')],
    }),
    remote: ({ url, keyEnv }) => ({ url, ...(keyEnv && { bearer_token_env_var: keyEnv }) }),
    local: ({ command, args, names }) => ({
      command,
      args,
      ...(names.length > 0 && { env_vars: names }),
      // The first start of npx installs.
      startup_timeout_sec: 60,
    }),
    values: (name) => name,
    next: 'Start Codex again, and type /mcp there.',
    nextRemote: 'If it asks you to sign in: codex mcp login NAME',
  },
  gemini: {
    title: 'Gemini CLI',
    format: 'json',
    place: ['mcpServers'],
    files: ({ join, home }) => ({
      user: [join(home, '.gemini', 'settings.json')],
      project: [join('.gemini', 'settings.json')],
    }),
    values: (name) => `\${${name}}`,
    remote: ({ url, headers }) => ({ url, type: 'http', ...headers }),
    local: ({ command, args, env }) => ({ command, args, ...env }),
    next: 'Start Gemini CLI again, and type /mcp there.',
  },
  copilot: {
    title: 'Copilot CLI',
    format: 'json',
    place: ['mcpServers'],
    files: ({ join, home, env }) => ({
      user: [join(env.COPILOT_HOME || join(home, '.copilot'), 'mcp-config.json')],
    }),
    values: (name) => `\${${name}}`,
    remote: ({ url, headers }) => ({ type: 'http', url, ...headers, tools: ['*'] }),
    local: ({ command, args, env }) => ({ type: 'local', command, args, ...env, tools: ['*'] }),
    next: 'Start Copilot again, and type /mcp show there.',
  },
  opencode: {
    title: 'opencode',
    format: 'json',
    place: ['mcp'],
    files: ({ join, home, env }) => {
      const folder = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode')
      return {
        user: [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')],
        project: ['opencode.json', 'opencode.jsonc'],
      }
    },
    values: (name) => `{env:${name}}`,
    remote: ({ url, headers }) => ({ type: 'remote', url, ...headers }),
    local: ({ command, args, env: { env } }) => ({
      type: 'local',
      command: [command, ...args],
      ...(env && { environment: env }),
    }),
    next: 'Start opencode again. To see it: opencode mcp list',
    nextRemote: 'If it asks you to sign in: opencode mcp auth NAME',
  },
  windsurf: {
    title: 'Windsurf',
    format: 'json',
    place: ['mcpServers'],
    files: ({ join, home }) => ({ user: [join(home, '.codeium', 'windsurf', 'mcp_config.json')] }),
    values: (name) => `\${env:${name}}`,
    remote: ({ url, headers }) => ({ serverUrl: url, ...headers }),
    local: ({ command, args, env }) => ({ command, args, ...env }),
    next: 'Press Refresh in Windsurf, at its MCP servers.',
  },
  zed: {
    title: 'Zed',
    format: 'json',
    place: ['context_servers'],
    files: ({ join, home, env, platform }) => {
      const folder =
        platform === 'win32'
          ? join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Zed')
          : platform === 'darwin'
            ? join(home, '.config', 'zed')
            : join(env.XDG_CONFIG_HOME || join(home, '.config'), 'zed')
      return { user: [join(folder, 'settings.json')], project: [join('.zed', 'settings.json')] }
    },
    // What it starts has the variables that Zed has, by themselves.
    inherits: true,
    noKey:
      'Zed reads no variable in a header, and the key does not belong into its file. Turn the sign-in on, and leave out --key-env: Zed then opens a page.',
    remote: ({ url }) => ({ source: 'custom', type: 'http', url }),
    local: ({ command, args }) => ({ source: 'custom', command, args, env: {} }),
    next: 'Look at the Agent Panel of Zed, in its settings.',
  },
}

/** What people call some of them. */
const OTHER_NAMES = {
  claude: 'claude-code',
  'gemini-cli': 'gemini',
  'copilot-cli': 'copilot',
  code: 'vscode',
  'vs-code': 'vscode',
}

/** A host by a name that people give it; or undefined. */
export function hostNamed(text) {
  const name = text.toLowerCase()
  const found = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : name
  return Object.hasOwn(hosts, found) ? hosts[found] : undefined
}

/**
 * What goes into the file of a host, as a list of `{ path, value }`.
 * @throws a sentence, where this host cannot have this server
 */
export function changesFor(host, name, server) {
  const isRemote = server.url !== undefined
  if (isRemote && host.noRemote) throw new Error(host.noRemote)
  if (isRemote && server.keyEnv && host.noKey) throw new Error(host.noKey)
  const names = (isRemote ? [server.keyEnv] : server.env).filter(Boolean)
  if (names.length > 0 && host.noValues) throw new Error(host.noValues)
  const reference = host.inputs ? (it) => `\${input:${inputOf(name, it)}}` : host.values
  const headers = server.keyEnv &&
    reference && { headers: { Authorization: `Bearer ${reference(server.keyEnv)}` } }
  const env = names.length > 0 && reference && !host.inherits
  const entry = isRemote
    ? host.remote({ ...server, headers })
    : host.local({
        ...server,
        names,
        env: env ? { env: Object.fromEntries(names.map((it) => [it, reference(it)])) } : {},
      })
  return {
    entry: { path: [...host.place, name], value: entry },
    inputs: host.inputs
      ? names.map((it) => ({
          type: 'promptString',
          id: inputOf(name, it),
          description: `${it} of ${name}`,
          password: true,
        }))
      : [],
  }
}

/** The name of a value that VS Code asks for. */
const inputOf = (name, variable) => `${name}-${variable.toLowerCase().replaceAll('_', '-')}`

/** Where the settings of apps are on this machine. */
export function settingsFolder({ platform, env, home, join }) {
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  return env.XDG_CONFIG_HOME || join(home, '.config')
}
