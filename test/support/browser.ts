/** The actions of a person on a page: the fields they fill in, and the buttons they press. */
export interface Answers {
  /** By the name of the field. */
  readonly fields: Readonly<Record<string, string>>
  /** The values of the buttons to press, by the name of the button. */
  readonly buttons: Readonly<Record<string, string>>
}

interface Page {
  readonly url: URL
  readonly status: number
  readonly html: string
}

/** The maximum number of pages, which is more than any sign-in has. */
const MOST_PAGES = 12

/**
 * A simulated browser with a person. It keeps cookies, follows redirects, and sends the forms of a page
 * unchanged, including checkboxes and hidden fields.
 */
export class Browser {
  readonly #answers: Answers
  /** By origin. `__Host-` cookies are kept over http, like in browsers on localhost. */
  readonly #cookies = new Map<string, Map<string, string>>()
  /** Every page so far, in order. */
  readonly shown: Page[] = []

  constructor(answers: Answers) {
    this.#answers = answers
  }

  /** Opens a URL of a server, answers its pages, and returns the URL of the last redirect. */
  async leave(start: string): Promise<URL> {
    const { origin } = new URL(start)
    let request = new Request(start)
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const response = await this.#send(request)
      const location = response.headers.get('location')
      if (location !== null && response.status >= 300 && response.status < 400) {
        await response.body?.cancel()
        const next = new URL(location, request.url)
        if (next.origin !== origin) return next
        request = new Request(next)
        continue
      }
      const page = {
        url: new URL(request.url),
        status: response.status,
        html: await response.text(),
      }
      this.shown.push(page)
      request = this.#answer(page)
    }
    throw new Error(`The sign-in at ${start} does not end.`)
  }

  /** Opens a URL, and finally follows the redirect to the client. */
  async open(start: string): Promise<void> {
    const client = await this.leave(start)
    const response = await fetch(client, { redirect: 'manual' })
    await response.body?.cancel()
    if (response.status >= 400) throw new Error(`The client answers ${response.status}.`)
  }

  async #send(request: Request): Promise<Response> {
    const { origin } = new URL(request.url)
    const jar = this.#cookies.get(origin) ?? new Map<string, string>()
    this.#cookies.set(origin, jar)
    request.headers.set('accept', 'text/html,application/xhtml+xml,*/*;q=0.8')
    request.headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(request, { redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split(';')
      const [name = '', ...value] = pair.trim().split('=')
      if (attributes.some((it) => /^ *max-age=(0|-\d+) *$/i.test(it))) jar.delete(name)
      else jar.set(name, value.join('='))
    }
    return response
  }

  /** The request for the form of a page, filled in, with the button that this person would press. */
  #answer({ url, status, html }: Page): Request {
    const { fields, buttons } = this.#answers
    for (const form of elements(html, 'form')) {
      const body = new URLSearchParams()
      let answered = false
      for (const { at } of elements(form.inner, 'input')) {
        const { name, type = 'text', value } = at
        if (name === undefined || type === 'submit') continue
        const known = fields[name]
        if (known !== undefined) answered = true
        const ticked = type !== 'checkbox' && type !== 'radio' ? '' : 'checked' in at && 'on'
        if (ticked !== false) body.append(name, known ?? value ?? ticked)
      }
      for (const { at } of elements(form.inner, 'button')) {
        if (at.name === undefined || buttons[at.name] !== at.value) continue
        body.append(at.name, at.value ?? '')
        answered = true
      }
      if (!answered) continue
      const action = new URL(form.at.action ?? '', url)
      // Like a browser, which sends the origin of the page.
      return new Request(action, {
        method: 'POST',
        headers: { origin: url.origin, 'sec-fetch-site': 'same-origin' },
        body,
      })
    }
    throw new Error(`Nothing to answer at ${url.pathname}: ${status} ${textOf(html)}`)
  }
}

interface Element {
  readonly at: Readonly<Record<string, string>>
  readonly inner: string
}

/** The elements with this name, with their attributes. They are not nested. */
function elements(html: string, name: string): Element[] {
  const [, ...parts] = html.split(new RegExp(`<${name}\\b`, 'i'))
  return parts.map((part) => {
    const at: Record<string, string> = {}
    const attribute = /\s*([^\s=>/]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?|\s*(\/?>)/gy
    let end = 0
    for (const [whole, key, double, single, bare, closed] of part.matchAll(attribute)) {
      end += whole.length
      if (closed) break
      at[key!.toLowerCase()] = decode(double ?? single ?? bare ?? '')
    }
    const inner = part.slice(end).split(new RegExp(`</${name}>`, 'i'))[0] ?? ''
    return { at, inner }
  })
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

const decode = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) =>
    name === undefined
      ? String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
      : (NAMED[name] ?? whole),
  )

/** The visible text of a page. */
const textOf = (html: string): string =>
  decode(html.replace(/<(style|script)\b[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 1_000)
