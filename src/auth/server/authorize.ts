import type { AuthRequest } from '@cloudflare/workers-oauth-provider'
import { consentPage } from '../pages/consent.ts'
import { errorPage } from '../pages/error.ts'
import { signInPage } from '../pages/sign-in.ts'
import type { SignInEnv } from '../settings.ts'
import { knowsPassphrase } from '../sign-in/passphrase.ts'
import { type Props, SignInFault, userIdOf } from '../sign-in/person.ts'
import { isAtItsAddress } from './client-document.ts'
import type { Codes } from './codes.ts'
import { errorDescription } from './error-description.ts'
import type { GrantMetadata } from './grants.ts'
import { type Library, libraryFor } from './library.ts'
import type { FindOffers } from './offers.ts'
import { isPlain } from './redirect-uri.ts'
import { readResource } from './resource-parameter.ts'
import type { Session, Sessions } from './sessions.ts'
import type { Store } from './store.ts'

interface Surroundings {
  readonly store: Store
  readonly env: SignInEnv
  readonly offers: FindOffers
  readonly codes: Codes
  readonly sessions: Sessions
}

/** The authorization endpoint (RFC 6749, section 3.1): a person signs in, and decides what an app may do. */
export class Authorize {
  readonly #around: Surroundings

  constructor(around: Surroundings) {
    this.#around = around
  }

  async fetch(request: Request): Promise<Response> {
    const { method } = request
    if (method !== 'GET' && method !== 'POST') {
      return errorPage(405, 'This page is opened by a browser.', { allow: 'GET, POST' })
    }
    try {
      const session = await this.#around.sessions.of(request)
      if (method === 'GET') return session ? await this.#ask(request, session) : signInPage({})
      const form = await request.formData()
      if (form.has('passphrase')) return await this.#signIn(request, form)
      // It ended while the page was open.
      if (!session) return signInPage({})
      return await this.#decide(request, form, session)
    } catch (error) {
      return await refusal(error)
    }
  }

  /** Signs a person in, and shows them the same question again. */
  async #signIn({ url }: Request, form: FormData): Promise<Response> {
    const { env, codes, sessions } = this.#around
    const shown = String(form.get('passphrase'))
    const person = await codes.take(shown)
    const known = person !== undefined || (await knowsPassphrase(shown, env))
    if (!known) return signInPage({ fault: 'That is not the passphrase, nor a code.' })
    const name = person ?? 'passphrase'
    const session = { person: { id: `passphrase ${name}`, name, groups: [] }, isForeign: false }
    const headers = { 'set-cookie': await sessions.begin(session), location: url }
    return new Response(null, { status: 303, headers })
  }

  /** Asks a person what the app may do. */
  async #ask({ url }: Request, { person, isForeign }: Session): Promise<Response> {
    const asked = new URL(url)
    const name = readResource(asked.searchParams, asked.origin)
    const api = await this.#api(asked.origin, name)
    const request = await readRequest(api, new Request(asked))
    const details = await api.describeConsent(request)
    const { handle, headers } = await api.beginConsent(request)
    const offered = await this.#around.offers(person, isForeign, name)
    return consentPage({ ...details, ...offered, handle, person: person.name }, headers)
  }

  /** Sends the decision to the app. */
  async #decide(request: Request, form: FormData, session: Session): Promise<Response> {
    const { origin, searchParams } = new URL(request.url)
    const name = readResource(searchParams, origin)
    const api = await this.#api(origin, name)
    const handle = String(form.get('handle'))
    if (form.get('decision') !== 'allow') {
      return seeOther((await api.denyConsent(request, handle)).headers)
    }
    const ticked = (field: string) => form.getAll(field).map(String)
    const { person, isForeign } = session
    const { offers } = await this.#around.offers(person, isForeign, name)
    const endpoints = ticked('endpoint').filter((it) => offers.some((offer) => offer.name === it))
    const approved = await api.approveConsent(request, handle, { scope: ticked('scope') })
    const { clientName, clientDomain } = await api.describeConsent(approved.request)
    const metadata: GrantMetadata = {
      person,
      client: clientName,
      ...(clientDomain !== undefined && { clientDomain }),
      endpoints,
    }
    const { redirectTo } = await api.completeAuthorization({
      request: approved.request,
      scope: approved.request.scope,
      userId: await userIdOf(person),
      metadata,
      props: { person, endpoints, isForeign } satisfies Props,
      // People who share a passphrase, and one person in two windows, would end each other's.
      revokeExistingGrants: false,
    })
    approved.headers.set('location', redirectTo)
    return seeOther(approved.headers)
  }

  async #api(origin: string, name: string | undefined) {
    const library = await libraryFor(origin, name, this.#around.env)
    return library.getOAuthApi({ OAUTH_KV: this.#around.store })
  }
}

/** What an app asks, as the library reads it; and by rules of ours, that it leaves out for some apps. */
async function readRequest(api: Api, asked: Request): Promise<AuthRequest> {
  const { AuthorizationError, CimdFetchError } = await import('@cloudflare/workers-oauth-provider')
  const { searchParams } = new URL(asked.url)
  const redirectUri = searchParams.get('redirect_uri') ?? ''
  // Pages: until the client and its redirect URI are known, nobody is sent to it.
  if (!isPlain(redirectUri)) {
    const description =
      'This app wants its answer at an address that it did not register. Add it again.'
    throw new AuthorizationError('invalid_request', { description })
  }
  const clientId = searchParams.get('client_id') ?? ''
  if (!(await isAtItsAddress(clientId))) throw new CimdFetchError(clientId, 'not at its address')
  const request = await api.parseAuthRequest(asked)
  if (request.codeChallenge) return request
  // Apps with a secret need one, too (OAuth 2.1).
  const description = 'A code_challenge is required, with the code_challenge_method S256.'
  const { state, issuer = '' } = request
  throw new AuthorizationError('invalid_request', { description, redirectUri, state, issuer })
}

type Api = ReturnType<Library['getOAuthApi']>

const seeOther = (headers: Headers): Response => new Response(null, { status: 303, headers })

/** An error goes to the app only once it is known that it is the app: the library says where to. */
async function refusal(error: unknown): Promise<Response> {
  const { AuthorizationError, CimdFetchError } = await import('@cloudflare/workers-oauth-provider')
  if (error instanceof AuthorizationError) {
    const description = errorDescription(error.description)
    if (!error.redirectTo) return errorPage(400, description)
    const app = new URL(error.redirectTo)
    app.searchParams.set('error_description', description)
    return Response.redirect(app.href, 303)
  }
  if (error instanceof CimdFetchError) {
    return errorPage(
      400,
      'The app that asks could not be verified: its metadata document cannot be read.',
    )
  }
  if (error instanceof SignInFault) return errorPage(403, error.message)
  throw error
}
