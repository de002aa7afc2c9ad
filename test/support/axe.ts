import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

export const THEMES = ['light', 'dark'] as const

/** The widths of a phone and of a desktop. */
export const WIDTHS = [360, 1200] as const

/**
 * The faults of a page in every theme and width: the findings of axe, and horizontal overflow. Each has the theme
 * and the width.
 */
export async function faultsAnywhere(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      // Everything except colors is the same in every theme.
      const faults = await faultsOf(page, colorScheme === 'light' ? 'all' : 'colors')
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
      if (wide > width) faults.push(`is ${wide} pixels wide`)
      found.push(...faults.map((it) => `${colorScheme}, ${width}: ${it}`))
    }
  }
  return found
}

/** The findings of axe on the current page, each with the rule and the element. */
export async function faultsOf(page: Page, rules: 'all' | 'colors' = 'all'): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  // Recording passed rules would take axe longer than the checks.
  const some = rules === 'colors' ? "runOnly: ['cat.color']," : ''
  return (await page.evaluate(`axe.run({ ${some} resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`)) as string[]
}
