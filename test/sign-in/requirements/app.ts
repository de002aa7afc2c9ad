import { createHash, randomBytes } from 'node:crypto'
import { type Answer, read } from './answer.ts'
import { type Host, PASSPHRASE } from './host.ts'
import { Visitor } from './visitor.ts'

/** Where an app on this machine waits for its answer. Nobody listens there: tests read the redirect. */
export const CALLBACK = 'http://127.0.0.1:4711/callback'

/** An app that registered itself. */
export interface App {
  readonly client_id: string
  readonly client_secret?: string
  readonly redirect_uris: readonly string[]
}

/** A question to the authorization endpoint, and the verifier that goes with it. */
export interface Question {
  readonly url: string
  readonly verifier: string
}

/** What somebody ticks and presses on the page of consent. */
export interface Decision {
  readonly endpoints?: readonly string[]
  readonly scopes?: readonly string[]
  readonly decision?: string
}

/** Asks the registration endpoint (RFC 7591, section 3.1). */
export async function askToRegister({ server }: Host, metadata: unknown): Promise<Answer> {
  return read(
    await fetch(server.registration_endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
    }),
  )
}

/** Registers a public app, unless its metadata says otherwise. */
export async function register(host: Host, more: object = {}): Promise<App> {
  const answer = await askToRegister(host, {
    client_name: 'An app of the tests',
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
    ...more,
  })
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
  return answer.json()
}

/** What an app asks the authorization endpoint. A parameter that is undefined is left out. */
export function question(
  host: Host,
  app: App,
  more: Readonly<Record<string, string | undefined>> = {},
): Question {
  const verifier = randomBytes(32).toString('base64url')
  const asked = {
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: app.redirect_uris[0],
    state: 'the state of the app',
    scope: 'db:read offline_access',
    resource: host.endpoint('shop'),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  }
  const url = new URL(host.server.authorization_endpoint)
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return { url: url.href, verifier }
}

/** Somebody with a browser who signed in. */
export async function person(host: Host): Promise<Visitor> {
  const visitor = new Visitor(host.url)
  const { url } = question(host, await register(host))
  const { status } = await visitor.send(url, { passphrase: PASSPHRASE })
  if (status !== 303) throw new Error(`The sign-in answers ${status}.`)
  return visitor
}

/** Decides on the page of consent. The answer is what the browser gets. */
export async function decide(
  visitor: Visitor,
  { url }: Question,
  { endpoints = ['shop'], scopes = ['db:read'], decision = 'allow' }: Decision = {},
): Promise<Answer> {
  const shown = await visitor.open(url)
  if (shown.status !== 200) throw new Error(`No question: ${shown.status} ${shown.text}`)
  const handle = /name="handle" value="([^"]*)"/.exec(shown.text)?.[1] ?? ''
  return visitor.send(url, { handle, endpoint: endpoints, scope: scopes, decision })
}

/** Where an answer sends the browser: to the app, with these parameters. */
export function sentBack({ status, headers, text }: Answer): URLSearchParams {
  const location = headers.get('location')
  if (!location?.startsWith(CALLBACK)) {
    throw new Error(`Not sent to the app: ${status} ${location} ${text}`)
  }
  return new URL(location).searchParams
}

/** Asks the token endpoint. */
export async function askForTokens(
  { server }: Host,
  form: Readonly<Record<string, string | undefined>>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value)
  return read(await fetch(server.token_endpoint, { method: 'POST', headers, body }))
}

/** What an app sends for a code. */
export const redeeming = (
  app: App,
  { verifier }: Question,
  code: string | null,
  resource: string,
) => ({
  grant_type: 'authorization_code',
  client_id: app.client_id,
  client_secret: app.client_secret,
  redirect_uri: app.redirect_uris[0],
  resource,
  code: code ?? undefined,
  code_verifier: verifier,
})

/** A code that was just given, and all that an app needs to redeem it. */
export async function codeFor(
  host: Host,
  visitor: Visitor,
  app: App,
  decision: Decision = {},
  resource = host.endpoint('shop'),
) {
  const asked = question(host, app, { resource })
  const code = sentBack(await decide(visitor, asked, decision)).get('code')
  return { code: code!, form: redeeming(app, asked, code, resource) }
}

/** The tokens of a sign-in from its beginning. */
export async function tokensFor(
  host: Host,
  visitor: Visitor,
  app: App,
  decision: Decision = {},
  resource = host.endpoint('shop'),
) {
  const { form } = await codeFor(host, visitor, app, decision, resource)
  const answer = await askForTokens(host, form)
  if (answer.status !== 200) throw new Error(`No tokens: ${answer.status} ${answer.text}`)
  return answer.json() as {
    readonly access_token: string
    readonly refresh_token: string
    readonly scope: string
    readonly expires_in: number
  }
}
