import { createHash, randomBytes } from 'node:crypto'
import { type Answer, read } from './answer.ts'
import { type Host, PASSPHRASE } from './host.ts'
import { Visitor } from './visitor.ts'

/** The callback of an app on this machine. Nothing listens there, since tests read the redirect. */
export const CALLBACK = 'http://127.0.0.1:4711/callback'

/** An app that registered itself. */
export interface App {
  readonly client_id: string
  readonly client_secret?: string
  readonly redirect_uris: readonly string[]
}

/** A request to the authorization endpoint, and the verifier that goes with it. */
export interface Question {
  readonly url: string
  readonly verifier: string
}

/** The boxes and the button that a person chooses on the consent page. */
export interface Decision {
  readonly endpoints?: readonly string[]
  readonly scopes?: readonly string[]
  readonly decision?: string
}

/** Sends a request to the registration endpoint (RFC 7591, section 3.1). */
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

/** An app's request to the authorization endpoint. A parameter that is undefined is left out. */
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

/** A signed-in person with a browser. */
export async function person(host: Host): Promise<Visitor> {
  const visitor = new Visitor(host.url)
  const { url } = question(host, await register(host))
  const { status } = await visitor.send(url, { passphrase: PASSPHRASE })
  if (status !== 303) throw new Error(`The sign-in answers ${status}.`)
  return visitor
}

/** Submits a decision on the consent page, and returns the response that the browser gets. */
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

/** The parameters with which a response sends the browser to the app. */
export function sentBack({ status, headers, text }: Answer): URLSearchParams {
  const location = headers.get('location')
  if (!location?.startsWith(CALLBACK)) {
    throw new Error(`Not sent to the app: ${status} ${location} ${text}`)
  }
  return new URL(location).searchParams
}

/** Sends a request to the token endpoint. */
export async function askForTokens(
  { server }: Host,
  form: Readonly<Record<string, string | undefined>>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value)
  return read(await fetch(server.token_endpoint, { method: 'POST', headers, body }))
}

/** The form with which an app redeems a code. */
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

/** A new code, and the form with which an app redeems it. */
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

/** Signs in from the beginning, and returns the tokens. */
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
