import { type Answer, read } from './answer.ts'

/** A browser at one origin that keeps cookies, and follows no redirect. */
export class Visitor {
  readonly #origin: string
  readonly cookies = new Map<string, string>()

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Opens a page. */
  open(url: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#fetch(url, { headers })
  }

  /** Sends a form from our own page, with each field as often as it has values. */
  send(
    url: string,
    fields: Readonly<Record<string, string | readonly string[]>>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const body = new URLSearchParams()
    for (const [name, value] of Object.entries(fields)) {
      for (const each of [value].flat()) body.append(name, each)
    }
    const ours = { origin: this.#origin, 'sec-fetch-site': 'same-origin', ...headers }
    return this.#fetch(url, { method: 'POST', headers: ours, body })
  }

  async #fetch(url: string, init: RequestInit & { headers: Record<string, string> }) {
    const cookie = [...this.cookies].map((it) => it.join('=')).join('; ')
    const headers = { accept: 'text/html', ...init.headers, ...(cookie && { cookie }) }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/max-age=0/i.test(set)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return read(response)
  }
}
