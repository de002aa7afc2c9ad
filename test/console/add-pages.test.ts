import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { chromiumForTests } from '../support/chromium.ts'
import { openConsole } from '../support/operator.ts'
import { startPostgres } from '../support/postgres.ts'
import { operated } from '../support/registry-api.ts'
import { startWorker } from '../support/worker.ts'
import { THEMES, WIDTHS } from './shown.ts'

const setup = `
  create table customers (id int primary key, name text, email text);
  create table orders (id int primary key, customer_id int references customers, total numeric);
  create table "${'a_very_long_name_of_a_table'.repeat(2)}" (id int, "<b>" text);
  create table "جدول" (id int);
`

const [browser, postgres] = await Promise.all([chromiumForTests(), startPostgres(setup)])
afterAll(async () => {
  await browser?.close()
  await postgres?.drop()
})

describe.skipIf(!browser || !postgres)('the pages that add an endpoint', () => {
  test.each([true, false])(
    'work in a browser, with script: %s, and have no fault for a screen reader',
    async (javaScriptEnabled) => {
      const worker = await startWorker(operated)
      const context = await browser!.newContext({ javaScriptEnabled })
      const page = await context.newPage()
      const said: string[] = []
      page.on('console', (message) => said.push(message.text()))
      page.on('pageerror', (error) => said.push(error.message))
      const press = async (name: string) => {
        await page.getByRole('button', { name, exact: true }).click()
        await page.waitForLoadState()
      }
      const look = async () => {
        if (javaScriptEnabled) await expectNoFault(page)
      }

      await openConsole(page, worker.url)
      await look()
      await page.getByRole('link', { name: 'Add endpoint' }).click()
      await page.getByText('Other ways').click()
      await look()
      // The role of the server's owner has findings, so the table of them is seen.
      await page.getByLabel('Connection string').fill(postgres!.tcp())
      await page.getByText('Name and title').click()
      await page.getByLabel('Name, in the URL').fill('shop')
      await press('Read and test it')
      await page.getByText('What was sent and said').click()
      await look()
      expect(await page.locator('.checks > li').count()).toBe(8)
      await page.getByRole('link', { name: 'Go on without' }).click()
      await look()
      await page.getByText('Make a group').click()
      await page.getByLabel('Name of the group').fill('analysts')
      await press('Make it')
      await page.getByLabel('customers', { exact: true }).check()
      await press('Save the ticks')
      await look()
      await page.getByRole('link', { name: 'columns of customers' }).click()
      await page.getByLabel('email', { exact: true }).uncheck()
      await press('Save the ticks')
      await look()
      expect(await page.locator('dl.sql').textContent()).toBe('customersid integer, name text')
      await page.getByRole('link', { name: 'Go on', exact: true }).click()
      await look()
      await page.getByLabel('Label of the key').fill('Ada, laptop')
      await press('Make a key')
      await look()
      expect(await page.locator('#key').textContent()).toMatch(/^tg_/)
      await press('Open the endpoint')
      await look()
      expect(await page.getByRole('status').textContent()).toContain('is open')
      await page.getByRole('button', { name: 'Look now at shop' }).click()
      await page.waitForLoadState()
      await look()
      await page.goto(`${worker.url}/console/add`)
      await page.getByLabel('Connection string').fill('nothing of this kind')
      await press('Read and test it')
      await look()
      expect(await page.getByLabel('Connection string').inputValue()).toBe('')
      expect(said.filter((it) => !/status of 422/.test(it))).toEqual([])
      await context.close()
      await worker.close()
    },
    240_000,
  )
})

/** In both themes and widths: nothing that axe finds, and nothing that sticks out. */
async function expectNoFault(page: Page): Promise<void> {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      await page.evaluate(axe.source)
      const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
      const faults = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html }) => `${id}: ${html}`),
      )
      const wide = (await page.evaluate('document.documentElement.scrollWidth')) as number
      expect([page.url(), colorScheme, width, faults]).toEqual([page.url(), colorScheme, width, []])
      expect([page.url(), wide]).toEqual([page.url(), Math.min(wide, width)])
    }
  }
}
