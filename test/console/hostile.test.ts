import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumForTests } from '../support/chromium.ts'
import { openConsole } from '../support/operator.ts'
import { startPostgres } from '../support/postgres.ts'
import { askApi, operated } from '../support/registry-api.ts'
import { registeredApp } from '../support/sign-in.ts'
import { type WatchedBrowser, watchedBrowser } from '../support/watched-browser.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

const PATIENCE = { timeout: 60_000 }
const LONG = 900_000
const LARGEST_PAGE = 100_000

/** Strings that would run, load a resource or reverse a page if they were treated as more than text. */
const TABLE = '<img src=x onerror=alert(1)>'
const COLUMN = `"'><script>alert(2)</script> \u202eשלום`
const COMMENT = '<script>alert(3)</script><img src="https://evil.example/x.png">'
const TITLE = '<script>alert(4)</script> \u202eمتجر'
const CALLER = '<script>alert(5)</script>@example.com'
const APP = '<script>alert(6)</script>'

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const text = (value: string) => `'${value.replaceAll("'", "''")}'`

const wide = Array.from(
  { length: 1_000 },
  (_, i) => `${quoted(`${i} ${COLUMN}`)} text default '<b>'`,
)
const setup = `
  create table ${quoted(TABLE)} (id int primary key, ${quoted(COLUMN)} text);
  insert into ${quoted(TABLE)} values (1, ${text(COMMENT)});
  comment on table ${quoted(TABLE)} is ${text(COMMENT)};
  comment on column ${quoted(TABLE)}.${quoted(COLUMN)} is ${text(COMMENT)};
  create table wide (${wide});
  insert into wide default values;
  create table refers (id int primary key, ${quoted(COLUMN)} int references ${quoted(TABLE)});
  create table large as select repeat('<b>&"', 2097152) as cell;
`

const [browser, postgres] = await Promise.all([chromiumForTests(), startPostgres(setup)])
afterAll(async () => {
  await browser?.close()
  await postgres?.drop()
})

describe.skipIf(!browser || !postgres)('the Console, with hostile content,', () => {
  let worker: RunningWorker
  let watched: WatchedBrowser
  let page: Page
  beforeAll(async () => {
    // All of them in one transaction would exceed the server's locks.
    for (let from = 0; from < 5_000; from += 1_000) {
      await postgres!.admin(`do $$ begin for i in ${from}..${from + 999} loop
        execute format('create table "<b>many %s" (id int primary key)', i); end loop; end $$`)
    }
    const PASSPHRASE = 'a heron waits where slow water turns'
    worker = await startWorker({ ...operated, TIDEGATE_PASSPHRASE: PASSPHRASE })
    await fill(worker, `${postgres!.tcp(postgres!.reader)}?sslmode=disable`)
    watched = await watchedBrowser(browser!, worker.url)
    page = watched.page
    await openConsole(page, worker.url)
  }, LONG)
  afterAll(async () => {
    await watched?.leave()
    await worker?.close()
  })

  /** Expects a page without elements from strangers, and within the size limit. */
  async function expectText(answer: Awaited<ReturnType<Page['goto']>>, path: string) {
    const { length } = await answer!.body()
    const strange = await page.locator('img, iframe, object, script:not([src]), [onerror]').count()
    expect([path, answer!.status(), strange, watched.faults]).toEqual([path, 200, 0, []])
    expect([path, Math.max(length, LARGEST_PAGE)]).toEqual([path, LARGEST_PAGE])
  }

  test(
    'shows it as text on every page, and every page is small',
    async () => {
      const left = [
        '/console',
        '/console/add/shop',
        '/console/add/shop/who',
        '/console/add/shop/who?group=group&search=onerror',
        '/console/add/shop/connect',
        '/console/endpoints/shop/schema?search=onerror',
        '/console/endpoints/shop/schema?search=wide',
        '/console/endpoints/shop/activity?time=24h',
        '/console/access/sign-ins',
        '/console/access/grants',
      ]
      const known = new Set(left)
      const kinds = new Map<string, number>()
      const shown = new Set<string>()
      const took: [number, string][] = []
      for (let path = left.shift(); path !== undefined; path = left.shift()) {
        const began = performance.now()
        const answer = await page.goto(worker.url + path)
        took.push([performance.now() - began, path])
        await expectText(answer, path)
        const kind = kindOf(path)
        if (/<script>alert|<img src=x/.test(await page.locator('body').innerText())) shown.add(kind)
        const links = (await page.evaluate(LINKS)) as readonly string[]
        for (const next of links) {
          if (!/^\/console\b/.test(next) || /export|\.json/.test(next) || known.has(next)) continue
          known.add(next)
          const same = kinds.get(kindOf(next)) ?? 0
          kinds.set(kindOf(next), same + 1)
          if (same < SAME) left.push(next)
        }
      }
      const slow = took.sort(([a], [b]) => b - a).slice(0, 8)
      console.log(`${took.length} pages. The slowest, in milliseconds:`)
      for (const [ms, path] of slow) console.log(Math.round(ms), decodeURIComponent(path))
      expect([...shown]).toEqual(expect.arrayContaining(SHOWING))
    },
    LONG,
  )

  test.each([
    ['a cell of 10 MB', 'select cell from large'],
    ['a row of 1,000 columns', 'select * from wide'],
    ['names and values', `select * from ${quoted(TABLE)}`],
    ['a name that the database refuses', `select ${quoted(COMMENT)} from ${quoted(TABLE)}`],
  ])(
    'shows the result of a statement as text: %s',
    async (_, sql) => {
      const path = '/console/endpoints/shop/workbench?tool=query'
      await page.goto(worker.url + path)
      await page.getByRole('textbox', { name: /^sql/ }).fill(sql)
      const [answer] = await Promise.all([
        page.waitForResponse((it) => it.request().method() === 'POST'),
        page.getByRole('button', { name: 'Run', exact: true }).click(),
      ])
      await page.getByRole('heading', { name: 'Answer' }).waitFor()
      await expectText(answer, sql)
    },
    LONG,
  )

  test(
    'shows a newly arriving call as text',
    async () => {
      await page.goto(`${worker.url}/console/activity`)
      await page.mouse.move(0, 0)
      const sql = `select 1 as ${quoted(`${TABLE} arrives`)}`
      await callAs(worker, 'query', { sql })
      const rows = () => page.locator('#calls').innerText()
      await expect.poll(rows, PATIENCE).toContain('onerror=alert(1)> arrives')
      expect(await rows()).toContain(APP)
      expect(await page.locator('#calls img, #calls script').count()).toBe(0)
      expect(watched.faults).toEqual([])
    },
    LONG,
  )
})

/** The number of pages to open of each kind. Pages of one kind differ only in their content. */
const SAME = 2

const kindOf = (path: string): string => {
  const { pathname, searchParams } = new URL(path, 'http://console')
  const kind = pathname.replace(
    /(keys|calls|grants|questions|databases|tables|tools)\/[^/]+/,
    '$1/*',
  )
  return [kind, ...new Set([...searchParams.keys()].sort())].join(' ')
}

const LINKS =
  "[...document.querySelectorAll('a[href]:not([download])')].map((it) => it.getAttribute('href'))"

/** Kinds of pages that have something hostile to show. */
const SHOWING = [
  '/console',
  '/console/add/shop',
  '/console/add/shop/who group search',
  '/console/endpoints/shop/schema search',
  '/console/endpoints/shop/schema database search table',
  '/console/endpoints/shop/workbench',
  '/console/endpoints/shop/activity time',
  '/console/endpoints/shop/access',
  '/console/endpoints/shop/settings',
  '/console/activity',
  '/console/activity/calls/* endpoint',
  '/console/activity/changes',
  '/console/access',
  '/console/access/groups',
  '/console/access/groups/group',
  '/console/access/grants',
  '/console/access/sign-ins',
  '/console/doctor',
]

/** Fills a registry with hostile names, descriptions, keys, people, apps and calls. */
async function fill(worker: RunningWorker, url: string) {
  const api = async (method: string, path: string, body?: unknown) => {
    const { status, text, json } = await askApi(worker, method, path, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return json
  }
  const glossary = { [TABLE]: { description: COMMENT, columns: { [COLUMN]: COMMENT } } }
  await api('POST', '/api/endpoints', {
    ...{ name: 'shop', title: TITLE, databases: { main: { url, purpose: COMMENT } } },
    records: { literals: true },
  })
  await api('PATCH', '/api/endpoints/shop', {
    databases: { main: { glossary: { ...glossary, [`${TABLE} gone`]: { description: COMMENT } } } },
    terms: { [TABLE]: COMMENT },
  })
  const sql = `select ${quoted(COLUMN)} from ${quoted(TABLE)}`
  await api('PUT', '/api/endpoints/shop/questions/one', { question: COMMENT, sql, as: 'tool' })
  const made = await api('POST', '/api/keys', {
    ...{ label: TABLE, person: CALLER, endpoints: ['shop'] },
  })
  await api('POST', '/api/groups', {
    ...{ name: 'group', title: TITLE, people: [TABLE, COMMENT], keys: [] },
    endpoints: { shop: { databases: { main: { tables: { [TABLE]: ['id'], wide: true } } } } },
  })
  key = made.key
  await callAs(worker, 'query', { sql })
  await callAs(worker, 'describe_table', { table: TABLE })
  await callAs(worker, TABLE, {}).catch(() => {})
  const { code } = await api('POST', '/api/signin-codes', { person: CALLER })
  const app = await registeredApp(worker.url, code, { client_name: APP })
  await app.signIn('/mcp/shop')
}

let key = ''

/** Calls a tool as an app with a hostile name, for a person with a hostile name. */
async function callAs({ url }: RunningWorker, name: string, args: Record<string, unknown>) {
  const client = new Client({ name: APP, version: TABLE })
  const headers = { authorization: `Bearer ${key}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp/shop`), { requestInit: { headers } }),
  )
  await client.callTool({ name, arguments: args })
  await client.close()
}
