// The complete task, without a model: reads the profiles that a page links to, and appends their names and titles
// to a sheet after you agree.
//
//   npm run example browser-and-sheets
//   node examples/browser-and-sheets/story.ts --page URL --spreadsheet ID
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'

const { values } = parseArgs({
  options: {
    server: { type: 'string', default: 'http://localhost:8787' },
    page: { type: 'string', default: '' },
    spreadsheet: { type: 'string', default: '' },
    sheet: { type: 'string', default: 'Sheet1' },
    /** CSS selectors for the links to the profiles, and for the name and the title in each profile. */
    links: { type: 'string', default: 'a.profile' },
    name: { type: 'string', default: 'h1' },
    title: { type: 'string', default: '.title' },
  },
})

/** A client of one of the two servers, which asks the server's questions at this terminal. */
async function connect(path: string): Promise<Client> {
  const options = {
    versionNegotiation: { mode: 'auto' },
    capabilities: { elicitation: {} },
  } as const
  const client = new Client({ name: 'story', version: '1.0.0' }, options)
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout })
    const answer = await terminal.question(`${params.message}\nType yes to agree: `)
    terminal.close()
    const agree = answer.trim() === 'yes'
    return agree ? { action: 'accept', content: { agree } } : { action: 'decline' }
  })
  const transport = new StreamableHTTPClientTransport(new URL(path, values.server))
  await client.connect(transport).catch(() => {
    throw new Error(`No MCP server answers at ${values.server}: start it first.`)
  })
  return client
}

/** Calls a tool, and throws its error. */
async function call<Result>(client: Client, name: string, input: object): Promise<Result> {
  const params = { name, arguments: { ...input } }
  // A page can take half a minute, and a person longer.
  const result = (await client.callTool(params, { timeout: 300_000 })) as CallToolResult
  if (!result.isError) return result.structuredContent as Result
  const [said] = result.content
  throw new Error(said?.type === 'text' ? said.text : `${name} failed.`)
}

interface Extracted {
  readonly found: readonly { readonly values: readonly string[] }[]
}

async function story(): Promise<void> {
  if (!values.page) throw new Error('Give --page URL and --spreadsheet ID.')
  const browser = await connect('/browser/mcp')
  const links = { name: 'profiles', selector: values.links, attribute: 'href' }
  const list = await call<Extracted>(browser, 'extract', { url: values.page, elements: [links] })
  const profiles = list.found[0]?.values ?? []
  console.log(`${values.page} links to ${profiles.length} profiles.`)

  const rows: string[][] = []
  for (const profile of profiles) {
    const url = new URL(profile, values.page).href
    const elements = [
      { name: 'name', selector: values.name },
      { name: 'title', selector: values.title },
    ]
    const { found } = await call<Extracted>(browser, 'extract', { url, elements })
    const [name = '', title = ''] = found.map((it) => it.values[0] ?? '')
    console.log(`${name}: ${title}`)
    rows.push([name, title, url])
  }
  await browser.close()
  if (rows.length === 0) return

  const sheets = await connect('/sheets/mcp')
  const { spreadsheet, sheet } = values
  const written = await call<{ range: string }>(sheets, 'append_rows', { spreadsheet, sheet, rows })
  console.log(`Appended to ${written.range}.`)
  await sheets.close()
}

await story().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
