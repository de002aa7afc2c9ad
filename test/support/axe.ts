import axe from 'axe-core'
import type { Page } from 'playwright-core'

// To write down all that passes as well takes axe longer than to look.
const LOOK = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`

/** What axe finds on a page as it is shown: the rule and where. */
export async function faultsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source)
  return (await page.evaluate(LOOK)) as string[]
}
