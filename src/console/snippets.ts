import { isLoopback } from '../ground/index.ts'

/** Address of an endpoint, for an app. */
export interface EndpointLink {
  readonly url: string
  /** Name of the endpoint in the app. */
  readonly name: string
  /** `none`: open to everybody. `sign-in`: the app opens a page. `key`: the app sends a key as a header. */
  readonly access: 'none' | 'sign-in' | 'key'
  /** The key itself, if it was just created. It replaces KEY in the snippets. */
  readonly key?: string | undefined
  /** The endpoint's URL with the key in it, for apps that cannot send a header. */
  readonly secretUrl?: string | undefined
}

/** Instructions for adding an endpoint to one app. */
export interface Snippet {
  readonly host: string
  /** Instruction above the text. */
  readonly lead: string
  /** Name of the text to copy: `the command`. */
  readonly what: string
  readonly text: string
  /** Link that adds the endpoint in one step. */
  readonly link?: { readonly text: string; readonly href: string } | undefined
  readonly after?: string | undefined
}

/** Placeholder that a person must replace. */
const KEY = 'KEY'

/** Instructions for each app, the most common apps first. */
export function snippetsFor(address: EndpointLink): readonly Snippet[] {
  const { url, name, access, key = KEY } = address
  const keyed = access === 'key'
  const bearer = keyed ? { headers: { Authorization: `Bearer ${key}` } } : {}
  const header = (flag: string) => (keyed ? ` ${flag} "Authorization: Bearer ${key}"` : '')
  const signIn = (how: string) => (access === 'sign-in' ? how : undefined)
  // Links to other companies' sites, which must not get the key.
  const link = (text: string, href: string) => (address.key ? undefined : { text, href })
  const encoded = encodeURIComponent(url)
  const json = { type: 'http', url, ...bearer }
  return [
    {
      host: 'Claude',
      lead: 'Settings → Connectors → Add custom connector. Paste the URL, then click Add.',
      ...webHost(address),
      link: keyed
        ? undefined
        : {
            text: 'Open in Claude',
            href: `https://claude.ai/customize/connectors?modal=add-custom-connector&connectorName=${name}&connectorUrl=${encoded}`,
          },
    },
    command(
      'Claude Code',
      `claude mcp add --transport http --scope user ${name} ${shell(url)}${header('--header')}`,
      signIn('Then type /mcp in Claude Code and sign in.'),
    ),
    {
      host: 'ChatGPT',
      lead: `Settings → Apps → Advanced settings → Developer mode → Create app. Paste the URL and choose ${signIn('OAuth') ?? 'No authentication'}.`,
      ...webHost(address),
    },
    {
      ...file('Cursor', '~/.cursor/mcp.json', { mcpServers: { [name]: { url, ...bearer } } }),
      link: link(
        'Add to Cursor',
        `https://cursor.com/en/install-mcp?name=${name}&config=${encodeURIComponent(btoa(JSON.stringify({ url, ...bearer })))}`,
      ),
    },
    {
      ...file('VS Code', '.vscode/mcp.json', { servers: { [name]: json } }),
      link: link(
        'Add to VS Code',
        `https://vscode.dev/redirect/mcp/install?name=${name}&config=${encodeURIComponent(JSON.stringify(json))}`,
      ),
    },
    {
      ...command(
        'Codex',
        `${address.key ? `export TIDEGATE_KEY=${key}\n` : ''}codex mcp add ${name} --url ${shell(url)}${keyed ? ' --bearer-token-env-var TIDEGATE_KEY' : ''}`,
        `${keyed ? 'The key is read from the environment variable TIDEGATE_KEY. ' : ''}For codex exec, add required = true under [mcp_servers.${name}] in ~/.codex/config.toml. Otherwise it waits about a second for the tools and then continues without them.`,
      ),
      lead:
        signIn('Run this in a terminal. It opens the browser so that you can sign in:') ?? TERMINAL,
    },
    command(
      'Gemini CLI',
      `gemini mcp add -s user -t http ${name} ${shell(url)}${header('-H')}`,
      signIn(`Then type /mcp auth ${name} in Gemini.`),
    ),
    file(
      'Copilot',
      '~/.copilot/mcp-config.json',
      { mcpServers: { [name]: { ...json, tools: ['*'] } } },
      signIn(`Copilot opens the browser when it starts. Later, type /mcp auth ${name} in Copilot.`),
    ),
    file(
      'opencode',
      '~/.config/opencode/opencode.json',
      { mcp: { [name]: { type: 'remote', url, ...bearer } } },
      signIn(`Then run: opencode mcp auth ${name}`),
    ),
    command(
      'Qwen Code',
      `qwen mcp add -s user -t http ${name} ${shell(url)}${header('-H')}`,
      signIn('Qwen opens the browser when it starts. Later, type /mcp in Qwen.'),
    ),
    command(
      'Cline',
      `cline mcp add ${name} ${shell(url)} --transport streamableHttp${header('--header')} --yes`,
      signIn('Then run cline mcp and choose Authorize OAuth.'),
    ),
    command(
      'Amp',
      `amp mcp add ${name}${keyed ? ` --header "Authorization=Bearer ${key}"` : ''} ${shell(url)}`,
      signIn('Amp opens the browser when it starts.'),
    ),
    {
      host: 'Others',
      lead: 'Any app that speaks MCP over HTTP accepts this URL. To try it without an app:',
      what: 'the command',
      text: `curl -s ${shell(url)} -H 'Content-Type: application/json'${access === 'none' ? '' : ` -H "Authorization: Bearer ${key}"`} \\\n  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
      after:
        access === 'none'
          ? undefined
          : address.key
            ? 'Apps send the key in the same header.'
            : 'Replace KEY with a key from the operator. Apps send it in the same header.',
    },
  ]
}

const TERMINAL = 'Run this in a terminal:'

/** An app that a command configures. */
const command = (host: string, text: string, after?: string): Snippet => ({
  host,
  lead: TERMINAL,
  what: 'the command',
  text,
  after,
})

/** An app that a file configures. */
const file = (host: string, path: string, content: object, after?: string): Snippet => ({
  host,
  lead: `Put this in ${path}:`,
  what: 'the JSON',
  text: JSON.stringify(content, null, 2),
  after,
})

/** Web apps accept a URL and cannot send a header. */
const webHost = ({ url, access, secretUrl }: EndpointLink) => ({
  what: 'the URL',
  text: secretUrl ?? url,
  after: [
    secretUrl && 'This URL contains the key: treat it like a password.',
    isLocal(url)
      ? NOT_LOCAL
      : !secretUrl && access === 'key'
        ? 'This app cannot send a key. Ask the operator for a secret URL, or to turn on sign-in.'
        : undefined,
  ]
    .filter(Boolean)
    .join(' '),
})

/** Warning for a local URL in a web app. */
const NOT_LOCAL =
  'This app cannot reach your machine. Deploy first with npx tidegate deploy, or use an app that runs on your machine, such as Claude Code or Codex.'

const isLocal = (url: string): boolean => isLoopback(URL.parse(url)?.hostname ?? '')

/** Quotes a URL for a shell if needed. */
const shell = (url: string): string =>
  /^[\w:/.-]+$/.test(url) ? url : `'${url.replaceAll("'", "'\\''")}'`
