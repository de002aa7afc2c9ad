import { afterAll, describe, expect, test } from 'vitest'
import { chromiumForTests } from '../support/chromium.ts'
import { openConsole } from '../support/operator.ts'
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
    const press = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click()
      await page.waitForLoadState()
    }

    await openConsole(page, worker.url)
    await page.getByRole('link', { name: 'Add endpoint' }).click()
    await page.getByLabel('Connection string').fill('nothing of this kind')
    await press('Read and test it')
    expect(await page.getByLabel('Connection string').inputValue()).toBe('')
    await page.getByLabel('Connection string').fill(postgres!.tcp())
    await page.getByText('Name and title').click()
    await page.getByLabel('Name, in the URL').fill('shop')
    await press('Read and test it')
    expect(await page.locator('.checks > li').count()).toBe(8)
    // A role of its own comes in by another string, here and not only after a failure.
    await page.getByText('Put in another string').click()
    await page.getByLabel('Connection string').fill(postgres!.tcp())
    await press('Replace and test it')
    await page.getByRole('link', { name: 'Go on without' }).click()
    await page.getByText('Make a group').click()
    await page.getByLabel('Name of the group').fill('analysts')
    await press('Make it')
    // Whatever leads on keeps the ticks: a search, the columns of a table, the next step.
    await page.getByLabel('customers', { exact: true }).check()
    await page.getByLabel('Text in the name of a table').fill('ord')
    await press('Search')
    expect(await page.getByLabel('customers', { exact: true }).count()).toBe(0)
    await page.getByLabel('Text in the name of a table').fill('')
    await press('Search')
    expect(await page.getByLabel('customers', { exact: true }).isChecked()).toBe(true)
    await page.getByLabel('orders', { exact: true }).check()
    await page.getByRole('button', { name: 'columns of customers' }).click()
    await page.getByLabel('email', { exact: true }).uncheck()
    await press('All tables')
    expect(await page.getByLabel('orders', { exact: true }).isChecked()).toBe(true)
    expect(await page.locator('dl.sql').textContent()).toMatch(/^customersid integer, name textord/)
    await page.getByLabel('orders', { exact: true }).uncheck()
    await press('Save and go on')
    await page.goBack()
    await page.reload()
    expect(await page.getByLabel('orders', { exact: true }).isChecked()).toBe(false)
    await page.goForward()
    await page.getByLabel('Label of the key').fill('Ada, laptop')
    await press('Make a key')
    expect(await page.locator('#key').textContent()).toMatch(/^tg_/)
    await press('Open the endpoint')
    expect(await page.getByRole('status').textContent()).toContain('is open')
    expect(said.filter((it) => !/status of 422/.test(it))).toEqual([])
    await context.close()
    await worker.close()
  }, 120_000)
})
