import { ToolError } from 'tidegate/mcp'
import * as z from 'zod'
import { type Answer, ask, pause, secondsUntilNext, whenAgain } from './answer.ts'

export interface BrowserSettings {
  /** The URL of Cloudflare's API. */
  readonly CLOUDFLARE_API_URL: string
  readonly CLOUDFLARE_ACCOUNT_ID?: string
  /** Secret. Its permission: Browser Run, Edit. */
  readonly CLOUDFLARE_API_TOKEN?: string
}

const MAX_TEXT = 50_000
const MAX_VALUES = 100
const MAX_VALUE = 1_000

/** The longest time, in seconds, that a call waits for Cloudflare to open the next page. */
const LONGEST_WAIT = 15

/** Elements of a page, by CSS selector: their text or an attribute is extracted. */
export interface Wanted {
  readonly name: string
  readonly selector: string
  readonly attribute?: string | undefined
}

/** Cloudflare's browser. */
export const browser = (settings: BrowserSettings) => ({
  /** The text of a page, truncated if it is too long. */
  async read(url: string, format: 'markdown' | 'html', signal: AbortSignal) {
    const action = format === 'html' ? 'content' : 'markdown'
    const text = await render(settings, action, { url }, z.string(), signal)
    return { url, text: text.slice(0, MAX_TEXT), truncated: text.length > MAX_TEXT }
  },
  /** The values of elements in a page, in the requested order. */
  async extract(url: string, wanted: readonly Wanted[], signal: AbortSignal) {
    const elements = wanted.map(({ selector }) => ({ selector }))
    const scraped = await render(settings, 'scrape', { url, elements }, scrape, signal)
    const found = wanted.map(({ name, attribute }, i) => {
      const all = scraped[i]?.results ?? []
      const values = all.slice(0, MAX_VALUES).map(({ text, attributes }) => {
        const value = attribute ? attributes.find((it) => it.name === attribute)?.value : text
        return (value ?? '').trim().slice(0, MAX_VALUE)
      })
      return { name, count: all.length, values }
    })
    return { url, found }
  },
})

/** https://developers.cloudflare.com/browser-run/quick-actions/scrape-endpoint/ */
const scrape = z.array(
  z.object({
    results: z.array(
      z.object({
        text: z.string(),
        attributes: z.array(z.object({ name: z.string(), value: z.string() })),
      }),
    ),
  }),
)

/** Opens a page at Cloudflare: https://developers.cloudflare.com/browser-run/quick-actions/ */
async function render<T>(
  settings: BrowserSettings,
  action: 'content' | 'markdown' | 'scrape',
  asked: object,
  schema: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T> {
  const { CLOUDFLARE_API_URL, CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_TOKEN } = settings
  if (!CLOUDFLARE_ACCOUNT_ID || !CLOUDFLARE_API_TOKEN) {
    throw new ToolError('This server needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN.')
  }
  const account = encodeURIComponent(CLOUDFLARE_ACCOUNT_ID)
  const address = `${CLOUDFLARE_API_URL}/accounts/${account}/browser-run/${action}`
  const headers = {
    authorization: `Bearer ${CLOUDFLARE_API_TOKEN}`,
    'content-type': 'application/json',
  }
  // Scripts render many pages, so the page is read when they are done.
  const body = JSON.stringify({
    ...asked,
    gotoOptions: { waitUntil: 'networkidle2', timeout: 30_000 },
  })
  const send = () => ask("Cloudflare's browser", address, { headers, body }, signal)
  let answer = await send()
  // A free plan opens a page every ten seconds: that is worth a wait.
  const seconds = secondsUntilNext(answer)
  if (answer.status === 429 && seconds <= LONGEST_WAIT) {
    await pause(seconds, signal)
    answer = await send()
  }
  const { success, result, errors } = envelope.safeParse(answer.body).data ?? {}
  if (success && answer.status === 200) {
    const { data } = schema.safeParse(result)
    if (data !== undefined) return data
    throw new ToolError("Cloudflare's browser did not answer as it should.")
  }
  throw new ToolError(faultOf(answer, errors?.[0]?.code))
}

const envelope = z.object({
  success: z.boolean(),
  result: z.unknown().optional(),
  errors: z.array(z.object({ code: z.number() })).optional(),
})

/** The errors of a page, by the codes of https://developers.cloudflare.com/browser-run/reference/errors/ */
const PAGE_FAULTS: Readonly<Record<number, string>> = {
  5000: 'The certificate of this site is not valid.',
  5001: 'This site cannot be reached.',
  5002: 'The connection to this site was cut off, or took too long.',
  5003: 'This page redirects without end.',
  5005: 'There is no site with this name.',
  5006: 'This site closed the connection.',
  5007: 'This site answered with an error and without a page.',
  5008: 'This site refuses connections.',
  5010: "Cloudflare's browser does not open this address.",
  5011: 'This site answered with nothing.',
  6002: 'This page took too long.',
}

function faultOf(answer: Answer, code = 0): string {
  const { status } = answer
  if (PAGE_FAULTS[code]) return PAGE_FAULTS[code]
  if (status === 401 || status === 403) {
    return 'Cloudflare refuses the token. Its owner has to replace CLOUDFLARE_API_TOKEN with a token that may edit Browser Run.'
  }
  if (status === 429) return `Cloudflare does not open pages now. Call again ${whenAgain(answer)}.`
  if (status === 404) return 'Cloudflare does not know the account of CLOUDFLARE_ACCOUNT_ID.'
  if (status === 422) {
    return 'Cloudflare could not read this page: it took too long, it crashed, or a selector is not CSS.'
  }
  if (status >= 500) return "Cloudflare's browser has a fault. Call again in a minute."
  if (status < 300) return "Cloudflare's browser did not answer as it should."
  return `Cloudflare's browser refused (${status}).`
}
