import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

/** A browser of one person, with the faults in it. */
export interface WatchedBrowser {
  readonly context: BrowserContext
  readonly page: Page
  /** Script errors, violations of the content security policy, dialogs, and requests to other origins. */
  readonly faults: readonly string[]
  leave(): Promise<void>
}

/** Opens an empty browser for pages of a single origin. */
export async function watchedBrowser(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedBrowser> {
  const context = await browser.newContext(options)
  const faults: string[] = []
  context.on('console', (message) => {
    // A browser logs this for every page with an error status.
    if (!/ status of 4/.test(message.text())) faults.push(message.text())
  })
  context.on('weberror', (fault) => faults.push(`${fault.error()}`))
  context.on('dialog', async (dialog) => {
    faults.push(`A dialog says: ${dialog.message()}`)
    await dialog.dismiss()
  })
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`It asks ${request.url()}.`)
  })
  return { context, page: await context.newPage(), faults, leave: () => context.close() }
}
