import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The paths of Chromium in common distributions. */
const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The advice if there is no Chromium. */
export const NO_CHROMIUM =
  'There is no Chromium here. Install it with: apt-get install chromium, or say where it is in the variable CHROMIUM.'

/** Starts the Chromium of this machine in headless mode. Returns undefined if there is none. */
export async function startChromium(): Promise<Browser | undefined> {
  const executablePath = [process.env.CHROMIUM ?? '', ...PATHS].find((it) => it && existsSync(it))
  if (!executablePath) return undefined
  // Its sandbox does not run as root.
  return chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 })
}

/** The same for tests. Without Chromium, it logs the reason, or throws if REQUIRE_ALL=1. */
export async function chromiumForTests(): Promise<Browser | undefined> {
  const browser = await startChromium()
  if (browser) return browser
  if (process.env.REQUIRE_ALL === '1') throw new Error(NO_CHROMIUM)
  console.warn(`Skipped for want of a browser: ${NO_CHROMIUM}`)
  return undefined
}
