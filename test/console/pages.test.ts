import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { faultsAnywhere, faultsOf } from '../support/axe.ts'
import { chromiumForTests } from '../support/chromium.ts'
import { giveKeyAlways } from '../support/operator.ts'
import { askApi, operated } from '../support/registry-api.ts'
import { startWorker } from '../support/worker.ts'
import { type ShownPage, shownPages, startDeployments } from './shown.ts'

const browser = await chromiumForTests()
afterAll(() => browser?.close())

describe.skipIf(!browser)('in a browser', () => {
  let deployments: Awaited<ReturnType<typeof startDeployments>>
  beforeAll(async () => {
    deployments = await startDeployments()
  })
  afterAll(() => deployments?.close())

  // One tab with script and one without, since opening a tab takes longer than showing a page.
  const tabs = new Map<string, Page>()
  async function tab(options: BrowserContextOptions) {
    const key = JSON.stringify(options)
    const open = tabs.get(key)
    if (open) return open
    const page = await (await browser!.newContext(options)).newPage()
    if (options.javaScriptEnabled === false) await giveKeyAlways(page)
    tabs.set(key, page)
    return page
  }

  /** Opens a page as a stranger, and returns it with everything in its console and its network requests. */
  async function visit(shown: ShownPage, options: BrowserContextOptions = {}) {
    const page = await tab(options)
    const said: string[] = []
    const asked: URL[] = []
    page.on('console', (message) => {
      // A browser logs a message for every page with an error status.
      if (message.location().url !== page.url() || !/ status of 4/.test(message.text())) {
        said.push(message.text())
      }
    })
    page.on('pageerror', (error) => said.push(error.message))
    page.on('request', (request) => asked.push(new URL(request.url())))
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.emulateMedia({ colorScheme: 'light' })
    const answer = await deployments.open(page, shown)
    return { page, said, asked, answer }
  }
  afterEach(async () => {
    for (const page of tabs.values()) {
      page.removeAllListeners()
      await page.context().clearCookies()
      await page.goto('about:blank')
    }
  })

  describe.each(shownPages)('the page $name', (shown) => {
    test('has no accessibility or color faults in any theme and width', async () => {
      const { page, said, asked, answer } = await visit(shown)
      expect(answer.status()).toBe(shown.status ?? 200)
      expect(answer.headers()['content-security-policy']).toContain("default-src 'none'")
      await expect.poll(() => page.locator('h1').textContent(), PATIENCE).toMatch(shown.heading)
      expect(await faultsAnywhere(page)).toEqual([])
      // A tab that is not selected is hidden, and so was not checked.
      for (const label of await page.locator('.tabs > label').all()) {
        await label.click()
        expect([await label.textContent(), await faultsOf(page)]).toEqual([expect.anything(), []])
      }
      expect(said).toEqual([])
      const { origin } = new URL(page.url())
      expect(asked.filter((it) => it.origin !== origin)).toEqual([])
    })

    test('works without script', async () => {
      const { page, said } = await visit(shown, { javaScriptEnabled: false })
      const heading = page.locator('h1')
      // Waiting lets the page that asks for the admin key be filled in, but reading text does not.
      const seen = () => heading.waitFor().then(() => heading.textContent())
      await expect.poll(seen, PATIENCE).toMatch(shown.heading)
      for (const label of await page.locator('.tabs > label').all()) {
        await label.click()
        const panel = page.locator(`#${await label.getAttribute('for')} + label + .tab`)
        expect(await panel.isVisible()).toBe(true)
      }
      for (const button of await page.locator('[data-copy]').all()) {
        expect(await button.isVisible()).toBe(false)
      }
      expect(said).toEqual([])
    })
  })

  test('a button copies its text, and says so', async () => {
    const { page } = await visit(shownPages[0]!, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const button = page.getByRole('button', { name: 'Copy the URL' }).first()
    await button.click()
    await expect.poll(() => button.textContent(), PATIENCE).toBe('Copied')
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toBe(await page.locator('#url').textContent())
    await expect.poll(() => button.textContent(), PATIENCE).toBe('Copy')
  })
})

describe.skipIf(!browser)('the first-run page', () => {
  const shop = {
    name: 'shop',
    title: 'Shop',
    databases: { shop: { url: 'postgres://a:b@127.0.0.1/x' } },
  }

  /** A deployment's page, and how often it requests its state. Its clock runs only on command. */
  async function watched(secrets: Record<string, string>) {
    const worker = await startWorker(secrets)
    const page = await browser!.newPage()
    await page.clock.install()
    let asks = 0
    page.on('request', (it) => {
      if (it.url().includes('format=json')) asks++
    })
    await page.goto(`${worker.url}/setup`)
    return {
      page,
      asks: () => asks,
      addDatabase: () => askApi(worker, 'POST', '/api/endpoints', shop),
      async textAfterAWhile(selector: string) {
        await page.clock.runFor(3_000)
        return page.locator(selector).textContent()
      },
      async close() {
        await page.close()
        await worker.close()
      },
    }
  }

  test('ticks off a step without a reload, and changes nothing else', async () => {
    const { page, addDatabase, textAfterAWhile, close } = await watched(operated)
    await page.evaluate('globalThis.isKept = true')
    await page.locator('label[for=signIn-0]').click()
    await page.locator('[data-step=database] button:visible').focus()
    expect(await page.locator('[aria-current=step]').getAttribute('data-step')).toBe('signIn')
    expect((await addDatabase()).status).toBe(201)
    await expect.poll(() => textAfterAWhile('h1'), PATIENCE).toContain('One step left')
    expect(await page.locator('[data-step=database]').getAttribute('class')).toBe('done')
    expect(await page.locator('#looking').textContent()).toBe('A database (done)')
    expect(await page.locator(':focus').textContent()).toBe('A database (done)')
    expect(await page.locator('#signIn-0').isChecked()).toBe(true)
    expect(await page.evaluate('globalThis.isKept')).toBe(true)
    await close()
  })

  test('says in the end that everything is set, and stops polling', async () => {
    const passphrase = { TIDEGATE_PASSPHRASE: 'a heron waits where slow water turns' }
    const all = await watched({ ...operated, ...passphrase })
    const { page, asks, addDatabase, textAfterAWhile, close } = all
    expect((await addDatabase()).status).toBe(201)
    await expect.poll(() => textAfterAWhile('h1'), PATIENCE).toBe('Everything is set')
    const before = asks()
    await page.clock.runFor(60_000)
    expect(asks()).toBe(before)
    await close()
  })

  test('stops polling while it is hidden, and resumes when it is shown', async () => {
    const { page, asks, close } = await watched({})
    const setHidden = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
    const before = asks()
    await setHidden(true)
    await page.clock.runFor(60_000)
    expect(asks()).toBe(before)
    await setHidden(false)
    await expect.poll(asks, PATIENCE).toBe(before + 1)
    await close()
  })
})

/** A busy machine is not a reason to fail. */
const PATIENCE = { timeout: 60_000 }
