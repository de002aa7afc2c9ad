import { createHash, randomBytes } from 'node:crypto'
import { cameFrom } from './came-from.ts'

/** A response that a browser gets. */
export interface Shown {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The visible text, without tags and styles. */
  readonly words: string
  /** The URL of the redirect. */
  readonly location: string | null
  /** The error reference on the page. */
  readonly reference: string | undefined
}

/** A simulated browser at one origin. It keeps cookies, and does not follow redirects. */
export class Visitor {
  readonly origin: string
  readonly cookies = new Map<string, string>()
  /** The proof that the Console stores for its own port when a person signs in. */
  proof: string | undefined
  /** Headers that it sends with every request. */
  readonly headers: Record<string, string>

  constructor(origin: string, headers: Record<string, string> = {}) {
    this.origin = origin
    this.headers = headers
  }

  open(url: string, headers: Record<string, string> = {}): Promise<Shown> {
    return this.#fetch(url, { headers })
  }

  /** Sends a form of a page at this URL, like a current browser. */
  send(
    url: string,
    fields: Readonly<Record<string, string | readonly string[]>>,
    headers: Record<string, string> = { origin: this.origin, 'sec-fetch-site': 'same-origin' },
  ): Promise<Shown> {
    const body = new URLSearchParams(this.proof && { proof: this.proof })
    for (const [name, value] of Object.entries(fields)) {
      for (const each of [value].flat()) body.append(name, each)
    }
    return this.#fetch(url, { method: 'POST', headers, body })
  }

  async #fetch(url: string, init: RequestInit & { headers: Record<string, string> }) {
    const cookie = [...this.cookies].map((it) => it.join('=')).join('; ')
    const headers = {
      accept: 'text/html',
      ...this.headers,
      ...init.headers,
      ...(cookie && { cookie }),
    }
    const response = await fetch(new URL(url, this.origin), {
      ...init,
      headers,
      redirect: 'manual',
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/max-age=0/i.test(set)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    const { status } = response
    const text = await response.text()
    const words = wordsOf(text)
    const reference = /Reference ([A-Za-z0-9]{8})\b/.exec(words)?.[1]
    const [location = null, proof] = response.headers.get('location')?.split('#proof=') ?? []
    this.proof = proof ?? this.proof
    return { status, headers: response.headers, text, words, location, reference }
  }
}

/** The visible text of a page, in one line. */
const wordsOf = (text: string): string =>
  text
    .replace(/<style[^>]*>[^<]*<\/style>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')

/** The value of a form field. */
export const fieldOf = ({ text }: Shown, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`)
    .exec(text)?.[1]
    ?.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))) ?? ''

/** The redirect URL of an app on this machine. Nothing listens there, because tests read the redirect. */
export const CALLBACK = 'http://127.0.0.1:4711/callback'

let networks = 0

/** Registers an app, and returns the path of its authorization request. */
export async function questionOf(
  origin: string,
  {
    metadata,
    path = '/mcp',
    ...more
  }: {
    metadata?: object
    path?: string
    prompt?: string
    redirect_uri?: string
    client_id?: string
    code_challenge?: string
  } = {},
): Promise<string> {
  const registered = await fetch(`${origin}/register`, {
    method: 'POST',
    // Each network can register only a limited number of apps in an hour.
    headers: { 'content-type': 'application/json', ...cameFrom(`10.0.0.${++networks}`) },
    body: JSON.stringify({
      client_name: 'An app',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
      ...metadata,
    }),
  })
  if (registered.status !== 201) throw new Error(`${registered.status} ${await registered.text()}`)
  const app = (await registered.json()) as { client_id: string; redirect_uris: string[] }
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: app.redirect_uris[0]!,
    code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'the state',
    scope: 'db:read',
    resource: `${origin}${path}`,
    ...more,
  })
  return `/authorize?${query}`
}
