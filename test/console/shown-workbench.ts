import type { Page } from 'playwright-core'
import { askApi } from '../support/registry-api.ts'
import type { RunningWorker } from '../support/worker.ts'
import type { ShownPage } from './shown.ts'

const AT = '/console/endpoints/bench/workbench'

const REVENUE = `select c.country, count(distinct c.id) as customers, sum(t.total) as revenue
from customers c join order_totals t on t.customer_id = c.id
where t.status = $1
group by 1 order by 3 desc limit 8`

/** Fills a registry with content for the Workbench pages. */
export async function fillWorkbench(worker: RunningWorker) {
  const databases = { demo: { url: 'demo:', purpose: 'a made-up shop' } }
  await askApi(worker, 'POST', '/api/endpoints', { name: 'bench', title: 'Web shop', databases })
  const save = (name: string, question: string, sql: string, as: string) =>
    askApi(worker, 'PUT', `/api/endpoints/bench/questions/${name}`, { question, sql, as })
  const late = "select id, ordered_at from orders where status = 'pending' order by id limit 20"
  await save('late_orders', 'Which orders are late?', late, 'tool')
  const orders = 'select status, count(*) as orders from orders group by status order by status'
  await save('orders_by_status', 'How many orders are in each status? שלום', orders, 'example')
}

const page = (name: string, path: string, does?: (page: Page) => Promise<unknown>): ShownPage => ({
  ...{ name, path, at: 'console', heading: /^Web shop/ },
  ...(does && { enter: does }),
})

async function run(page: Page, sql: string, params = '') {
  await page.getByLabel('sql').fill(sql)
  await page.getByLabel('params').fill(params)
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('heading', { name: 'Answer' }).waitFor()
}

/** The Workbench pages. */
export const workbenchPages: readonly ShownPage[] = [
  page('workbench-params', AT, (it) => run(it, REVENUE, '["shipped"]')),
  page('workbench-error', AT, (it) => run(it, 'select amount from orders')),
  page('workbench-unsaved', AT, async (it) => {
    await run(it, REVENUE, '["shipped"]')
    await it.getByRole('button', { name: 'Save' }).click()
    await it.getByText('Enter the question.').waitFor()
  }),
  page('workbench-arguments', `${AT}?tool=query_table`),
  page('verified-question', `${AT}/questions/orders_by_status`),
  page('verified-question-remove', `${AT}/questions/orders_by_status/remove`),
]
