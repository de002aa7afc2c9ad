import { afterAll, describe, expect, test } from 'vitest'
import { chromiumForTests } from '../support/chromium.ts'
import { giveKeyAlways, openConsole, pressWithKey } from '../support/operator.ts'
import { startPostgres } from '../support/postgres.ts'
import { operated } from '../support/registry-api.ts'
import { startWorker } from '../support/worker.ts'

const setup = `
  create table customers (id int primary key, name text, email text);
  create table orders (id int primary key, customer_id int references customers, total numeric);
  create table "جدول" (id int, "<b>" text);
`

const [browser, postgres] = await Promise.all([chromiumForTests(), startPostgres(setup)])
afterAll(async () => {
  await browser?.close()
  await postgres?.drop()
})

describe.skipIf(!browser || !postgres)('the pages that add an endpoint', () => {
  test('lead from one step to the next without script', async () => {
    const worker = await startWorker(operated)
    const context = await browser!.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    const said: string[] = []
    page.on('console', (message) => said.push(message.text()))
    const press = (name: string) =>
      pressWithKey(page, page.getByRole('button', { name, exact: true }))
    await giveKeyAlways(page)

    await openConsole(page, worker.url)
    await page.getByRole('link', { name: 'Add endpoint' }).click()
    await page.getByLabel('Connection string').fill('nothing of this kind')
    await press('Continue to test')
    expect(await page.getByLabel('Connection string').inputValue()).toBe('')
    await page.getByLabel('Connection string').fill(postgres!.tcp())
    await page.getByText('Name and title').click()
    await page.getByLabel('Name in the URL').fill('shop')
    await press('Continue to test')
    expect(await page.locator('.checks > li').count()).toBe(8)
    // Another connection string can bring in a separate role at this step, not only after a failure.
    await page.getByText('Use another connection string').click()
    await page.getByLabel('Connection string').fill(postgres!.tcp())
    await press('Replace and test it')
    await page.getByRole('link', { name: 'Continue anyway' }).click()
    await page.getByText('Create a group').click()
    await page.getByLabel('Name for the group').fill('analysts')
    await press('Create')
    // A search, a table's columns and the next step all keep the ticks.
    await page.getByLabel('customers', { exact: true }).check()
    await page.getByLabel('Table, column or comment contains').fill('ord')
    await press('Search')
    expect(await page.getByLabel('customers', { exact: true }).count()).toBe(0)
    await page.getByLabel('Table, column or comment contains').fill('')
    await press('Search')
    expect(await page.getByLabel('customers', { exact: true }).isChecked()).toBe(true)
    await page.getByLabel('orders', { exact: true }).check()
    await pressWithKey(page, page.getByRole('button', { name: 'columns of customers' }))
    await page.getByLabel('email', { exact: true }).uncheck()
    await press('All tables')
    expect(await page.getByLabel('orders', { exact: true }).isChecked()).toBe(true)
    expect(await page.locator('dl.sql').textContent()).toMatch(/^customersid integer, name textord/)
    await page.getByLabel('orders', { exact: true }).uncheck()
    const tables = page.url()
    await press('Save and continue')
    // Goes by URL, because without script the admin key page comes between the two in the history.
    await page.goto(tables)
    expect(await page.getByLabel('orders', { exact: true }).isChecked()).toBe(false)
    await page.goBack()
    await page.getByLabel('Label').fill('Ada, laptop')
    await press('Create a key')
    expect(await page.locator('#key').textContent()).toMatch(/^tg_/)
    await press('Turn on the endpoint')
    expect(await page.getByRole('status').textContent()).toContain('is on')
    expect(said.filter((it) => !/status of (403|422)/.test(it))).toEqual([])
    await context.close()
    await worker.close()
  }, 120_000)
})
