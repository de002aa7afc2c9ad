import type { Page } from 'playwright-core'
import { OPERATOR_KEY } from './registry-api.ts'
import { Visitor } from './visitor.ts'

/** A browser of the operator, who has signed in at this origin. */
export class Operator extends Visitor {
  #token = ''

  /** Sends a form of the Console: with its token, unless another one is given. */
  submit(path: string, fields: Readonly<Record<string, string | readonly string[]>> = {}) {
    return this.send(path, { form: this.#token, ...fields })
  }

  async signIn(key = OPERATOR_KEY) {
    const page = await this.open('/signin/operator')
    this.#token = tokenIn(page.text)
    return this.send('/signin/operator', { form: this.#token, key })
  }
}

/** The operator of a deployment, signed in. */
export async function operatorAt(origin: string): Promise<Operator> {
  const operator = new Operator(origin)
  await operator.signIn()
  return operator
}

/** The token of the forms of a page. */
export const tokenIn = (html: string): string => /name="form" value="([^"]*)"/.exec(html)?.[1] ?? ''

/** Signs the operator in with a real browser, and opens a page of the Console. */
export async function openConsole(page: Page, origin: string, path = '/console') {
  await page.goto(origin + path)
  await page.getByLabel('Key of the operator').fill(OPERATOR_KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(origin + path)
}
