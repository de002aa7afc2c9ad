// Two servers in one Worker: one reads pages through an API, the other writes through another API, after a question.
import { startBrowserRendering } from '../../test/servers/browser-rendering.ts'
import { startGoogleSheets } from '../../test/servers/google-sheets.ts'
import { attempt, must, PATIENCE_MS } from './check.mjs'
import { example, sdk } from './places.mjs'

const url = 'https://example.com/people'
const elements = [
  { name: 'name', selector: 'h1' },
  { name: 'link', selector: 'a', attribute: 'href' },
]
const headings = [{ text: ' Ada Lovelace ', attributes: [] }]
const links = Array.from({ length: 20 }, (_, i) => ({
  text: `Person ${i}`,
  attributes: [{ name: 'href', value: `/people/${i}` }],
}))
/** Cloudflare's responses, by request. They need no browser. */
const pages = {
  markdown: '# People',
  content: '<h1>People</h1>',
  scrape: [
    { selector: 'h1', results: headings },
    { selector: 'a', results: links },
  ],
}
const spreadsheet = '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2up'
let google

export const browserAndSheets = {
  name: 'browser and sheets',
  tidegate: example('browser-and-sheets'),
  sdk: sdk({ entry: 'browser-and-sheets.ts', stdio: 'browser-and-sheets-stdio.ts' }),
  paths: ['/browser/mcp', '/sheets/mcp'],
  overStdio: [{ SERVER: 'browser' }, { SERVER: 'sheets' }],
  async others() {
    const fault = (response) => {
      const result = pages[response.req.url.split('/').at(-1)]
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ success: true, result }))
    }
    const cloudflare = await startBrowserRendering(undefined, { everyMs: 0, fault })
    google = await startGoogleSheets({ writes: Number.POSITIVE_INFINITY, enabled: true })
    google.spreadsheets.set(spreadsheet, {
      tabs: { Sheet1: [] },
      editors: [google.account.email],
    })
    const vars = {
      CLOUDFLARE_API_URL: cloudflare.url,
      CLOUDFLARE_ACCOUNT_ID: cloudflare.account,
      CLOUDFLARE_API_TOKEN: cloudflare.token,
      GOOGLE_SHEETS_URL: google.url,
      GOOGLE_TOKEN_URL: google.tokenUrl,
      GOOGLE_SERVICE_ACCOUNT: google.account.file,
    }
    return { vars }
  },
  cases: {
    extract: {
      says: 'browser, extract',
      path: '/browser/mcp',
      method: 'tools/call',
      params: { name: 'extract', arguments: { url, elements } },
      right: ({ structuredContent }) => structuredContent?.found[1]?.count === 20,
    },
    list: {
      says: 'sheets, tools/list',
      path: '/sheets/mcp',
      method: 'tools/list',
      params: {},
      right: ({ tools }) => tools[0].name === 'append_rows',
    },
  },
  check(client, seen, path) {
    const { name } = client.getServerVersion()
    must('each has its path', path === 'stdio' || path === `/${name}/mcp`)
    const call = (name, args) =>
      client.callTool({ name, arguments: args }, { timeout: PATIENCE_MS })
    return name === 'browser' ? readsPages(client, call) : writesRows(client, call, seen)
  },
}

async function readsPages(client, call) {
  const { tools } = await client.listTools()
  must('two tools only read', tools.map((it) => it.annotations.readOnlyHint).join() === 'true,true')
  must(
    'their output is described',
    tools.every((it) => it.outputSchema),
  )
  must('the model is advised', client.getInstructions().startsWith('Open a page with navigate.'))
  const read = await call('navigate', { url })
  must('a page is read', read.structuredContent.text === pages.markdown)
  const html = await call('navigate', { url, format: 'html' })
  must('it is HTML', html.structuredContent.text === pages.content)
  const { structuredContent } = await call('extract', { url, elements })
  const [names, hrefs] = structuredContent.found
  must('a text is found', names.values.join() === 'Ada Lovelace')
  must('attributes are found', hrefs.count === 20 && hrefs.values[7] === '/people/7')
  const other = await call('navigate', { url: 'file:///etc/passwd' }).catch((it) => it)
  must('it opens web pages only', other instanceof Error || other.isError)
  return { 'pages are read': 'yes' }
}

async function writesRows(client, call, seen) {
  const { tools } = await client.listTools()
  must('one tool writes', tools.length === 1 && !tools[0].annotations.readOnlyHint)
  const rows = [['Ada Lovelace', '=1+1', 1815, true]]
  const append = () => call('append_rows', { spreadsheet, rows })
  const written = () => google.spreadsheets.get(spreadsheet).tabs.Sheet1
  const before = written().length
  const asking = await attempt(async () => {
    seen.answer = { agree: false }
    const refused = await append()
    must('the person is asked', /^Append 1 row to the sheet "Sheet1" of/.test(seen.asked.join()))
    must('they see the rows', seen.asked[0].endsWith(`?\n${JSON.stringify(rows[0])}`))
    must('no is told', refused.isError && /did not agree/.test(refused.content[0].text))
    must('nothing is written then', written().length === before)
    seen.answer = { agree: true }
    const { structuredContent } = await append()
    must('it is told where', structuredContent.range.startsWith(`Sheet1!A${before + 1}:`))
    must('cells stay what they are', JSON.stringify(written().at(-1)) === JSON.stringify(rows[0]))
  })
  return { 'rows are written after a question': asking }
}
