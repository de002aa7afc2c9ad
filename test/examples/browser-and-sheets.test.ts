import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { type CallToolResult, Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestHarness } from 'wrangler'
// @ts-expect-error: plain JavaScript
import { bringUpToDate } from '../../scripts/up-to-date.mjs'
import { type Rules as BrowserRules, startBrowserRendering } from '../servers/browser-rendering.ts'
import { type Rules as SheetsRules, startGoogleSheets } from '../servers/google-sheets.ts'
import { startHttp } from '../servers/http.ts'
import { PEOPLE, startProfileSite } from '../servers/profile-site.ts'
import { chromiumForTests } from '../support/chromium.ts'
import { type Answer, type ClientOptions, eachWay, type Way } from '../support/example.ts'
import { noVars } from '../support/no-vars.ts'
import { plainVars, program } from '../support/spawned.ts'

const browserRules: BrowserRules = { everyMs: 0 }
const sheetsRules: SheetsRules = { writes: 1_000, enabled: true }
const chromium = await chromiumForTests()
const site = await startProfileSite()
const cloudflare = await startBrowserRendering(chromium, browserRules)
const google = await startGoogleSheets(sheetsRules)
const shortLived = await startGoogleSheets({ writes: 1_000, enabled: true }, 30)

afterAll(async () => {
  await Promise.all([cloudflare, google, shortLived, site].map((it) => it.close()))
  await chromium?.close()
})

beforeEach(() => {
  Object.assign(browserRules, { everyMs: 0, fault: undefined })
  Object.assign(sheetsRules, { writes: 1_000, enabled: true, fault: undefined })
})

/** Makes names unique. */
let number = 0

const settings = {
  CLOUDFLARE_API_URL: cloudflare.url,
  CLOUDFLARE_ACCOUNT_ID: cloudflare.account,
  CLOUDFLARE_API_TOKEN: cloudflare.token,
  GOOGLE_SHEETS_URL: google.url,
  GOOGLE_TOKEN_URL: google.tokenUrl,
  GOOGLE_SERVICE_ACCOUNT: google.account.file,
}

const { private_key: privateKey } = JSON.parse(google.account.file) as { private_key: string }

/** Runs tests of one of the two servers, in each way. */
const eachWayTo = (
  server: 'browser' | 'sheets',
  more: Readonly<Record<string, string>>,
  tests: (connect: (options?: ClientOptions) => Promise<Client>, way: Way) => void,
) =>
  eachWay('browser-and-sheets', { variables: { ...settings, ...more, SERVER: server } }, (way) =>
    tests((options) => way.connect({ path: `/${server}/mcp`, ...options }), way),
  )

/** Calls a tool, and asserts that its result has no secret. */
async function call(client: Client, name: string, input: object): Promise<CallToolResult> {
  const params = { name, arguments: { ...input } }
  const result = (await client.callTool(params)) as CallToolResult
  const said = JSON.stringify(result)
  for (const secret of [cloudflare.token, privateKey.slice(40, 80), 'ya29.', 'Bearer']) {
    expect(said).not.toContain(secret)
  }
  return result
}

/** The result of a tool that succeeds. */
async function given(client: Client, name: string, input: object) {
  const result = await call(client, name, input)
  expect(result).not.toHaveProperty('isError', true)
  // biome-ignore lint/suspicious/noExplicitAny: each tool returns something else
  return result.structuredContent as any
}

/** The message of a tool that fails. */
async function refused(client: Client, name: string, input: object): Promise<string> {
  const { isError, content } = await call(client, name, input)
  expect(isError).toBe(true)
  const [said] = content
  return said?.type === 'text' ? said.text : ''
}

eachWayTo('browser', {}, (connect, way) => {
  const profile = [
    { name: 'name', selector: 'h1' },
    { name: 'title', selector: '.title' },
  ]
  const ada = `${site.url}/people/ada`

  test('has two tools, which only read', async () => {
    const { tools } = await (await connect()).listTools()
    expect(tools.map(({ name }) => name)).toEqual(['navigate', 'extract'])
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
  })

  describe.runIf(chromium)('with pages', () => {
    test('returns a page as Markdown or HTML', async () => {
      const client = await connect()
      const page = { url: `${site.url}/people` }
      const { text } = await given(client, 'navigate', page)
      expect(text).toContain(`# People`)
      expect(text).toContain(`- [Ada Lovelace](${ada})`)
      const html = await given(client, 'navigate', { ...page, format: 'html' })
      expect(html.text).toContain('<a class="profile" href="/people/ada">Ada Lovelace</a>')
    })

    test('follows the redirects of a page', async () => {
      const { text } = await given(await connect(), 'navigate', { url: `${site.url}/moved` })
      expect(text).toContain('# Ada Lovelace')
    })

    test('extracts texts and attributes in the requested order', async () => {
      const client = await connect()
      const { found } = await given(client, 'extract', { url: ada, elements: profile })
      const { name, title } = PEOPLE.ada!
      expect(found).toEqual([
        { name: 'name', count: 1, values: [name] },
        { name: 'title', count: 1, values: [title] },
      ])
      const links = { name: 'links', selector: 'a', attribute: 'href' }
      const none = { name: 'none', selector: 'table td' }
      const url = `${site.url}/people`
      expect((await given(client, 'extract', { url, elements: [none, links] })).found).toEqual([
        { name: 'none', count: 0, values: [] },
        { name: 'links', count: 3, values: ['/people/ada', '/people/grace', '/people/mallory'] },
      ])
    })

    // The other tests are the same in both eras.
    if (way.era === 'legacy') return

    test('truncates a long page, and says so', async () => {
      const url = `${site.url}/long`
      const { text, truncated } = await given(await connect(), 'navigate', { url })
      expect([text.length, truncated]).toEqual([50_000, true])
    })

    test('explains what is wrong with a site', async () => {
      const client = await connect()
      const say = (url: string) => refused(client, 'navigate', { url })
      expect(await say('http://nowhere.invalid/')).toBe('There is no site with this name.')
      expect(await say('http://127.0.0.1:10/')).toBe('This site refuses connections.')
      expect(await say(`${site.url}/around`)).toBe('This page redirects without end.')
      expect(await say(`${site.url}/cut`)).toBe('This site answered with nothing.')
    })

    test('explains that a selector is not CSS', async () => {
      const elements = [{ name: 'x', selector: 'h1 >>> [' }]
      const said = await refused(await connect(), 'extract', { url: ada, elements })
      expect(said).toContain('a selector is not CSS')
    })

    test('waits if Cloudflare can open the next page soon', async () => {
      const client = await connect()
      browserRules.everyMs = 4_000
      const url = `${ada}?${++number}`
      await Promise.all([0, 1].map(() => given(client, 'navigate', { url })))
      const answers = cloudflare.answers.filter((it) => it.url === url)
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429])
    })

    test('reports when Cloudflare can open the next page, if the wait is long', async () => {
      const client = await connect()
      browserRules.everyMs = 17_280_000
      await given(client, 'navigate', { url: ada })
      const said = await refused(client, 'navigate', { url: ada })
      expect(said).toBe('Cloudflare does not open pages now. Call again in 288 minutes.')
    })

    test('cancels the request to Cloudflare with the call', async () => {
      const client = await connect()
      const stop = new AbortController()
      const url = `${site.url}/slow?${++number}`
      const params = { name: 'navigate', arguments: { url } }
      const calling = client.callTool(params, { signal: stop.signal })
      const patience = { timeout: 60_000 }
      await expect.poll(() => site.asked.some((it) => url.endsWith(it)), patience).toBe(true)
      stop.abort()
      await expect(calling).rejects.toThrow()
      // The test harness does not forward that the Worker has cancelled its request.
      if (way.transport === 'http') return
      await expect.poll(() => cloudflare.left, patience).toContain(url)
    })
  })

  // The other tests are the same in both eras.
  if (way.era === 'legacy') return

  test('requests only web pages from Cloudflare', async () => {
    const client = await connect()
    const others = [
      ...['ftp://example.com/', 'file:///etc/passwd', 'javascript:alert(1)', 'example.com'],
      ...['data:text/html,<h1>x</h1>', `https://example.com/${'a'.repeat(2_000)}`],
    ]
    for (const url of others) {
      expect(await refused(client, 'navigate', { url })).toContain('url')
      expect(cloudflare.answers.map((it) => it.url)).not.toContain(url)
    }
  })

  const json = { 'content-type': 'application/json' }

  test('explains unexpected answers from Cloudflare', async () => {
    const client = await connect()
    const say = async (fault: BrowserRules['fault']) => {
      browserRules.fault = fault
      return refused(client, 'navigate', { url: ada })
    }
    const unavailable =
      '{"success":false,"errors":[{"code":2000,"message":"No browser available. Please try again."}]}'
    const hasFault = "Cloudflare's browser has a fault. Call again in a minute."
    const odd = "Cloudflare's browser did not answer as it should."
    expect(await say((it) => it.writeHead(503, json).end(unavailable))).toBe(hasFault)
    expect(await say((it) => it.writeHead(502).end('<h1>Bad gateway</h1>'))).toBe(hasFault)
    expect(await say((it) => it.writeHead(200).end('<h1>Hello</h1>'))).toBe(odd)
    expect(await say((it) => it.writeHead(200, json).end('{"success":false}'))).toBe(odd)
    const other = '{"success":true,"result":{"text":1}}'
    expect(await say((it) => it.writeHead(200, json).end(other))).toBe(odd)
    for (const seconds of ['1e999', '-5', '0', 'soon']) {
      const busy = { 'retry-after': seconds }
      const again = await say((it) => it.writeHead(429, busy).end('{}'))
      expect(again).toMatch(/Call again in (?:a minute|1440 minutes)\.$/)
    }
  })

  test('refuses an answer of more than 4 MiB', async () => {
    browserRules.fault = (response) =>
      response
        .writeHead(200, json)
        .end(JSON.stringify({ success: true, result: 'x'.repeat(5 * 1024 * 1024) }))
    const said = await refused(await connect(), 'navigate', { url: ada })
    expect(said).toBe("Cloudflare's browser answered with more than 4 MiB.")
  })

  // The test harness follows redirects for the Worker, and makes a response from a failed connection.
  describe.runIf(way.transport === 'stdio')('with its own connections', () => {
    test('reports that Cloudflare cannot be reached', async () => {
      browserRules.fault = (response) => response.destroy()
      const said = await refused(await connect(), 'navigate', { url: ada })
      expect(said).toBe("Cloudflare's browser cannot be reached.")
    })

    test('does not follow a redirect with the token', async () => {
      const location = `${site.url}/stolen?${++number}`
      browserRules.fault = (response) => response.writeHead(307, { location }).end()
      const said = await refused(await connect(), 'navigate', { url: ada })
      expect(said).toBe("Cloudflare's browser refused (307).")
      expect(site.asked.filter((it) => location.endsWith(it))).toEqual([])
    })
  })

  test('never opens a page itself', async () => {
    const url = `${site.url}/only-by-cloudflare?${++number}`
    browserRules.fault = (response) => response.writeHead(503, json).end('{}')
    await refused(await connect(), 'navigate', { url })
    await refused(await connect(), 'extract', { url, elements: profile })
    expect(site.asked.filter((it) => url.endsWith(it))).toEqual([])
  })
})

/** A spreadsheet with these tabs, shared with the service account. */
function spreadsheetWith(tabs: readonly string[] = ['Sheet1'], editors = [google.account.email]) {
  const spreadsheet = `1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2up-${number++}`
  google.spreadsheets.set(spreadsheet, {
    tabs: Object.fromEntries(tabs.map((tab) => [tab, [['Name', 'Title']]])),
    editors,
  })
  const rows = (tab = 'Sheet1') => google.spreadsheets.get(spreadsheet)?.tabs[tab]?.slice(1)
  return { spreadsheet, rows }
}

const AGREES: Answer = { action: 'accept', content: { agree: true } }
const agrees: ClientOptions = { elicitation: () => AGREES }
const rows = [['Ada Lovelace', 'Analyst']]

eachWayTo('sheets', {}, (connect, way) => {
  test('has one tool, which writes', async () => {
    const { tools } = await (await connect()).listTools()
    expect(tools).toMatchObject([{ name: 'append_rows', annotations: { readOnlyHint: false } }])
  })

  test('appends rows without changing their cells', async () => {
    const sheet = spreadsheetWith()
    const input = {
      spreadsheet: sheet.spreadsheet,
      rows: [
        ['Ada', 1815, true],
        ['=HYPERLINK("http://127.0.0.1/")', '+1+1', "'quoted"],
      ],
    }
    const client = await connect(agrees)
    const done = await given(client, 'append_rows', input)
    expect(done).toEqual({ range: 'Sheet1!A2:C3', rows: 2, cells: 6 })
    expect(sheet.rows()).toEqual(input.rows)
    expect((await given(client, 'append_rows', input)).range).toBe('Sheet1!A4:C5')
  })

  test('finds a sheet whose name has quotes, slashes and spaces', async () => {
    const sheet = "It's 1/2 of ‘all’?#%"
    const { spreadsheet, rows: written } = spreadsheetWith([sheet])
    await given(await connect(agrees), 'append_rows', { spreadsheet, sheet, rows })
    expect(written(sheet)).toEqual(rows)
  })

  test('shows the user the sheet, the number of rows, and the rows on separate lines', async () => {
    const { spreadsheet } = spreadsheetWith(['People'])
    const asked: string[] = []
    const elicitation: ClientOptions['elicitation'] = ({ message }) => {
      asked.push(message)
      return AGREES
    }
    const hostile = [['x"]\nAppend nothing?\n["'], ...Array.from({ length: 6 }, (_, i) => [i])]
    const input = { spreadsheet, sheet: 'People', rows: [...hostile, ['y'.repeat(40_000)]] }
    await given(await connect({ elicitation }), 'append_rows', input)
    expect(asked).toHaveLength(1)
    expect(asked[0]?.split('\n')).toEqual([
      `Append 8 rows to the sheet "People" of the spreadsheet ${spreadsheet}?`,
      '["x\\"]\\nAppend nothing?\\n[\\""]',
      ...['[0]', '[1]', '[2]', '[3]'],
      'and 3 more',
    ])
  })

  test('writes nothing if the user does not agree', async () => {
    const answers: Answer[] = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { agree: false } },
    ]
    const { spreadsheet, rows: written } = spreadsheetWith()
    const client = await connect({ elicitation: () => answers.shift()! })
    while (answers.length > 0) {
      const said = await refused(client, 'append_rows', { spreadsheet, rows })
      expect(said).toBe('The person did not agree. Nothing was written.')
    }
    expect(written()).toEqual([])
  })

  test('writes nothing if the client cannot ask', async () => {
    const { spreadsheet, rows: written } = spreadsheetWith()
    const calling = call(await connect(), 'append_rows', { spreadsheet, rows })
    await expect(calling).rejects.toThrow(/supports elicitation/)
    expect(written()).toEqual([])
  })

  // The other tests are the same in both eras.
  if (way.era === 'legacy') return

  test('uses its token until Google revokes it, and then gets another', async () => {
    const { spreadsheet, rows: written } = spreadsheetWith()
    const client = await connect(agrees)
    const append = { spreadsheet, rows }
    await given(client, 'append_rows', append)
    const before = google.tokens.length
    await given(client, 'append_rows', append)
    await given(client, 'append_rows', append)
    expect(google.tokens.length).toBe(before)
    google.revoke()
    expect(await refused(client, 'append_rows', append)).toContain(
      'Nothing was written. Call again.',
    )
    await given(client, 'append_rows', append)
    expect(google.tokens.length).toBe(before + 1)
    expect(written()).toHaveLength(4)
  })

  test('explains what is wrong with a spreadsheet', async () => {
    const client = await connect(agrees)
    const say = (input: object) => refused(client, 'append_rows', { ...input, rows })
    expect(await say({ spreadsheet: spreadsheetWith(['Sheet1'], []).spreadsheet })).toBe(
      `The spreadsheet is not shared with ${google.account.email} as an editor.`,
    )
    expect(await say({ spreadsheet: 'x'.repeat(44) })).toBe('There is no spreadsheet with this id.')
    const { spreadsheet } = spreadsheetWith()
    expect(await say({ spreadsheet, sheet: 'Sheet2' })).toBe(
      'This spreadsheet has no sheet "Sheet2".',
    )
  })

  test('explains why Google does not accept rows', async () => {
    const client = await connect(agrees)
    const { spreadsheet, rows: written } = spreadsheetWith()
    const say = () => refused(client, 'append_rows', { spreadsheet, rows })
    sheetsRules.writes = 0
    expect(await say()).toBe(
      'Google Sheets accepts no more rows now. Nothing was written. Call again in a minute.',
    )
    sheetsRules.enabled = false
    expect(await say()).toBe(
      'The Google Sheets API is not enabled in the project of the service account.',
    )
    expect(written()).toEqual([])
  })

  test('says that the result is unknown if Google gives no valid answer', async () => {
    const client = await connect(agrees)
    const { spreadsheet } = spreadsheetWith()
    const say = () => refused(client, 'append_rows', { spreadsheet, rows })
    sheetsRules.fault = (response) => response.destroy()
    expect(await say()).toContain('The rows may have been written')
    sheetsRules.fault = (response) => response.writeHead(500).end('<!DOCTYPE html>')
    expect(await say()).toContain('The rows may have been written')
    sheetsRules.fault = (response) => response.writeHead(200).end('hello')
    expect(await say()).toContain('The rows may have been written')
    const updates = { updatedRange: 'x'.repeat(301), updatedRows: 1, updatedCells: 1 }
    sheetsRules.fault = (response) => response.end(JSON.stringify({ updates }))
    expect(await say()).toContain('The rows may have been written')
  })

  test('rejects input that does not match its schema', async () => {
    const client = await connect(agrees)
    const { spreadsheet, rows: written } = spreadsheetWith()
    const inputs = [
      { rows: [] },
      { rows: [[]] },
      { rows: Array.from({ length: 501 }, () => ['x']) },
      { rows: [Array.from({ length: 51 }, () => 'x')] },
      { rows: [['x'.repeat(50_001)]] },
      { rows: [[['x']]] },
      { spreadsheet: '../../v4/spreadsheets', rows },
      { sheet: 'x'.repeat(101), rows },
    ]
    for (const input of inputs) {
      const said = await refused(client, 'append_rows', { spreadsheet, ...input })
      expect(said).toContain('do not match its schema')
    }
    expect(written()).toEqual([])
  })
})

// Settings have the same effect everywhere. Over stdio, the tests are fastest.
describe('with other settings', () => {
  const clients: Client[] = []
  let questions = 0
  afterEach(() => Promise.all(clients.splice(0).map((it) => it.close())))

  async function connect(server: string, more: Readonly<Record<string, string>>): Promise<Client> {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
    )
    client.setRequestHandler('elicitation/create', () => {
      questions++
      return AGREES
    })
    clients.push(client)
    const args = [program, 'run', 'examples/browser-and-sheets']
    const env = plainVars({ ...settings, ...more, SERVER: server })
    const pipe = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' })
    await client.connect(pipe)
    return client
  }

  test.each([
    ['CLOUDFLARE_API_TOKEN', 'wrong', 'Cloudflare refuses the token.'],
    ['CLOUDFLARE_API_TOKEN', '', 'needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN.'],
    ['CLOUDFLARE_ACCOUNT_ID', '', 'needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN.'],
    ['CLOUDFLARE_ACCOUNT_ID', 'no/such', 'Cloudflare does not know the account'],
    ['CLOUDFLARE_API_URL', 'http://127.0.0.1:10', "Cloudflare's browser cannot be reached."],
  ])('the browser server explains what is wrong with %s=%s', async (name, value, why) => {
    const client = await connect('browser', { [name]: value })
    expect(await refused(client, 'navigate', { url: site.url })).toContain(why)
  })

  const anotherKey = JSON.stringify({
    ...JSON.parse(google.account.file),
    private_key: JSON.parse(shortLived.account.file).private_key,
  })

  test.each([
    ['is missing', '', 'This server needs GOOGLE_SERVICE_ACCOUNT.'],
    ['is not JSON', '{"client_email"', 'GOOGLE_SERVICE_ACCOUNT is not the JSON key'],
    ['contains no key', google.account.file.replace(/-----[^"]*/, 'secret!'), 'cannot be read'],
    ['belongs to another account', anotherKey, 'Google refuses the key of the service account.'],
  ])('the error explains that a key %s', async (_, file, why) => {
    const { spreadsheet, rows: written } = spreadsheetWith()
    const client = await connect('sheets', { GOOGLE_SERVICE_ACCOUNT: file })
    const said = await refused(client, 'append_rows', { spreadsheet, rows })
    expect(said).toContain(why)
    expect(said).not.toContain('secret!')
    expect(written()).toEqual([])
  })

  test('the user is not asked if there is no key', async () => {
    const client = await connect('sheets', { GOOGLE_SERVICE_ACCOUNT: '' })
    const before = questions
    await refused(client, 'append_rows', { spreadsheet: spreadsheetWith().spreadsheet, rows })
    expect(questions).toBe(before)
  })

  test('a token that expires within a minute is not used for another call', async () => {
    const client = await connect('sheets', {
      GOOGLE_SHEETS_URL: shortLived.url,
      GOOGLE_TOKEN_URL: shortLived.tokenUrl,
      GOOGLE_SERVICE_ACCOUNT: shortLived.account.file,
    })
    const spreadsheet = 'short-lived'
    shortLived.spreadsheets.set(spreadsheet, {
      tabs: { Sheet1: [] },
      editors: [shortLived.account.email],
    })
    await given(client, 'append_rows', { spreadsheet, rows })
    await given(client, 'append_rows', { spreadsheet, rows })
    expect(shortLived.tokens).toEqual(['200 ', '200 '])
  })

  test('an unknown server does not start', async () => {
    await expect(connect('calendar', {})).rejects.toThrow(/cannot be started/)
  })
})

describe('an API that stops', () => {
  test.each<[string, RequestListener]>([
    ['before it answers', () => {}],
    ['during its answer', (_, response) => response.writeHead(200).write('{')],
  ])('%s causes a timeout', async (_, listener) => {
    // The example imports the library as a user's server does.
    bringUpToDate()
    const { ask } = await import('../../examples/browser-and-sheets/answer.ts')
    const url = `http://127.0.0.1:${await startHttp(listener)}/`
    const asking = ask('The API', url, {}, new AbortController().signal, 500)
    await expect(asking).rejects.toThrow('The API did not answer in time.')
  })
})

describe('the story', () => {
  let harness: ReturnType<typeof createTestHarness>
  let url: URL
  beforeAll(async () => {
    const configPath = 'examples/browser-and-sheets/wrangler.toml'
    harness = createTestHarness({ workers: [{ configPath, secrets: { ...noVars, ...settings } }] })
    url = (await harness.listen()).url
  })
  afterAll(() => harness?.close())

  /** Runs the script to its end, with this answer from the user on stdin. */
  async function story(spreadsheet: string, answer: string, page = `${site.url}/people`) {
    const script = 'examples/browser-and-sheets/story.ts'
    const options = ['--server', url.origin, '--page', page, '--spreadsheet', spreadsheet]
    const child = spawn(process.execPath, [script, ...options], { env: plainVars() })
    child.stdin.end(`${answer}\n`)
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ])
    return { out, err, code }
  }

  test.runIf(chromium)('reads profiles, and appends them to a sheet', async () => {
    const { spreadsheet, rows: written } = spreadsheetWith()
    const { out, err, code } = await story(spreadsheet, 'yes')
    expect(err).toBe('')
    expect(out).toContain('links to 3 profiles.')
    expect(out).toContain('Append 3 rows to the sheet "Sheet1"')
    expect(out).toContain('Appended to Sheet1!A2:C4.')
    expect(code).toBe(0)
    const people = Object.entries(PEOPLE)
    expect(written()).toEqual(
      people.map(([id, { name, title }]) => [name, title, `${site.url}/people/${id}`]),
    )
  })

  test.runIf(chromium)('ends without a row if the user does not agree', async () => {
    const { spreadsheet, rows: written } = spreadsheetWith()
    const { err, code } = await story(spreadsheet, 'no')
    expect(err).toBe('The person did not agree. Nothing was written.\n')
    expect(code).toBe(1)
    expect(written()).toEqual([])
  })

  test('ends with the error of a tool', async () => {
    const { err, code } = await story('', '', 'ftp://example.com')
    expect(err).toContain('do not match its schema')
    expect(code).toBe(1)
  })

  test('finds no server at another path', async () => {
    for (const path of ['/mcp', '/', '/calendar/mcp', '/__proto__/mcp', '/browser/mcp/more']) {
      const answer = await fetch(new URL(path, url), { method: 'POST', body: '{}' })
      expect(answer.status).toBe(404)
      expect(await answer.text()).toContain('/browser/mcp and /sheets/mcp')
    }
  })

  test('finds each server at its path, with separate sessions', async () => {
    const post = (path: string, body: object, headers = {}) =>
      fetch(new URL(path, url), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      })
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const opened = await post('/browser/mcp', { method: 'initialize', params })
    expect(await opened.text()).toContain('"name":"browser"')
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const listed = { method: 'tools/list' }
    expect(await (await post('/browser/mcp', listed, session)).text()).toContain('"navigate"')
    expect(await (await post('/sheets/mcp', listed, session)).text()).not.toContain('"navigate"')
  })
})
