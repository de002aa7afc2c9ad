import type { Page } from 'playwright-core'
import type { ShownPage } from './shown.ts'

const page = (
  name: string,
  path: string,
  heading: RegExp,
  more: Partial<ShownPage> = {},
): ShownPage => ({ name, at: 'shop', path: `/console${path}`, heading, ...more })

const press = async (page: Page, name: string | RegExp) => {
  await page.getByRole('button', { name }).first().click()
  await page.waitForLoadState()
}

const run = async (page: Page, sql: string) => {
  await page.getByRole('textbox', { name: /^sql/ }).fill(sql)
  await press(page, 'Run')
}

const REVENUE = `select c.country, round(sum(p.amount)) as revenue, count(distinct o.id) as orders
from payments p
join orders o on o.id = p.order_id
join customers c on c.id = o.customer_id
group by c.country
order by revenue desc`

const SHOP = '/endpoints/shop'

/** The Endpoints, Add, Schema, Workbench and Activity pages. */
export const consolePages: readonly ShownPage[] = [
  page('endpoints', '', /^Endpoints/),
  page('endpoints-search', '?search=shop', /^Endpoints/),
  page('endpoints-none', '', /^Endpoints/, { at: 'empty' }),
  page('endpoint-look', '', /^Test results for Ledger/, {
    enter: (it) => press(it, /^Test now: ledger$/),
  }),
  page('console-not-found', '/nowhere', /^Page not found/, { status: 404 }),

  page('add', '/add', /^Add an endpoint/),
  page('add-other', '/add', /^Add an endpoint/, {
    enter: async (it) => {
      await it.getByText('Name and title').click()
      await it.getByText('Other options').click()
    },
  }),
  page('add-refused', '/add', /^Add an endpoint/, {
    enter: async (it) => {
      await it.getByLabel('Connection string').fill('jdbc:oracle:thin:@//db.example.com/shop')
      await press(it, 'Continue to test')
    },
  }),
  page('add-test', '/add/draft', /^Add Draft/, {
    enter: (it) => it.getByRole('link', { name: /^Continue/ }).waitFor(),
  }),
  page('add-test-failed', '/add/ledger', /^Add Ledger/, {
    enter: (it) => it.getByRole('link', { name: 'Test again' }).waitFor(),
  }),
  page('add-who', '/add/draft/who', /^Add Draft/),
  page('add-who-group', '/add/shop/who?group=analysts', /^Add Web shop/),
  page('add-who-columns', '/add/shop/who?group=analysts', /^Add Web shop/, {
    enter: (it) => it.getByRole('button', { name: /columns of customers/ }).click(),
  }),
  page('add-connect', '/add/draft/connect?group=analysts', /^Add Draft/),
  page('add-connect-key', '/add/shop/connect', /^Add Web shop/, {
    enter: async (it) => {
      await it.getByLabel('Label').fill('Ada, phone')
      await press(it, 'Create a key')
    },
  }),

  page('schema', `${SHOP}/schema`, /^Web shop/),
  page('schema-table', `${SHOP}/schema`, /^Web shop/, {
    enter: (it) =>
      it
        .getByRole('link', { name: /^orders/ })
        .first()
        .click(),
  }),
  page('schema-term', `${SHOP}/schema`, /^Web shop/, {
    enter: (it) =>
      it
        .getByRole('link', { name: /^Change/ })
        .first()
        .click(),
  }),
  page('schema-search', `${SHOP}/schema?search=nothing+of+this+name`, /^Web shop/),
  page('schema-not-answering', '/endpoints/ledger/schema', /^Ledger/),

  page('workbench', `${SHOP}/workbench`, /^Web shop/),
  page('workbench-table', `${SHOP}/workbench?tool=query_table`, /^Web shop/),
  page('workbench-answer', `${SHOP}/workbench?tool=query`, /^Web shop/, {
    enter: (it) => run(it, REVENUE),
  }),
  page('workbench-refused', `${SHOP}/workbench?tool=query`, /^Web shop/, {
    enter: (it) => run(it, "update products set price = 0 where name = 'Lamp'"),
  }),
  page('workbench-question', `${SHOP}/workbench/questions/revenue_by_country`, /^Web shop/),
  page('workbench-fix', `${SHOP}/workbench?question=revenue_by_country`, /^Web shop/),
  page('workbench-not-answering', '/endpoints/ledger/workbench', /^Ledger/),

  page('activity', '/activity', /^Activity/),
  page('activity-endpoint', `${SHOP}/activity?time=24h`, /^Web shop/, {
    enter: (it) => it.getByText('By person and key', { exact: true }).click(),
  }),
  page('activity-none', '/activity?tool=nothing_of_this_name', /^Activity/),
  page('activity-call', `${SHOP}/activity?text=country`, /^Web shop/, {
    enter: (it) => it.locator('#calls tr').first().getByRole('link').first().click(),
  }),
  page('activity-changes', '/activity/changes', /^Activity|^Changes/),
]
