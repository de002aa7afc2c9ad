// `npm run screenshots` takes a picture of every page, in both themes and at both widths, in results/screenshots/.
//
// npm run screenshots -- setup consent      some pages
// npm run screenshots -- --readme           the README's pictures, in docs/pictures/
import { mkdirSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { THEMES, WIDTHS } from '../support/axe.ts'
import { NO_CHROMIUM, startChromium } from '../support/chromium.ts'
import { type ShownPage, shownPages, startDeployments } from './shown.ts'

const FOLDER = 'results/screenshots'
const README_FOLDER = 'docs/pictures'

/** The pages in the README, and how much of each is shown. */
const inReadme: Readonly<Record<string, { readonly file: string; readonly height: number }>> = {
  endpoints: { file: 'endpoints', height: 660 },
  'schema-table': { file: 'schema', height: 780 },
  activity: { file: 'activity', height: 965 },
}

const asked = process.argv.slice(2)
const isReadme = asked.includes('--readme')
const pages = shownPages.filter(({ name }) =>
  isReadme ? Object.hasOwn(inReadme, name) : asked.length === 0 || asked.includes(name),
)
const browser = await startChromium()
if (!browser) {
  console.error(NO_CHROMIUM)
  process.exit(1)
}
mkdirSync(isReadme ? README_FOLDER : FOLDER, { recursive: true })
const deployments = await startDeployments()
for (const shown of pages) await (isReadme ? showTop : showAll)(browser, shown)
await browser.close()
await deployments.close()

async function showAll(browser: Browser, shown: ShownPage) {
  const page = await browser.newPage()
  await deployments.open(page, shown)
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      const path = `${FOLDER}/${shown.name}-${colorScheme}-${width}.png`
      await page.screenshot({ path, fullPage: true })
      console.log(path)
    }
  }
  await page.close()
}

async function showTop(browser: Browser, shown: ShownPage) {
  const { file, height } = inReadme[shown.name]!
  const page = await browser.newPage({ viewport: { width: 1200, height } })
  await deployments.open(page, shown)
  await page.waitForLoadState()
  const path = `${README_FOLDER}/${file}.png`
  await page.screenshot({ path })
  console.log(path)
  await page.close()
}
