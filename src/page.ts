import type { Site } from './deployment.ts'
import type { Document } from './gateway/index.ts'

/** The headers of a page: it runs no scripts, loads nothing, and may not be framed or indexed. */
export const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
}

/** What the page for a browser is about. */
export interface Place {
  readonly url: string
  /** The name in the path, if there is one. */
  readonly name: string | undefined
  /** The endpoint here, if there is one. */
  readonly site: Site | undefined
  /** All that are configured; the first one is at `/mcp`. */
  readonly others: readonly Site[]
  readonly problem: string | undefined
  /** Whether the reader has a key, which is in the URL. */
  readonly bySecretUrl: boolean
  /** Whether an app signs its person in. */
  readonly signsIn: boolean
}

/** The page for a browser: what this URL is, and how to add it to an app. Names no table or secret. */
export function page({ url, name, site, others, problem, bySecretUrl, signsIn }: Place): string {
  const { origin } = new URL(url)
  const prefix = bySecretUrl ? `${origin}/k/KEY` : origin
  // A caller without the key reads the same of an endpoint that needs it and of one that does not exist.
  const listed = others.filter(
    (it, i) => isPublic(it) && (name === undefined ? i > 0 : it.endpoint !== site?.endpoint),
  )
  const addresses = [
    addressOf(name === undefined ? `${prefix}/mcp` : `${prefix}/mcp/${name}`, site, {
      bySecretUrl,
      signsIn,
    }),
    ...(bySecretUrl ? [] : listed).map((it) =>
      addressOf(it === others[0] ? `${origin}/mcp` : `${origin}/mcp/${it.endpoint.name}`, it, {
        bySecretUrl: false,
        signsIn,
      }),
    ),
  ]
  const [first] = addresses
  const header = first!.keyed && !signsIn ? ' --header "Authorization: Bearer KEY"' : ''
  const lines = addresses.map(
    ({ address, title, needs }) =>
      `<li><code>${escaped(address)}</code> ${escaped(title)} (${needs})</li>`,
  )
  return document(
    'Tidegate',
    `<h1>This is an MCP endpoint</h1>
<p>It lets an AI app ask questions of a database, and never write to it. Paste the URL into your app
as a connector:</p>
${problem ? `<p><strong>Not configured yet.</strong> ${escaped(problem)}</p>` : ''}
<ul>${lines.join('')}</ul>
<p>Claude Code:</p>
<pre>claude mcp add --transport http --scope user tidegate ${escaped(first!.address + header)}</pre>
${first!.keyed && signsIn ? SIGN_IN : KEY}`,
  )
}

const KEY = `<p>In another app, open Settings, then Connectors or MCP servers, and add this URL. If it needs the key,
send it as the header <code>Authorization: Bearer KEY</code>.</p>`

const SIGN_IN = `<p>In another app, open Settings, then Connectors or MCP servers, and paste this URL. The app opens a page where
you sign in and choose what it may read. In Claude Code, type <code>/mcp</code> to open it.</p>
<p>An app that cannot sign in needs a key, as the header <code>Authorization: Bearer KEY</code>.</p>`

const isPublic = ({ active, endpoint }: Site): boolean => active && endpoint.access === 'public'

function addressOf(
  address: string,
  site: Site | undefined,
  { bySecretUrl, signsIn }: Pick<Place, 'bySecretUrl' | 'signsIn'>,
) {
  const shown = site && (bySecretUrl || isPublic(site))
  const keyed = !bySecretUrl && !(site && isPublic(site))
  const needed = signsIn ? 'sign in: paste this URL' : 'needs the key'
  const needs = keyed ? needed : 'no key needed'
  return {
    address,
    title: shown ? site.endpoint.title : 'A database',
    keyed,
    needs: bySecretUrl ? 'KEY is in the URL that you opened: keep it to yourself' : needs,
  }
}

/** The page for one row of a table. */
export const recordPage = ({ title, text, metadata }: Document): string =>
  document(
    title,
    `<h1>${escaped(title)}</h1>
<p>A row of ${escaped(metadata.table ?? '')}</p>
<pre>${escaped(text)}</pre>`,
  )

const document = (title: string, body: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
  code, pre { background: #8882; padding: .1em .3em; white-space: pre-wrap; overflow-wrap: anywhere }
  :root { color-scheme: light dark }
</style>
${body}
</html>`

const escaped = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
