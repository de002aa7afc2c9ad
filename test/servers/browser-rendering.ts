import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import * as z from 'zod'

/** A server that answers like Cloudflare's Browser Run, with a browser on this machine. */
export interface BrowserRendering {
  /** The base of its API, which is https://api.cloudflare.com/client/v4 at Cloudflare. */
  readonly url: string
  readonly account: string
  readonly token: string
  /** The requests, and their statuses. */
  readonly answers: readonly { readonly status: number; readonly url: string | undefined }[]
  /** The pages whose client left before the answer. */
  readonly left: readonly (string | undefined)[]
  close(): Promise<void>
}

/** Its settings, which can change while it runs. */
export interface Rules {
  /** Milliseconds between two requests: a paid plan allows ten a second, a free plan one every ten seconds. */
  everyMs: number
  /** Answers a request instead of the service, like a fault of the service. */
  fault?: ((response: ServerResponse) => void) | undefined
}

const ACCOUNT = '023e105f4ecef8ad9ca31a8372d0c353'
const TOKEN = 'Sn3lZJTBX6kkg7OdcBUAxOO963GEIyGQqnFTOFYY'

/**
 * Starts one. Its paths, bodies and statuses are those of
 * https://developers.cloudflare.com/browser-run/quick-actions/ and its codes those of
 * https://developers.cloudflare.com/browser-run/reference/errors/
 *
 * @param browser The browser that opens the pages. Without it, every page gets a 503, as documented.
 */
export async function startBrowserRendering(
  browser: Browser | undefined,
  rules: Rules = { everyMs: 100 },
): Promise<BrowserRendering> {
  const answers: { status: number; url: string | undefined }[] = []
  const left: (string | undefined)[] = []
  let nextAt = 0

  const server = createServer(async (request, response) => {
    const [, account, action = ''] =
      /^\/client\/v4\/accounts\/([^/]+)\/browser-(?:run|rendering)\/(\w+)$/.exec(
        request.url ?? '',
      ) ?? []
    const { data, error } = schema.safeParse(parsed(await textOf(request)))
    const send = (status: number, body: object, headers: Record<string, string> = {}) => {
      answers.push({ status, url: data?.url })
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body))
    }
    const refuse = (status: number, code: number, message: string, headers = {}) =>
      send(status, { success: false, errors: [{ code, message }] }, headers)
    if (rules.fault) return rules.fault(response)
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      return refuse(401, 10_000, 'Authentication error')
    }
    if (account !== ACCOUNT || request.method !== 'POST' || !(action in actions)) {
      return refuse(
        404,
        7_003,
        `Could not route to ${request.url}, perhaps your object identifier is invalid?`,
      )
    }
    const wait = Math.min(nextAt - Date.now(), rules.everyMs)
    if (wait > 0) {
      const retry = String(Math.ceil(wait / 1_000))
      return refuse(429, 2_001, 'Rate limit exceeded', { 'retry-after': retry })
    }
    nextAt = Date.now() + rules.everyMs
    if (!data || !(data.url || data.html) || (action === 'scrape' && !data.elements)) {
      return refuse(400, 1_001, error?.message ?? 'Bad Request')
    }
    if (!browser)
      return refuse(503, 2_000, 'No browser available. Please try again in a few minutes.')
    const page = await browser.newPage()
    const began = performance.now()
    let gone = false
    response.on('close', () => {
      if (response.writableEnded) return
      gone = true
      left.push(data.url)
      void page.close()
    })
    try {
      await open(page, data)
      const result = await actions[action]!(page, data)
      const used = String(Math.round(performance.now() - began))
      send(200, { success: true, result }, { 'x-browser-ms-used': used })
    } catch (error) {
      if (!gone) refuse(422, ...codeOf(error as Error))
    } finally {
      await page.close()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/client/v4`,
    account: ACCOUNT,
    token: TOKEN,
    answers,
    left,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const schema = z.object({
  url: z.url().optional(),
  html: z.string().optional(),
  elements: z.array(z.object({ selector: z.string() })).optional(),
  gotoOptions: z
    .object({
      timeout: z.number().max(60_000).default(30_000),
      waitUntil: z
        .enum(['load', 'domcontentloaded', 'networkidle0', 'networkidle2'])
        .default('domcontentloaded'),
    })
    .prefault({}),
})

type Asked = z.infer<typeof schema>

async function open(page: Page, { url, html = '', gotoOptions }: Asked): Promise<void> {
  const { timeout, waitUntil } = gotoOptions
  const until = waitUntil.startsWith('networkidle')
    ? 'networkidle'
    : (waitUntil as 'load' | 'domcontentloaded')
  if (url) await page.goto(url, { timeout, waitUntil: until })
  else await page.setContent(html, { timeout, waitUntil: until })
}

const actions: Readonly<Record<string, (page: Page, asked: Asked) => Promise<unknown>>> = {
  content: (page) => page.content(),
  markdown: (page) => page.evaluate(markdownOf),
  scrape: (page, { elements = [] }) =>
    Promise.all(
      elements.map(async ({ selector }) => ({
        results: await page.$$eval(selector, scraped),
        selector,
      })),
    ),
}

// The code below runs in the page, whose types are not the types of Node.

const scraped = (found: readonly unknown[]) =>
  // biome-ignore lint/suspicious/noExplicitAny: an element of the page
  (found as any[]).map((it) => {
    const { height, left, top, width } = it.getBoundingClientRect()
    const attributes = [...it.attributes].map(({ name, value }) => ({ name, value }))
    return { attributes, height, html: it.innerHTML, left, text: it.innerText, top, width }
  })

function markdownOf(): string {
  // biome-ignore lint/suspicious/noExplicitAny: a node of the page
  const read = (node: any): string => {
    if (node.nodeType === 3) return node.data.replace(/\s+/g, ' ')
    const name = String(node.tagName ?? '').toLowerCase()
    if (['script', 'style', 'head', 'title'].includes(name)) return ''
    const inner = [...node.childNodes].map(read).join('')
    if (/^h[1-6]$/.test(name)) return `\n\n${'#'.repeat(Number(name[1]))} ${inner.trim()}\n\n`
    if (name === 'a') return `[${inner.trim()}](${node.href})`
    if (name === 'li') return `\n- ${inner.trim()}`
    return ['p', 'ul', 'ol', 'div', 'main'].includes(name) ? `\n\n${inner}\n\n` : inner
  }
  const { document } = globalThis as unknown as { document: { body: unknown } }
  return read(document.body)
    .replace(/ *\n */g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Chrome's errors, with Cloudflare's codes for them. */
const CODES: readonly (readonly [RegExp, number])[] = [
  [/ERR_CERT_/, 5_000],
  [/ERR_ADDRESS_UNREACHABLE/, 5_001],
  [/ERR_ABORTED|ERR_(CONNECTION_)?TIMED_OUT/, 5_002],
  [/ERR_TOO_MANY_REDIRECTS/, 5_003],
  [/ERR_HTTP2_PROTOCOL_ERROR/, 5_004],
  [/ERR_NAME_NOT_RESOLVED|ERR_DNS_TIMED_OUT/, 5_005],
  [/ERR_CONNECTION_(CLOSED|RESET)|ERR_TUNNEL_CONNECTION_FAILED/, 5_006],
  [/ERR_HTTP_RESPONSE_CODE_FAILURE/, 5_007],
  [/ERR_CONNECTION_REFUSED/, 5_008],
  [/ERR_INVALID_URL|ERR_BLOCKED_BY_ADMINISTRATOR|ERR_FILE/, 5_010],
  [/ERR_EMPTY_RESPONSE/, 5_011],
  [/net::/, 5_009],
  [/Timeout/, 6_002],
]

function codeOf({ message }: Error): [code: number, message: string] {
  const [, code = 2_000] = CODES.find(([said]) => said.test(message)) ?? []
  return [code, message]
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
