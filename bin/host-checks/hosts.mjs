// The hosts that people paste a URL into, and what each needs of a server.

/**
 * Each has its `id` and `name`. It is `hosted` if it connects from the internet and not from the machine of its
 * user, it `sendsKey` if people can give it a header, and it `registers` if it cannot sign in by a client ID
 * metadata document.
 */
export const hosts = [
  { id: 'claude', name: 'Claude (web, desktop, phone)', hosted: true },
  { id: 'chatgpt', name: 'ChatGPT', hosted: true },
  { id: 'claude-code', name: 'Claude Code', sendsKey: true },
  { id: 'codex', name: 'Codex', sendsKey: true },
  { id: 'cursor', name: 'Cursor', sendsKey: true },
  { id: 'vscode', name: 'VS Code', sendsKey: true },
  { id: 'gemini', name: 'Gemini CLI', sendsKey: true, registers: true },
  { id: 'inspector', name: 'MCP Inspector', sendsKey: true },
  { id: 'mcp-remote', name: 'mcp-remote', sendsKey: true, registers: true },
  { id: 'n8n', name: 'n8n', sendsKey: true, registers: true },
]

const idsOf = (of) => hosts.filter(of).map(({ id }) => id)

export const ALL = idsOf(() => true)

/** Those that reach only what the internet reaches. */
export const HOSTED = idsOf(({ hosted }) => hosted)

/** Those that cannot sign in where clients cannot register. */
export const REGISTERING = idsOf(({ registers }) => registers)

/** Those that people can give no header. */
export const KEYLESS = idsOf(({ sendsKey }) => !sendsKey)
