import type { Locator, Page } from 'playwright-core'
import { OPERATOR_KEY } from './registry-api.ts'
import { Visitor } from './visitor.ts'

/** A browser of the operator at this origin. */
export class Operator extends Visitor {
  #token = ''

  /** Sends a form of the Console, with its token unless `fields` has another one. */
  submit(path: string, fields: Readonly<Record<string, string | readonly string[]>> = {}) {
    return this.send(path, { form: this.#token, ...fields })
  }

  async signIn(key = OPERATOR_KEY) {
    const page = await this.open('/signin/operator')
    this.#token = tokenIn(page.text)
    return this.send('/signin/operator', { form: this.#token, key })
  }
}

/** The signed-in operator of a deployment. */
export async function operatorAt(origin: string): Promise<Operator> {
  const operator = new Operator(origin)
  await operator.signIn()
  return operator
}

/** The token in the forms of a page. */
export const tokenIn = (html: string): string => /name="form" value="([^"]*)"/.exec(html)?.[1] ?? ''

/** Signs the operator in with a real browser, and opens a page of the Console. */
export async function openConsole(page: Page, origin: string, path = '/console') {
  await page.goto(origin + path)
  await page.getByLabel('Admin key').fill(OPERATOR_KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  // Without scripts, the proof stays in the URL, after #.
  await page.waitForURL((url) => url.href.split('#')[0] === origin + path)
}

/** Presses a button of a form in a browser without scripts, and confirms: see {@link giveKeyAlways}. */
export async function pressWithKey(page: Page, button: Locator) {
  await navigatedBy(page, () => button.click())
  await page.locator('h1').waitFor()
}

/** Enters the admin key whenever a page asks for it in a browser without scripts. */
export const giveKeyAlways = (page: Page) =>
  page.addLocatorHandler(page.getByRole('heading', { name: ASKED_AGAIN }), () => giveKey(page))

async function giveKey(page: Page) {
  await page.getByLabel('Admin key').fill(OPERATOR_KEY)
  await navigatedBy(page, () => page.getByRole('button', { name: 'Confirm', exact: true }).click())
}

async function navigatedBy(page: Page, action: () => Promise<void>) {
  const navigated = page.waitForEvent('framenavigated')
  await action()
  await navigated
  await page.waitForLoadState()
}

const ASKED_AGAIN = 'Confirm with your admin key'
