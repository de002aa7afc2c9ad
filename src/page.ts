import type { Site } from './deployment.ts'
import type { Document } from './gateway/index.ts'

/** The headers of a page: it runs no scripts, loads nothing, and may not be framed or indexed. */
export const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
}

/** The page for a browser: what this URL is, and how to add it to an app. Names no table or secret. */
export function page(url: string, sites: readonly Site[], problem: string | undefined): string {
  const endpoints = sites.map((it) => it.endpoint)
  const origin = new URL(url).origin
  // A caller without the key does not see the names of endpoints that need it.
  const shown = endpoints.filter(({ access }, i) => i === 0 || access === 'public')
  const addresses = shown.map(({ name, title, access }) => ({
    title: access === 'public' ? title : 'A database',
    address: name === endpoints[0]?.name ? `${origin}/mcp` : `${origin}/mcp/${name}`,
    needs: access === 'public' ? 'no key needed' : 'needs the key',
  }))
  const first = addresses[0]
  const keyed = first?.needs === 'needs the key'
  const header = keyed ? ' --header "Authorization: Bearer KEY"' : ''
  return document(
    'Tidegate',
    `<h1>This is an MCP endpoint</h1>
<p>It lets an AI app ask questions of a database, and never write to it. Paste the URL into your app
as a connector:</p>
${problem ? `<p><strong>Not configured yet.</strong> ${escaped(problem)}</p>` : ''}
<ul>${addresses.map((it) => `<li><code>${escaped(it.address)}</code> ${escaped(it.title)} (${it.needs})</li>`).join('')}</ul>
${
  first
    ? `<p>Claude Code:</p>
<pre>claude mcp add --transport http --scope user tidegate ${escaped(first.address + header)}</pre>
<p>In another app, open Settings, then Connectors or MCP servers, and add this URL. If it needs the key,
send it as the header <code>Authorization: Bearer KEY</code>.</p>`
    : ''
}`,
  )
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
