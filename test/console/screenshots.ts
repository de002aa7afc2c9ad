// `npm run screenshots`: a picture of every page, in both themes and at both widths, in results/screenshots/.
//
// npm run screenshots -- setup consent      some pages
import { mkdirSync } from 'node:fs'
import { NO_CHROMIUM, startChromium } from '../support/chromium.ts'
import { shownPages, startDeployments, THEMES, WIDTHS } from './shown.ts'

const FOLDER = 'results/screenshots'

const asked = process.argv.slice(2)
const pages = shownPages.filter(({ name }) => asked.length === 0 || asked.includes(name))
const browser = await startChromium()
if (!browser) {
  console.error(NO_CHROMIUM)
  process.exit(1)
}
mkdirSync(FOLDER, { recursive: true })
const deployments = await startDeployments()
for (const shown of pages) {
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
await browser.close()
await deployments.close()
