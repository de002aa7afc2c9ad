import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Desk, noTerminal } from '../sign-in/desk.ts'
import { programs } from '../sign-in/programs.ts'
import { Browser as Reader } from '../support/browser.ts'
import { chromiumForTests } from '../support/chromium.ts'
import { giveKeyAlways, openConsole, pressWithKey } from '../support/operator.ts'
import { startPostgres } from '../support/postgres.ts'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { watchedBrowser } from '../support/watched-browser.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

/** A busy machine is not a reason to fail. */
const PATIENCE = { timeout: 60_000 }
const LONG = 300_000

const PASSPHRASE = 'a heron waits where slow water turns'
const PASSWORD = 'Planted-Passw0rd'

const setup = `
  create table customers (id int primary key, name text, country text);
  create table orders (id int primary key, customer_id int references customers, total int);
  insert into customers values (1, 'Ada', 'DE'), (2, 'Bo', 'NO');
  insert into orders values (1, 1, 700), (2, 1, 500), (3, 2, 900);
`

const [browser, postgres] = await Promise.all([chromiumForTests(), startPostgres(setup)])
afterAll(async () => {
  await browser?.close()
  await postgres?.drop()
})

/** The URL with which a read-only role reaches the test database. */
const pasted = () =>
  `${postgres!.tcp(postgres!.reader).replace('@', `:${PASSWORD}@`)}?sslmode=disable`

/** Connects a model's app with a URL and headers. */
async function connect(url: string, headers: Record<string, string>) {
  const client = new Client({ name: 'An app of Ada', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  await client.connect(transport)
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    /** The text that the model reads. */
    async call(name: string, args: Record<string, unknown> = {}) {
      const { content } = await client.callTool({ name, arguments: args })
      return content.map((it) => (it.type === 'text' ? it.text : '')).join('\n')
    },
  }
}

describe.skipIf(!browser || !postgres).each([
  ['with script', true],
  ['without script', false],
])('a person, in a browser %s,', (_, javaScriptEnabled) => {
  const open = async (origin: string) => {
    const watched = await watchedBrowser(browser!, origin, { javaScriptEnabled })
    if (!javaScriptEnabled) await giveKeyAlways(watched.page)
    if (javaScriptEnabled) {
      const permissions = ['clipboard-read', 'clipboard-write']
      await watched.context.grantPermissions(permissions, { origin })
    }
    return watched
  }

  /** Reads a page after a while. Without script, it has to be loaded again. */
  const after = async (page: Page, selector: string) => {
    if (!javaScriptEnabled) await page.reload()
    return page.locator(selector).allInnerTexts()
  }

  /** Copies text as a person does, with its button or by hand where there is no button. */
  const copied = async (page: Page, what: string) => {
    const button = page.locator(`[aria-label="Copy ${what}"]`)
    const shown = page.locator('.copy').filter({ has: button, visible: true })
    if (!javaScriptEnabled) return (await shown.locator('pre').textContent())!
    await shown.getByRole('button').click()
    await expect.poll(() => shown.getByRole('button').textContent(), PATIENCE).toBe('Copied')
    return String(await page.evaluate('navigator.clipboard.readText()'))
  }

  test(
    'goes from the first run to an app’s first call, and revokes its access',
    async () => {
      const worker = await startWorker({ ...operated, TIDEGATE_PASSPHRASE: PASSPHRASE })
      const { page, context, faults, leave } = await open(worker.url)
      const press = async (name: string) => {
        const button = page.getByRole('button', { name, exact: true })
        if (!javaScriptEnabled) return pressWithKey(page, button)
        await button.click()
        await page.waitForLoadState()
      }

      // The first-run page shows the missing step, and links to it.
      const firstRun = await context.newPage()
      await firstRun.goto(`${worker.url}/setup`)
      expect(await firstRun.locator('h1').innerText()).toContain('One step left')
      await page.goto(`${worker.url}/setup`)
      await page.getByRole('link', { name: 'Add a database' }).click()
      await page.getByLabel('Admin key').fill(OPERATOR_KEY)
      await press('Sign in')
      await page.waitForURL((url) => url.href.split('#')[0] === `${worker.url}/console/add`)

      // People paste a line from a file, with quotes and blanks.
      const line = ` export DATABASE_URL="${pasted()}"  \n`
      await page.getByLabel('Connection string').fill(line)
      await page.getByText('Name and title').click()
      await page.getByLabel('Name in the URL').fill('shop')
      await page.getByLabel('Title for people').fill('Web shop')
      await press('Continue to test')
      await page.waitForURL(`${worker.url}/console/add/shop`)
      expect(await page.getByRole('listitem').allInnerTexts()).toContainEqual(
        expect.stringMatching(/answers?|reads?/i),
      )
      await page.getByRole('link', { name: /^Continue/ }).click()
      expect(await page.locator('#main').innerText()).toContain('customers')
      await page.getByRole('link', { name: /^Continue/ }).click()
      await page.getByLabel('Label').fill('Ada, laptop')
      await page.getByLabel('Person').fill('ada@example.com')
      await press('Create a key')

      // The key, and the settings for each app.
      const key = await copied(page, 'the key')
      expect(key).toMatch(/^tg_/)
      await page.locator('.tabs > label', { hasText: 'Others' }).click()
      const command = await copied(page, 'the command')
      await page.locator('.tabs > label', { hasText: 'Cursor' }).click()
      const cursor = JSON.parse(await copied(page, 'the JSON')).mcpServers.shop
      await page.locator('.tabs > label', { hasText: 'VS Code' }).click()
      const vsCode = JSON.parse(await copied(page, 'the JSON')).servers.shop
      expect([vsCode.url, vsCode.headers]).toEqual([cursor.url, cursor.headers])
      await page.locator('.tabs > label', { hasText: 'Claude Code' }).click()
      const claude = await copied(page, 'the command')

      // Nothing is open before the last step.
      await expect(connect(cursor.url, cursor.headers)).rejects.toThrow(/switched off/)
      await press('Turn on the endpoint')
      await expect.poll(() => after(firstRun, 'h1'), PATIENCE).toEqual(['Everything is set'])

      const activity = await context.newPage()
      await activity.goto(`${worker.url}/console/endpoints/shop/activity`)
      await activity.evaluate('globalThis.isKept = true').catch(() => {})
      const rows = () => after(activity, '#calls tr')
      const run = () => promisify(execFile)('sh', ['-c', command])
      await expect.poll(async () => (await run()).stdout, PATIENCE).toContain('"query"')
      const app = await connect(cursor.url, cursor.headers)
      const sql = 'select sum(total) as revenue from orders'
      expect(await app.call('query', { sql })).toContain('2100')
      await expect
        .poll(rows, PATIENCE)
        .toContainEqual(expect.stringMatching(/An app of Ada[\s\S]*select sum\(total\)/))
      expect(await rows()).toContainEqual(expect.stringContaining('ada@example.com'))
      if (javaScriptEnabled) expect(await activity.evaluate('globalThis.isKept')).toBe(true)
      await useClaude(claude)

      await page.goto(`${worker.url}/console/access`)
      await page.getByRole('link', { name: 'Revoke Ada, laptop' }).click()
      await press('Revoke the key')
      expect(await page.getByRole('status').innerText()).toContain('Key revoked')
      const refused = () => app.call('query', { sql }).catch((error: Error) => error.message)
      await expect.poll(refused, PATIENCE).toContain(REFUSED)
      expect((await run()).stdout).toContain(REFUSED)

      await expectNowhere(page, worker, [PASSWORD, key])
      expect(faults).toEqual([])
      await leave()
      await worker.close()
    },
    LONG,
  )

  describe('at an endpoint', () => {
    let worker: RunningWorker
    let browsed: Awaited<ReturnType<typeof open>>
    let page: Page
    const at = (path: string) => `${worker.url}/console/endpoints/shop/${path}`
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
    beforeAll(async () => {
      worker = await startWorker({ ...operated, TIDEGATE_PASSPHRASE: PASSPHRASE })
      const shop = { name: 'shop', title: 'Web shop', databases: { main: { url: pasted() } } }
      expect((await askApi(worker, 'POST', '/api/endpoints', shop)).status).toBe(201)
      browsed = await open(worker.url)
      page = browsed.page
      await openConsole(page, worker.url, '/console/endpoints/shop/schema')
    })
    afterAll(async () => {
      await browsed?.leave()
      await worker?.close()
    })

    test(
      'describes a column and a term, and the model reads the descriptions',
      async () => {
        const app = await connect(`${worker.url}/mcp/shop`, headers)
        expect(await app.call('describe_table', { table: 'orders' })).not.toContain('cents')
        await page.getByRole('link', { name: 'orders' }).first().click()
        await page.getByRole('textbox', { name: /total/ }).fill('What was paid, in euro cents')
        await page.getByLabel('Description for the model').first().fill('One row for each order')
        await page.getByRole('button', { name: 'Save', exact: true }).click()
        await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
        const described = () => app.call('describe_table', { table: 'orders' })
        await expect.poll(described, PATIENCE).toContain('What was paid, in euro cents')
        expect(await described()).toContain('One row for each order')

        await page.getByLabel('Term', { exact: true }).fill('revenue')
        await page.getByLabel('What it means here').fill('The sum of orders.total, in euros')
        await page.getByRole('button', { name: 'Add the term' }).click()
        await page.getByRole('status').filter({ hasText: 'Term saved' }).waitFor()
        const instructions = async () =>
          (await connect(`${worker.url}/mcp/shop`, headers)).client.getInstructions()
        await expect.poll(instructions, PATIENCE).toContain('The sum of orders.total, in euros')
        expect(browsed.faults).toEqual([])
      },
      LONG,
    )

    test(
      'verifies a question, which is served until its column is renamed, and repairs it',
      async () => {
        const app = await connect(`${worker.url}/mcp/shop`, headers)
        const run = async (sql: string) => {
          await page.getByRole('textbox', { name: /^sql/ }).fill(sql)
          await page.getByRole('button', { name: 'Run', exact: true }).click()
          await page.getByRole('heading', { name: 'Answer' }).waitFor()
        }
        const save = async () => {
          await page.getByRole('button', { name: 'Save', exact: true }).click()
          await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
        }
        await page.goto(at('workbench'))
        await run('select sum(total) as revenue from orders')
        expect(await page.getByRole('cell', { name: '2100' }).count()).toBe(1)
        await page.getByLabel('The question, as people ask it').fill('What is our revenue?')
        await page.getByLabel('Name', { exact: true }).fill('our_revenue')
        await save()
        await expect.poll(app.names, PATIENCE).toContain('our_revenue')
        expect(await app.call('our_revenue')).toContain('2100')

        await postgres!.admin('alter table orders rename column total to amount')
        try {
          // A schema is reloaded after a while, or when a call fails.
          await app.call('our_revenue').catch(() => {})
          await expect.poll(app.names, PATIENCE).not.toContain('our_revenue')
          const says = async () => {
            await page.goto(at('workbench'))
            return page.locator('#main').innerText()
          }
          await expect.poll(says, PATIENCE).toMatch(/our_revenue is not served: .*total/)
          await page.getByRole('link', { name: 'Fix it' }).click()
          await run('select sum(amount) as revenue from orders')
          await save()
          await expect.poll(app.names, PATIENCE).toContain('our_revenue')
          expect(await app.call('our_revenue')).toContain('2100')
        } finally {
          await postgres!.admin('alter table orders rename column amount to total')
        }
        expect(browsed.faults).toEqual([])
      },
      LONG,
    )
  })

  test(
    'who is listed in OPERATORS signs in with their own account, and out again',
    async () => {
      const worker = await startWorker({
        ...operated,
        TIDEGATE_PASSPHRASE: PASSPHRASE,
        OPERATORS: 'ada@example.com',
      })
      const made = await askApi(worker, 'POST', '/api/signin-codes', { person: 'ada@example.com' })
      const { page, faults, leave } = await open(worker.url)
      await page.goto(`${worker.url}/signin`)
      await page.getByLabel('Passphrase').fill(made.json.code)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForLoadState()
      await page.goto(`${worker.url}/console/access/groups/new`)
      expect(await page.locator('.who').innerText()).toContain('ada@example.com')
      await page.getByLabel('Name', { exact: false }).first().fill('analysts')
      const make = page.getByRole('button', { name: /^Create/ })
      await (javaScriptEnabled ? make.click() : pressWithKey(page, make))
      await page.waitForLoadState()
      await page.goto(`${worker.url}/console/activity/changes`)
      expect(await page.locator('tbody').innerText()).toMatch(/ada@example\.com.*analysts/)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(/\/signin\/operator/)
      await page.goto(`${worker.url}/console`)
      expect(page.url()).toContain('/signin/operator')
      expect(await page.getByLabel('Admin key').isVisible()).toBe(true)
      expect(faults).toEqual([])
      await leave()
      await worker.close()
    },
    LONG,
  )
})

/** The message for an app whose key is revoked. */
const REFUSED = 'This key is wrong, or was revoked. Ask the operator of this endpoint for another.'

/** Runs the command for Claude Code, and checks that it connects. Does nothing without that program. */
async function useClaude(command: string) {
  const claude = programs.find(({ name }) => name === 'Claude Code')!
  if (!existsSync(claude.path) || noTerminal() !== undefined) return
  const desk = new Desk(new Reader({ fields: {}, buttons: {} }))
  try {
    await desk.run(['sh', '-c', command.replace(/^claude/, claude.path)])
    expect(await claude.use(desk, '')).toContain(claude.works)
  } finally {
    desk.clear()
  }
}

/** Expects these secrets on no page that shows the endpoint. */
async function expectNowhere(page: Page, { url }: RunningWorker, secrets: readonly string[]) {
  const shop = '/console/endpoints/shop'
  const paths = ['schema', 'workbench', 'activity', 'access', 'settings'].map(
    (it) => `${shop}/${it}`,
  )
  for (const path of ['/console', '/console/access', '/console/activity/changes', ...paths]) {
    const answer = await page.goto(url + path)
    expect([path, answer!.status()]).toEqual([path, 200])
    const text = await answer!.text()
    expect([path, secrets.filter((it) => text.includes(it))]).toEqual([path, []])
  }
}
