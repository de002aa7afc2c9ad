import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

export const THEMES = ['light', 'dark'] as const

/** A phone, and a desk. */
export const WIDTHS = [360, 1200] as const

/**
 * What is wrong with a page in some theme and width: what axe finds, and whether something sticks out to the
 * side. Each with the theme and the width.
 */
export async function faultsAnywhere(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      // What is not a color is the same in every theme.
      const faults = await faultsOf(page, colorScheme === 'light' ? 'all' : 'colors')
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
      if (wide > width) faults.push(`is ${wide} pixels wide`)
      found.push(...faults.map((it) => `${colorScheme}, ${width}: ${it}`))
    }
  }
  return found
}

/** What axe finds on a page as it is shown: the rule and where. */
export async function faultsOf(page: Page, rules: 'all' | 'colors' = 'all'): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  // To write down all that passes as well takes axe longer than to look.
  const some = rules === 'colors' ? "runOnly: ['cat.color']," : ''
  return (await page.evaluate(`axe.run({ ${some} resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`)) as string[]
}
