import { createHash, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
// @ts-expect-error: plain JavaScript
import { bundle } from '../../../bench/build.mjs'
// @ts-expect-error: plain JavaScript
import { configure, start } from '../../../bench/workerd.mjs'
import { targetOf } from '../../support/plain-worker.ts'
import { REGISTRY_WORKER } from '../../support/registry-rows.ts'

export const PASSPHRASE = 'seven otters guard the quiet harbour'
export const OPERATOR_KEY = 'key-of-the-operator-0123456789abcdef'
export const CALLBACK = 'http://127.0.0.1:9999/callback'

const databases = { demo: { url: 'demo:' } }

/** Two endpoints that need a sign-in, and a public endpoint. */
export const VARS = {
  TIDEGATE_KEY: OPERATOR_KEY,
  TIDEGATE_SECRET: 'fL9w0Q2cXv7yR4tB8nM1kZ5sD3gH6jPa',
  TIDEGATE_PASSPHRASE: PASSPHRASE,
  LEGACY_SSE: '1',
  ENDPOINTS: JSON.stringify([
    {
      ...{ name: 'shop', title: 'Shop', databases },
      search: [{ table: 'products', title: 'name', text: ['name'] }],
    },
    { name: 'books', title: 'Books', databases },
    { name: 'open', title: 'Open', access: 'public', databases },
  ]),
}

/** A request as an attacker writes it. */
export interface Asked {
  readonly host?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>> | URLSearchParams | undefined
  readonly json?: unknown
  readonly body?: string
  /** Sends the body in chunks, without its length. */
  readonly chunked?: boolean
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: attacks look at responses of every shape
  readonly json: any
}

/** A deployment with a sign-in in plain workerd, which reads exactly what an attacker writes. */
export interface Scene {
  readonly port: number
  readonly origin: string
  log(): string
  send(
    head: readonly string[],
    body?: string,
  ): Promise<{ status: number; head: string; body: string }>
  ask(method: string, path: string, asked?: Asked): Promise<Answer>
  /** Asks an endpoint for its tools. */
  tools(token: string | undefined, path?: string, asked?: Asked): Promise<Answer>
  stop(): Promise<void>
}

/** Starts a scene. Its requests to the outside go to the address `internet`, if given. */
export async function startScene(
  vars: Readonly<Record<string, string>> = {},
  internet?: string,
): Promise<Scene> {
  const target = { ...targetOf({ ...VARS, ...vars }, REGISTRY_WORKER), internet }
  const { port, log, stop } = await start(configure(target, await bundle(target)))

  const send = (head: readonly string[], body = '', chunked = false) =>
    new Promise<{ status: number; head: string; body: string }>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.setEncoding('utf8')
      socket.on('data', (chunk) => {
        text += chunk
        if (text.includes('event: endpoint')) socket.destroy()
      })
      // A server that has responded may stop reading.
      socket.on('error', (error) => (text ? undefined : reject(error)))
      socket.on('close', () => {
        const [top = '', ...rest] = text.split('\r\n\r\n')
        const isChunked = /^transfer-encoding: chunked/im.test(top)
        const raw = rest.join('\r\n\r\n')
        const read = isChunked ? unchunked(raw) : raw
        resolve({ status: Number(top.split(' ')[1]), head: top, body: read })
      })
      const length = chunked
        ? 'Transfer-Encoding: chunked'
        : `Content-Length: ${Buffer.byteLength(body)}`
      const top = `${[...head, length, 'Connection: close'].join('\r\n')}\r\n\r\n`
      const size = Buffer.byteLength(body).toString(16)
      socket.write(chunked ? `${top}${size}\r\n${body}\r\n0\r\n\r\n` : top + body)
    })

  const ask: Scene['ask'] = async (method, path, asked = {}) => {
    const { host = `127.0.0.1:${port}`, form, json, chunked } = asked
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
    const headers: Record<string, string> = { 'content-type': type, ...asked.headers }
    const body =
      asked.body ??
      (form ? new URLSearchParams(form).toString() : json === undefined ? '' : JSON.stringify(json))
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const answer = await send(
      [`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...lines],
      body,
      chunked,
    )
    const [, ...fields] = answer.head.split('\r\n')
    const read = new Headers(
      fields.map((it) => [it.slice(0, it.indexOf(':')), it.slice(it.indexOf(':') + 1).trim()]),
    )
    return {
      status: answer.status,
      headers: read,
      text: answer.body,
      get json() {
        return JSON.parse(answer.body)
      },
    }
  }

  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    log,
    send,
    ask,
    tools: (token, path = '/mcp', { headers, ...asked } = {}) =>
      ask('POST', path, {
        json: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        headers: {
          accept: 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...asked,
      }),
    stop,
  }
}

function unchunked(text: string): string {
  const end = text.indexOf('\r\n')
  const size = Number.parseInt(text.slice(0, end), 16)
  if (end < 0 || !size) return ''
  // Sliced by bytes, since chunk sizes are in bytes.
  const rest = Buffer.from(text.slice(end + 2))
  return rest.subarray(0, size).toString() + unchunked(rest.subarray(size + 2).toString())
}

/** An app that registered itself. */
export interface App {
  readonly client_id: string
  readonly client_secret?: string
  readonly redirect_uris: readonly string[]
}

/** Registers an app. */
export async function register(scene: Scene, metadata: object = {}, host?: string): Promise<App> {
  const { status, text, json } = await scene.ask('POST', '/register', {
    ...(host !== undefined && { host }),
    json: {
      client_name: 'An app',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
      ...metadata,
    },
  })
  if (status !== 201) throw new Error(`${status} ${text}`)
  return json
}

/** An app's authorization request to a person. */
export interface Question {
  readonly path: string
  readonly verifier: string
  readonly redirectUri: string
}

/** An app's authorization request. A parameter that is `undefined` is left out. */
export function question(
  app: Pick<App, 'client_id' | 'redirect_uris'>,
  more: Readonly<Record<string, string | undefined>> = {},
): Question {
  const verifier = randomBytes(32).toString('base64url')
  const parameters = {
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: app.redirect_uris[0]!,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'the state of the app',
    scope: 'db:read',
    ...more,
  }
  const given = Object.entries(parameters).filter(([, it]) => it !== undefined) as [
    string,
    string,
  ][]
  const path = `/authorize?${new URLSearchParams(given)}`
  return { path, verifier, redirectUri: parameters.redirect_uri }
}

/** A person's browser. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #scene: Scene
  readonly #host: string | undefined

  constructor(scene: Scene, host?: string) {
    this.#scene = scene
    this.#host = host
  }

  async ask(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie && { cookie }), accept: 'text/html', ...asked.headers }
    const host = this.#host === undefined ? {} : { host: this.#host }
    const answer = await this.#scene.ask(method, path, { ...host, ...asked, headers })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      this.cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    return answer
  }

  /** Sends a form as a browser does from a page on this site. */
  post(path: string, form: Asked['form'], headers: Readonly<Record<string, string>> = {}) {
    const origin = `http://${this.#host ?? `127.0.0.1:${this.#scene.port}`}`
    return this.ask('POST', path, {
      form,
      headers: { origin, 'sec-fetch-site': 'same-origin', ...headers },
    })
  }
}

/** The browser of a person who signed in with the passphrase or a code. */
export async function person(
  scene: Scene,
  host?: string,
  passphrase = PASSPHRASE,
): Promise<Browser> {
  const browser = new Browser(scene, host)
  const { path } = question(await register(scene, {}, host))
  const form = hiddenIn(await browser.ask('GET', path))
  form.set('passphrase', passphrase)
  const { status, text } = await browser.post(path, form)
  if (status !== 303) throw new Error(`${status} ${text}`)
  return browser
}

/** The hidden fields in a page's forms. */
export function hiddenIn({ text }: Answer): URLSearchParams {
  const form = new URLSearchParams()
  for (const [field] of text.matchAll(/<input[^>]*>/g)) {
    const [, name] = /\bname="([^"]*)"/.exec(field) ?? []
    const [, value = ''] = /\bvalue="([^"]*)"/.exec(field) ?? []
    if (name && /\btype="hidden"/.test(field) && !form.has(name)) form.set(name, value)
  }
  return form
}

/** The handle on a page that asks for a decision, or an empty string on another page. */
export const handleIn = (page: Answer): string => hiddenIn(page).get('handle') ?? ''

/** The boxes that a person ticks. */
export interface Ticks {
  readonly endpoints?: readonly string[]
  readonly scopes?: readonly string[]
  readonly decision?: string
}

/** The form on a page that asks for a decision, as the person sends it. */
export function formOf(page: Answer, ticks: Ticks = {}): URLSearchParams {
  const { endpoints = ['shop'], scopes = ['db:read'], decision = 'allow' } = ticks
  const form = hiddenIn(page)
  form.set('decision', decision)
  // A person can untick the preselected boxes.
  for (const name of ['endpoint', 'scope']) form.delete(name)
  for (const it of endpoints) form.append('endpoint', it)
  for (const it of scopes) form.append('scope', it)
  return form
}

/** Lets a signed-in person decide on a request. */
export async function decide(browser: Browser, { path }: Question, ticks?: Ticks): Promise<Answer> {
  return browser.post(path, formOf(await browser.ask('GET', path), ticks))
}

/** The parameters that the browser brings to the app. */
export function broughtBack({ status, headers, text }: Answer): URLSearchParams {
  const location = headers.get('location')
  if (!location) throw new Error(`${status} ${text}`)
  return new URL(location).searchParams
}

/** A code for a request, from a person who allows it. */
export async function codeFor(browser: Browser, asked: Question, ticks?: Ticks): Promise<string> {
  const brought = broughtBack(await decide(browser, asked, ticks))
  const code = brought.get('code')
  if (!code) throw new Error(`${brought}`)
  return code
}

/** Exchanges a code. A parameter that is `undefined` is left out. */
export function exchange(
  scene: Scene,
  app: App,
  { verifier, redirectUri }: Question,
  code: string,
  more: Readonly<Record<string, string | undefined>> = {},
  asked: Asked = {},
): Promise<Answer> {
  const parameters = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: app.client_id,
    redirect_uri: redirectUri,
    ...more,
  }
  const given = Object.entries(parameters).filter(([, it]) => it !== undefined) as [
    string,
    string,
  ][]
  return scene.ask('POST', '/token', { form: new URLSearchParams(given), ...asked })
}

export const refresh = (
  scene: Scene,
  app: Pick<App, 'client_id'>,
  refreshToken: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  scene.ask('POST', '/token', {
    form: {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: app.client_id,
      ...more,
    },
  })

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
}

/** The tokens of an app that a person allowed. */
export async function tokens(
  scene: Scene,
  browser: Browser,
  app: App,
  ticks?: Ticks,
  more: Readonly<Record<string, string | undefined>> = {},
  host?: string,
): Promise<Tokens> {
  const asked = question(app, more)
  const code = await codeFor(browser, asked, ticks)
  const resource = more.resource
  const answer = await exchange(scene, app, asked, code, { resource }, host ? { host } : {})
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return answer.json
}
