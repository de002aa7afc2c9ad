/** An endpoint as an app is given it. */
export interface Address {
  readonly url: string
  /** What the app calls it. */
  readonly name: string
  /** `none`: open to everybody. `sign-in`: the app opens a page. `key`: it is sent as a header, in place of KEY. */
  readonly access: 'none' | 'sign-in' | 'key'
  /** The key itself, where it was just made. It then stands in place of KEY. */
  readonly key?: string | undefined
  /** The same endpoint with the key in its URL, for apps that send no header. */
  readonly secretUrl?: string | undefined
}

/** How to add an endpoint to one app. */
export interface Snippet {
  readonly host: string
  /** What to do, before the text. */
  readonly lead: string
  /** What is copied: `the command`. */
  readonly what: string
  readonly text: string
  /** A link that does it in one step. */
  readonly link?: { readonly text: string; readonly href: string } | undefined
  readonly after?: string | undefined
}

/** What a person must replace. */
export const KEY = 'KEY'

/** The apps, in the order that people look for them. */
export function snippetsFor(address: Address): readonly Snippet[] {
  const { url, name, access, key = KEY } = address
  const keyed = access === 'key'
  const bearer = keyed ? { headers: { Authorization: `Bearer ${key}` } } : {}
  const header = keyed ? ` --header "Authorization: Bearer ${key}"` : ''
  const signsIn = access === 'sign-in'
  const encoded = encodeURIComponent(url)
  return [
    {
      host: 'Claude',
      lead: 'Settings → Connectors → Add custom connector. Paste the URL, then Add.',
      ...webHost(address),
      link: keyed
        ? undefined
        : {
            text: 'Open in Claude',
            href: `https://claude.ai/customize/connectors?modal=add-custom-connector&connectorName=${name}&connectorUrl=${encoded}`,
          },
    },
    {
      host: 'Claude Code',
      lead: 'Run this in a terminal:',
      what: 'the command',
      text: `claude mcp add --transport http --scope user ${name} ${shell(url)}${header}`,
      after: signsIn ? 'Then type /mcp in Claude Code, and sign in.' : undefined,
    },
    {
      host: 'ChatGPT',
      lead: `Settings → Apps → Advanced settings → Developer mode → Create app. Paste the URL, and choose ${signsIn ? 'OAuth' : 'No authentication'}.`,
      ...webHost(address),
    },
    {
      host: 'Cursor',
      lead: 'Put this into ~/.cursor/mcp.json:',
      what: 'the JSON',
      text: json({ mcpServers: { [name]: { url, ...bearer } } }),
      // A link goes to a site of others, which must not have the key.
      link: address.key
        ? undefined
        : {
            text: 'Add to Cursor',
            href: `https://cursor.com/en/install-mcp?name=${name}&config=${encodeURIComponent(btoa(JSON.stringify({ url, ...bearer })))}`,
          },
    },
    {
      host: 'VS Code',
      lead: 'Put this into .vscode/mcp.json:',
      what: 'the JSON',
      text: json({ servers: { [name]: { type: 'http', url, ...bearer } } }),
      // A link goes to a site of others, which must not have the key.
      link: address.key
        ? undefined
        : {
            text: 'Add to VS Code',
            href: `https://vscode.dev/redirect/mcp/install?name=${name}&config=${encodeURIComponent(JSON.stringify({ type: 'http', url, ...bearer }))}`,
          },
    },
    {
      host: 'Codex',
      lead: signsIn
        ? 'Run this in a terminal. It opens the browser, where you sign in:'
        : 'Run this in a terminal:',
      what: 'the command',
      text: `${address.key ? `export TIDEGATE_KEY=${key}\n` : ''}codex mcp add ${name} --url ${shell(url)}${keyed ? ' --bearer-token-env-var TIDEGATE_KEY' : ''}`,
      after: keyed ? 'The key is read from the environment variable TIDEGATE_KEY.' : undefined,
    },
    {
      host: 'Gemini CLI',
      lead: 'Run this in a terminal:',
      what: 'the command',
      text: `gemini mcp add -s user -t http ${name} ${shell(url)}${keyed ? ` -H "Authorization: Bearer ${key}"` : ''}`,
      after: signsIn ? `Then type /mcp auth ${name} in Gemini.` : undefined,
    },
    {
      host: 'Copilot',
      lead: 'Put this into ~/.copilot/mcp-config.json:',
      what: 'the JSON',
      text: json({ mcpServers: { [name]: { type: 'http', url, ...bearer, tools: ['*'] } } }),
    },
    {
      host: 'opencode',
      lead: 'Put this into ~/.config/opencode/opencode.json:',
      what: 'the JSON',
      text: json({ mcp: { [name]: { type: 'remote', url, ...bearer } } }),
      after: signsIn ? `Then run: opencode mcp auth ${name}` : undefined,
    },
    {
      host: 'Others',
      lead: 'Any app that speaks MCP over HTTP takes the URL as it is. To try it without one:',
      what: 'the command',
      text: `curl -s ${shell(url)} -H 'Content-Type: application/json'${access === 'none' ? '' : ` -H "Authorization: Bearer ${key}"`} \\\n  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
      after:
        access === 'none'
          ? undefined
          : address.key
            ? 'An app sends the key as this header, too.'
            : 'KEY is a key that the operator made. An app sends it as this header, too.',
    },
  ]
}

/** Apps on the web take a URL, and send no header. */
const webHost = ({ url, access, secretUrl }: Address) => ({
  what: 'the URL',
  text: secretUrl ?? url,
  after: secretUrl
    ? `This URL holds the key: treat it like a password.${isLocal(url) ? ` ${NOT_LOCAL}` : ''}`
    : access === 'key'
      ? 'It sends no key. Ask the operator for a secret URL, or to turn on the sign-in.'
      : NOT_LOCAL,
})

/** What a person has to know before they paste it into an app on the web. */
const NOT_LOCAL = 'It reaches deployed URLs only, not those of your own machine.'

const isLocal = (url: string): boolean =>
  /^https?:\/\/(localhost|127\.[0-9.]+|\[::1\])(:|\/|$)/.test(url)

const json = (value: object): string => JSON.stringify(value, null, 2)

/** Quotes a URL for a shell, if it has to be. */
const shell = (url: string): string =>
  /^[\w:/.-]+$/.test(url) ? url : `'${url.replaceAll("'", "'\\''")}'`
