// The apps that run an AI: the place where each one lists its MCP servers, and the form of an entry there.

import { CommandFailure } from '../terminal/failure.ts'
import type { ConfigFormat, Edit } from './config.ts'
import type { ServerEntry } from './server.ts'

/** The facts about a machine that decide where files are. */
export interface HostFiles {
  readonly platform: string
  readonly env: NodeJS.Dict<string>
  readonly home: string
  join(...names: string[]): string
}

type Scope = 'user' | 'project'

/** An endpoint for an entry: its URL, the variable that holds its key, and a header that refers to the variable. */
interface RemoteEntry {
  readonly url: string
  readonly keyEnv: string | undefined
  readonly headers: { readonly headers?: { readonly Authorization: string } }
}

/** A command for an entry, with the names of its variables, and the form in which the host passes their values. */
interface LocalEntry {
  readonly command: string
  readonly args: readonly string[]
  readonly names: readonly string[]
  readonly env: { readonly env?: Readonly<Record<string, string>> }
}

/** An app that runs an AI. */
export interface HostApp {
  readonly title: string
  readonly format: ConfigFormat
  /** The path to the table of servers. */
  readonly place: readonly string[]
  /** The paths of its files by scope: the first one that exists is used, or else the first one. */
  files(around: HostFiles & { readonly settings: string }): { readonly [It in Scope]?: string[] }
  /** The form in which it passes an environment variable to a server. A host without this passes no variables. */
  values?(name: string): string
  /** True if it asks for values once, and stores them. */
  readonly inputs?: boolean
  /** True if its servers inherit its variables. */
  readonly inherits?: boolean
  /** The reason that it accepts no URL, no key in a variable, or no variables. */
  readonly noRemote?: string
  readonly noKey?: string
  readonly noValues?: string
  remote?(endpoint: RemoteEntry): object
  local(command: LocalEntry): object
  /** The next step, and further ones for a URL and for a project's file. */
  readonly next: string
  readonly nextRemote?: string
  readonly nextProject?: string
}

/** The format and place that most hosts use, and their form of an entry that starts a command. */
const usual = {
  format: 'json',
  place: ['mcpServers'],
  local: ({ command, args, env }: LocalEntry) => ({ command, args, ...env }),
} as const

export const hosts: Readonly<Record<string, HostApp>> = {
  'claude-code': {
    title: 'Claude Code',
    ...usual,
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
    ...usual,
    files: ({ join, settings }) => ({
      user: [join(settings, 'Claude', 'claude_desktop_config.json')],
    }),
    noRemote:
      'Claude Desktop starts the servers in its file, which cannot contain a URL. Add the URL in the app: Settings, Connectors, Add custom connector.',
    noValues:
      'Claude Desktop does not pass environment variables to servers. Put the line NAME=… into a file that only you can read, and add --vars FILE.',
    local: ({ command, args }) => ({ command, args }),
    next: 'Quit Claude Desktop and start it again.',
  },
  cursor: {
    title: 'Cursor',
    ...usual,
    files: ({ join, home }) => ({
      user: [join(home, '.cursor', 'mcp.json')],
      project: [join('.cursor', 'mcp.json')],
    }),
    values: (name) => `\${env:${name}}`,
    remote: ({ url, headers }) => ({ url, ...headers }),
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
    // VS Code asks for the value once, and stores it encrypted.
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
    // Otherwise `codex exec` silently continues without a server that is not ready in about a second.
    remote: ({ url, keyEnv }) => ({
      url,
      ...(keyEnv && { bearer_token_env_var: keyEnv }),
      required: true,
    }),
    local: ({ command, args, names }) => ({
      command,
      args,
      ...(names.length > 0 && { env_vars: names }),
      required: true,
    }),
    values: (name) => name,
    next: 'Start Codex again, and type /mcp there.',
    nextRemote: 'If it asks you to sign in: codex mcp login NAME',
    nextProject:
      "Codex reads a project's file only if you trust it: it asks when you start it there.",
  },
  gemini: {
    title: 'Gemini CLI',
    ...usual,
    files: ({ join, home }) => ({
      user: [join(home, '.gemini', 'settings.json')],
      project: [join('.gemini', 'settings.json')],
    }),
    values: (name) => `\${${name}}`,
    remote: ({ url, headers }) => ({ url, type: 'http', ...headers }),
    next: 'Start Gemini CLI again, and type /mcp there.',
  },
  qwen: {
    title: 'Qwen Code',
    ...usual,
    files: ({ join, home }) => ({
      user: [join(home, '.qwen', 'settings.json')],
      project: [join('.qwen', 'settings.json')],
    }),
    values: (name) => `\${${name}}`,
    remote: ({ url, headers }) => ({ httpUrl: url, ...headers }),
    next: 'Start Qwen Code again, and type /mcp there. If it has to sign in, it opens the browser.',
  },
  cline: {
    title: 'Cline',
    ...usual,
    files: ({ join, home }) => ({
      user: [join(home, '.cline', 'data', 'settings', 'cline_mcp_settings.json')],
    }),
    // Its servers inherit Cline's variables.
    inherits: true,
    noKey:
      'Cline cannot read a variable in a header, and the key does not belong in its file. Turn the sign-in on, and leave out --key-env: run cline mcp then, and choose Authorize OAuth.',
    remote: ({ url }) => ({ type: 'streamableHttp', url }),
    local: ({ command, args }) => ({ command, args }),
    next: 'Start Cline again, and type /mcp there.',
    nextRemote: 'If it asks you to sign in: run cline mcp, and choose Authorize OAuth for NAME.',
  },
  amp: {
    title: 'Amp',
    format: 'json',
    place: ['amp.mcpServers'],
    files: ({ join, home, env }) => ({
      user: [join(env.XDG_CONFIG_HOME || join(home, '.config'), 'amp', 'settings.json')],
      project: [join('.amp', 'settings.json')],
    }),
    noKey:
      'A key would be readable in the settings file. Turn the sign-in on, and leave out --key-env. Or add the key with Amp: amp mcp add NAME --header "Authorization=Bearer KEY" URL',
    noValues:
      'Amp does not pass environment variables to servers. Put the line NAME=… into a file that only you can read, and add --vars FILE.',
    remote: ({ url }) => ({ url }),
    local: ({ command, args }) => ({ command, args }),
    next: 'Start Amp again. To see it: amp mcp list',
    nextRemote: 'If it has to sign in, it opens the browser.',
  },
  copilot: {
    title: 'Copilot CLI',
    ...usual,
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
    ...usual,
    files: ({ join, home }) => ({ user: [join(home, '.codeium', 'windsurf', 'mcp_config.json')] }),
    values: (name) => `\${env:${name}}`,
    remote: ({ url, headers }) => ({ serverUrl: url, ...headers }),
    next: 'Press Refresh in the list of MCP servers in Windsurf.',
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
    // Its servers inherit Zed's variables.
    inherits: true,
    noKey:
      'Zed cannot read a variable in a header, and the key does not belong in its file. Turn the sign-in on, and leave out --key-env: Zed then opens a page.',
    remote: ({ url }) => ({ source: 'custom', type: 'http', url }),
    local: ({ command, args }) => ({ source: 'custom', command, args, env: {} }),
    next: "Look in Zed's settings, under Agent Panel.",
  },
}

/** Other names that people use. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  'gemini-cli': 'gemini',
  'copilot-cli': 'copilot',
  code: 'vscode',
  'vs-code': 'vscode',
}

/** Finds a host by any of its names, or undefined. */
export function hostNamed(text: string): HostApp | undefined {
  const name = text.toLowerCase()
  const found = (Object.hasOwn(OTHER_NAMES, name) && OTHER_NAMES[name]) || name
  return Object.hasOwn(hosts, found) ? hosts[found] : undefined
}

/** A server's entry in a host's file, and the values to ask for. Throws {@link CommandFailure} if the host cannot have it. */
export function changesFor(
  host: HostApp,
  name: string,
  server: ServerEntry,
): { readonly entry: Edit; readonly inputs: readonly InputEntry[] } {
  const isRemote = server.url !== undefined
  const names = isRemote ? (server.keyEnv ? [server.keyEnv] : []) : server.env
  const problem =
    (isRemote && host.noRemote) ||
    (isRemote && names.length > 0 && host.noKey) ||
    (names.length > 0 && host.noValues)
  if (problem) throw new CommandFailure(problem)
  const reference = (it: string) =>
    host.inputs ? `\${input:${inputOf(name, it)}}` : (host.values?.(it) ?? '')
  return {
    entry: { path: [...host.place, name], value: entryOf(host, server, names, reference) },
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

/** A value that VS Code asks for. */
export interface InputEntry {
  readonly type: string
  readonly id: string
  readonly description: string
  readonly password: boolean
}

function entryOf(
  host: HostApp,
  server: ServerEntry,
  names: readonly string[],
  reference: (name: string) => string,
): object | undefined {
  if (server.url !== undefined) {
    const { url, keyEnv } = server
    const headers = keyEnv && { headers: { Authorization: `Bearer ${reference(keyEnv)}` } }
    return host.remote?.({ url, keyEnv, headers: headers || {} })
  }
  const env =
    names.length > 0 && !host.inherits
      ? { env: Object.fromEntries(names.map((it) => [it, reference(it)])) }
      : {}
  return host.local({ ...server, names, env })
}

/** The name of a value that VS Code asks for. */
const inputOf = (name: string, variable: string): string =>
  `${name}-${variable.toLowerCase().replaceAll('_', '-')}`

/** The folder for app settings on this machine. */
export function settingsFolder({ platform, env, home, join }: HostFiles): string {
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  return env.XDG_CONFIG_HOME || join(home, '.config')
}
