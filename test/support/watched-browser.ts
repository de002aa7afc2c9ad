import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

/** A browser of one person, and what went wrong in it. */
export interface WatchedBrowser {
  readonly context: BrowserContext
  readonly page: Page
  /** Faults of scripts, what the policy refused, dialogs, and requests to other origins. */
  readonly faults: readonly string[]
  leave(): Promise<void>
}

/** Opens a browser with nothing in it, whose pages belong to this origin and to nobody else. */
export async function watchedBrowser(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedBrowser> {
  const context = await browser.newContext(options)
  const faults: string[] = []
  context.on('console', (message) => {
    // A browser says so of every page that is answered with a fault.
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
