import type { Page } from 'playwright-core'
import { type Operator, operatorAt } from '../support/operator.ts'
import { OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { questionOf } from '../support/visitor.ts'
import { startWorker } from '../support/worker.ts'
import { fillShop, SHOP_HOSTS, startShop } from './shop.ts'
import { accessPages, fillAccess } from './shown-access.ts'
import { consolePages } from './shown-console.ts'
import { fillWorkbench, workbenchPages } from './shown-workbench.ts'

const PASSPHRASE = 'a heron waits where slow water turns'

const demo = { demo: { url: 'demo:', purpose: 'a made-up shop' } }
const endpoints = [
  { name: 'shop', title: 'The shop', databases: demo },
  {
    name: 'open',
    title: 'The open shop',
    access: 'public',
    databases: demo,
    search: [{ table: 'products', title: 'name', text: ['name'] }],
  },
]

/** The deployments whose pages are checked. */
const deployments = {
  /** Nothing is set. */
  bare: {},
  /** Everything is set. */
  full: {
    ...operated,
    TIDEGATE_PASSPHRASE: PASSPHRASE,
    ENDPOINTS: JSON.stringify(endpoints),
  },
  /** An operator has added content in the Console. */
  console: { ...operated, TIDEGATE_PASSPHRASE: PASSPHRASE },
  /** An operator has added a shop, with a day of calls. */
  shop: { ...operated, TIDEGATE_PASSPHRASE: PASSPHRASE, PRIVATE_HOSTS: SHOP_HOSTS },
  /** Nothing has been added yet. */
  empty: { ...operated, TIDEGATE_PASSPHRASE: PASSPHRASE },
  /** The settings cannot be used. */
  faulty: {
    TIDEGATE_KEY: OPERATOR_KEY,
    TIDEGATE_SECRET: 'too easy',
    TIDEGATE_PASSPHRASE: 'hunter2',
    ENDPOINTS: '[{"name":',
  },
} as const

type Name = keyof typeof deployments

/** A page that a person sees, and the way to get there. */
export interface ShownPage {
  readonly name: string
  readonly at: Name
  readonly path: string
  readonly status?: number
  /** The steps that a person takes there until they see it. */
  readonly enter?: (page: Page, origin: string) => Promise<unknown>
  readonly heading: RegExp
}

const signIn = async (page: Page, passphrase = PASSPHRASE) => {
  await page.getByLabel('Passphrase').fill(passphrase)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Every page, in each state that looks different. */
export const shownPages: readonly ShownPage[] = [
  { name: 'public', at: 'bare', path: '/', heading: /^One URL/ },
  { name: 'public-sign-in', at: 'full', path: '/', heading: /^One URL/ },
  { name: 'public-endpoint', at: 'full', path: '/mcp/open', heading: /^One URL/ },
  { name: 'public-faulty', at: 'faulty', path: '/', heading: /^One URL/ },
  { name: 'setup', at: 'bare', path: '/setup', heading: /Four steps left/ },
  { name: 'setup-faulty', at: 'faulty', path: '/setup', heading: /Three steps left/ },
  { name: 'setup-done', at: 'full', path: '/setup', heading: /^Everything is set/ },
  { name: 'record', at: 'full', path: '/record/open/demo/products/1', heading: /./ },
  { name: 'not-found', at: 'bare', path: '/nowhere', status: 404, heading: /^Page not found/ },
  { name: 'sign-in-not-set', at: 'bare', path: '/signin', status: 404, heading: /^Nobody can/ },
  { name: 'sign-in', at: 'full', path: '/signin', heading: /^Sign in/ },
  {
    ...{ name: 'sign-in-wrong', at: 'full', path: '/signin', heading: /^Sign in/ },
    enter: (page) => signIn(page, 'not the passphrase at all'),
  },
  {
    ...{ name: 'signed-in', at: 'full', path: '/signin', heading: /^You are signed in/ },
    enter: (page) => signIn(page),
  },
  {
    ...{ name: 'consent', at: 'full', path: '/signin', heading: /An app/ },
    async enter(page, origin) {
      await signIn(page)
      await page.goto(origin + (await questionOf(origin)))
    },
  },
  {
    name: 'error',
    at: 'full',
    path: '/authorize?client_id=one&client_id=another',
    status: 400,
    heading: /./,
  },
  {
    ...{ name: 'sign-in-operator', at: 'shop', path: '/signin/operator', heading: /^Sign in/ },
    enter: (page) => page.getByText('Where is the admin key').click(),
  },
  ...consolePages,
  ...accessPages,
  ...workbenchPages,
]

/** Starts the deployments for these pages, and fills those that need content. */
export async function startDeployments() {
  const names = Object.keys(deployments) as Name[]
  const shop = await startShop()
  const started = await Promise.all(
    names.map(async (it) => [it, await startWorker(deployments[it])] as const),
  )
  const workers = Object.fromEntries(started)
  await Promise.all([fillAccess(workers.console!), fillShop(workers.shop!, shop)])
  await fillWorkbench(workers.console!)
  const operators = new Map<string, Operator>()
  return {
    /** Opens a page in a browser. Console pages are opened as the operator. */
    async open(page: Page, { at, path, enter }: ShownPage) {
      const { url } = workers[at]!
      const isConsole = path.startsWith('/console')
      if (isConsole && !operators.has(url)) operators.set(url, await operatorAt(url))
      const { cookies, proof } = (isConsole && operators.get(url)) || { cookies: [] }
      await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url })))
      // The Console's script stores a sign-in's proof, and adds it to each form.
      const answer = await page.goto(url + path)
      if (proof) await page.evaluate((it) => localStorage.setItem('tidegate-proof', it), proof)
      await enter?.(page, url)
      return answer!
    },
    async close() {
      await Promise.all(started.map(([, it]) => it.close()))
      await shop.close()
    },
  }
}
