import { askApi } from '../support/registry-api.ts'
import type { RunningWorker } from '../support/worker.ts'
import type { ShownPage } from './shown.ts'

const HOSTILE = '<img src=x onerror=alert(1)> שלום'
const LONG = 'person-with-a-name-that-does-not-end@department-of-long-names.example.com'

/** Fills a registry with content for the Access, Settings and Doctor pages. */
export async function fillAccess(worker: RunningWorker) {
  const api = (method: string, path: string, body?: unknown) => askApi(worker, method, path, body)
  const databases = { main: { url: 'demo:', purpose: HOSTILE } }
  const tool = {
    name: 'one_order',
    description: `One order by its number. ${HOSTILE}`,
    sql: 'select * from orders where id = $1',
    params: [{ name: 'id', type: 'integer' }],
  }
  await api('POST', '/api/endpoints', {
    name: 'harbour',
    title: HOSTILE,
    databases,
    tools: ['list_tables', 'describe_table', 'query_table', 'query', tool],
    search: [{ table: 'products', title: 'name', text: ['name'] }],
  })
  await api('POST', '/api/endpoints', {
    name: 'lost',
    title: 'Nobody answers',
    databases: { main: { url: 'postgres://reader:Planted-Passw0rd@127.0.0.1:9/shop' } },
  })
  const key = { label: HOSTILE, person: LONG, endpoints: ['harbour', 'lost'] }
  const { id } = (await api('POST', '/api/keys', key)).json
  await api('POST', '/api/keys', { label: 'Nightly report', endpoints: ['*'] })
  await api('POST', '/api/groups', {
    name: 'sales',
    title: 'Sales',
    people: Array.from({ length: 60 }, (_, i) => `${i}-${LONG}`),
    keys: [id],
    endpoints: {
      harbour: {
        tools: ['list_tables', 'query_table'],
        databases: { main: { tables: { orders: true, customers: ['id', 'city'] } } },
      },
    },
  })
  await api('POST', '/api/signin-codes', { person: 'ada@example.com' })
}

const page = (name: string, path: string, heading: RegExp): ShownPage => ({
  name,
  at: 'console',
  path,
  heading,
})

const GROUP = '/console/access/groups/sales'
const SETTINGS = '/console/endpoints/harbour/settings'

/** The Access, Settings and Doctor pages. */
export const accessPages: readonly ShownPage[] = [
  page('keys', '/console/access', /^Keys/),
  page('key-new', '/console/access/keys/new?endpoint=harbour', /^Create a key/),
  {
    ...page('key-made', '/console/access/keys/new', /^Key for Ada/),
    async enter(it) {
      await it.getByLabel('Label').fill('Ada')
      await it.getByLabel('harbour').check()
      await it.getByRole('button', { name: 'Create the key' }).click()
    },
  },
  {
    ...page('key-wrong', '/console/access/keys/new', /^Create a key/),
    async enter(it) {
      await it.getByLabel('Label').fill('Ada')
      await it.getByLabel('Person').fill('key:ada')
      await it.getByLabel('harbour').check()
      await it.getByRole('button', { name: 'Create the key' }).click()
      await it.getByRole('alert').waitFor()
    },
  },
  {
    ...page('key-revoke', '/console/access?search=Nightly', /^Revoke/),
    async enter(it) {
      await it.getByRole('link', { name: 'Revoke Nightly report' }).click()
    },
  },
  page('groups', '/console/access/groups', /^Groups/),
  page('group', `${GROUP}?people=2`, /^Sales/),
  page('group-report', `${GROUP}/report`, /^Rules for Sales/),
  page('group-delete', `${GROUP}/delete`, /^Delete/),
  page('group-rules', `${GROUP}/endpoints/harbour`, /^Sales/),
  page('group-tables', `${GROUP}/endpoints/harbour/tables/main`, /tables in main/),
  page(
    'group-columns',
    `${GROUP}/endpoints/harbour/tables/main?table=customers`,
    /columns in customers/,
  ),
  page('grants', '/console/access/grants', /^Grants/),
  page('sign-ins', '/console/access/sign-ins', /^Sign-ins/),
  {
    ...page('sign-in-code', '/console/access/sign-ins', /^Code for/),
    async enter(it) {
      await it.getByRole('button', { name: 'Create a code' }).click()
    },
  },
  page('endpoint-access', '/console/endpoints/harbour/access', /img src/),
  page('endpoint-settings', SETTINGS, /img src/),
  {
    ...page('endpoint-settings-wrong', SETTINGS, /img src/),
    async enter(it) {
      await it.getByLabel('Rows in an answer', { exact: true }).fill('0')
      await it.getByRole('button', { name: 'Save: Size of answers' }).click()
      await it.getByRole('alert').waitFor()
    },
  },
  page('endpoint-database', `${SETTINGS}/databases/main`, /^main/),
  page('endpoint-database-new', `${SETTINGS}/databases/new`, /^Add a database/),
  page('endpoint-tool', `${SETTINGS}/tools/one_order`, /^Tool one_order/),
  page('endpoint-delete', `${SETTINGS}/delete`, /^Delete/),
  page('settings', '/console/settings', /^Settings/),
  page('doctor', '/console/doctor', /^Doctor/),
  {
    ...page('doctor-of-shop', '/console/doctor', /^Doctor/),
    at: 'shop',
    // Folded details are checked as well.
    async enter(it) {
      const folded = it.locator('.doctor details:not([open]) > summary')
      while ((await folded.count()) > 0) await folded.first().click()
    },
  },
]
