/** Names of the hosts in findings. */
export type HostId =
  | 'claude'
  | 'chatgpt'
  | 'claude-code'
  | 'codex'
  | 'cursor'
  | 'vscode'
  | 'gemini'
  | 'inspector'
  | 'mcp-remote'
  | 'n8n'

interface HostFacts {
  readonly id: HostId
  readonly name: string
  /** It connects from the internet rather than from its user's machine. */
  readonly hosted?: true
  /** People can configure a header in it. */
  readonly sendsKey?: true
  /** It cannot sign in with a client ID metadata document. */
  readonly registers?: true
}

/** The hosts that people paste a URL into, and each one's requirements. */
export const hosts: readonly HostFacts[] = [
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

const idsOf = (of: (host: HostFacts) => boolean | undefined): readonly HostId[] =>
  hosts.filter(of).map(({ id }) => id)

/** Every host. */
export const ALL = idsOf(() => true)

/** Hosts that reach only public addresses. */
export const HOSTED = idsOf(({ hosted }) => hosted)

/** Hosts that cannot sign in to a server without client registration. */
export const REGISTERING = idsOf(({ registers }) => registers)

/** Hosts in which people cannot configure a header. */
export const KEYLESS = idsOf(({ sendsKey }) => !sendsKey)
