import type { AuthRequest } from '@cloudflare/workers-oauth-provider'
import { clientNetwork } from '../../ground/index.ts'
import type { Offers } from '../offers.ts'
import { type Consent, consentPage } from '../pages/consent.ts'
import { shown } from '../pages/html.ts'
import { nothingToReadPage } from '../pages/nothing-to-read.ts'
import { notAllowedPage } from '../pages/sign-in.ts'
import { isAllowed } from '../sign-in/allow.ts'
import { type Person, type Props, SHARED_NAME, userIdOf } from '../sign-in/person.ts'
import { assertDocument } from './client-document.ts'
import { formToken } from './form.ts'
import type { GrantMetadata } from './grants.ts'
import { daysOf, type Library, libraryFor } from './library.ts'
import type { ServerParts } from './parts.ts'
import { AuthorizationFault, promptsIn } from './question.ts'
import { seeOther } from './redirect.ts'
import { isOnThisComputer, isPlain } from './redirect-uri.ts'
import { readResource } from './resource-parameter.ts'
import type { BrowserSession } from './sessions.ts'
import { isDocument } from './shown-client.ts'
import type { SignIn } from './sign-in.ts'

/** The authorization endpoint (RFC 6749, section 3.1): a signed-in person decides what an app may do. */
export class Authorize {
  readonly #parts: ServerParts
  readonly #signIn: SignIn

  constructor(parts: ServerParts, signIn: SignIn) {
    this.#parts = parts
    this.#signIn = signIn
  }

  /**
   * Shows the consent page once the person is signed in. Until then, the app's request is not parsed, except with
   * `prompt=none`.
   */
  async open(request: Request): Promise<Response> {
    const signIn = this.#signIn
    const { searchParams } = new URL(request.url)
    const prompts = promptsIn(searchParams)
    const session = await signIn.who(request)
    if (prompts.includes('none')) return this.#withoutAsking(request, session)
    const isAgain = prompts.includes('login') && !session?.isByAccess
    if (!session || isAgain) {
      await this.#assertKnown(searchParams.get('client_id') ?? '')
      return signIn.page(request)
    }
    return this.#ask(request, session)
  }

  /**
   * Rejects an unknown app before anybody types a passphrase for it. Metadata documents are not fetched for strangers.
   */
  async #assertKnown(clientId: string): Promise<void> {
    if (isDocument(clientId) || (await this.#parts.store.has(`client:${clientId}`))) return
    throw new AuthorizationFault(clientId ? 'client_unknown' : 'malformed')
  }

  /** Signs a person in, or sends their decision to the app. */
  async post(request: Request, form: URLSearchParams): Promise<Response> {
    const signIn = this.#signIn
    if (form.has('passphrase') || form.has('way')) return signIn.post(request, form)
    const session = await signIn.who(request)
    // The session can end while the page is open.
    return session ? this.#decide(request, form, session) : signIn.page(request)
  }

  async #ask(request: Request, session: BrowserSession, fault?: string): Promise<Response> {
    const { env, events } = this.#parts
    const { person } = session
    const { origin, search } = new URL(request.url)
    const { api, name, asking } = await this.#read(request)
    const question = search.slice(1)
    const found = await this.#offers(session, name)
    const { token, headers: cookies } = formToken(request)
    if (found.offers.length === 0 && !isAllowed(session, env)) {
      const reference = this.#noteRefused(person, request)
      return notAllowedPage(person.name, { token, headers: cookies, question, reference })
    }
    const details = await api.describeConsent(asking)
    const { handle, headers } = await api.beginConsent(asking)
    for (const [field, value] of Object.entries(cookies)) headers.append(field, value)
    const form = { token, headers, handle, person: person.name, question }
    if (offeredFor(name, found).length === 0) {
      const why = 'This person may not use the endpoint that the app asks for.'
      const client = shown(details.clientName)
      const reference = events.note({ kind: 'app refused', person: person.name, client, why })
      return nothingToReadPage({ ...form, origin, name, offers: found.offers, reference })
    }
    const as = await userIdOf(person)
    const endsInADay = session.isForeign && (await this.#parts.groupsCount())
    const lasts = { days: daysOf(env), endsInADay }
    const consent: Consent = { ...details, ...found, ...form, ...lasts, as, fault }
    return consentPage(consent)
  }

  async #decide(
    request: Request,
    form: URLSearchParams,
    session: BrowserSession,
  ): Promise<Response> {
    const { events } = this.#parts
    const { person, isForeign } = session
    const { api, name } = await this.#read(request)
    const handle = form.get('handle') ?? ''
    if (form.get('decision') !== 'allow') {
      const { headers } = await api.denyConsent(request, handle)
      events.note({ kind: 'app denied', person: person.name })
      return seeOther(headers.get('location')!, headers)
    }
    const as = form.get('as')
    if (as !== null && as !== (await userIdOf(person))) return this.#ask(request, session, OTHER)
    const offered = offeredFor(name, await this.#offers(session, name))
    const endpoints = offered.filter((it) => form.getAll('endpoint').includes(it))
    if (endpoints.length === 0) {
      return this.#ask(request, session, 'Nothing is ticked. Tick what it may read, or refuse.')
    }
    const approved = await api.approveConsent(request, handle, { scope: form.getAll('scope') })
    const { clientName, clientDomain } = await api.describeConsent(approved.request)
    const client = shown(clientName)
    const domain = clientDomain === undefined ? {} : { clientDomain }
    const metadata: GrantMetadata = { person, client, ...domain, endpoints }
    const userId = await userIdOf(person)
    const { redirectTo } = await api.completeAuthorization({
      request: approved.request,
      scope: approved.request.scope,
      userId,
      metadata,
      props: { person, endpoints, isForeign, since: Date.now() } satisfies Props,
      // Otherwise people who share a passphrase would end each other's grants, and so would two windows of one person.
      revokeExistingGrants: false,
    })
    // The operator may have ended everything of this person meanwhile: first the sessions, then the grants that are there.
    if (!(await this.#signIn.who(request))) {
      const [, grantId = ''] = new URL(redirectTo).searchParams.get('code')?.split(':') ?? []
      await api.revokeGrant(grantId, userId)
      return this.#signIn.page(request)
    }
    events.note({ kind: 'app allowed', person: person.name, client })
    return seeOther(redirectTo, approved.headers)
  }

  /**
   * Redirects a browser to the app's address if that is safe without a page in between. Otherwise, returns undefined
   * (RFC 9700, section 4.11.2). Anybody can register an address elsewhere, and use a link here to send people to it.
   */
  async leave(request: Request, to: string): Promise<Response | undefined> {
    const clientId = new URL(request.url).searchParams.get('client_id') ?? ''
    const mayLeave =
      isOnThisComputer(to) || (await this.#hasGrant(await this.#signIn.who(request), clientId))
    return mayLeave ? seeOther(to) : undefined
  }

  /** True if the person has allowed this app. People who share a passphrase do not know what the others allowed. */
  async #hasGrant(session: BrowserSession | undefined, clientId: string): Promise<boolean> {
    if (!session || session.person.name === SHARED_NAME) return false
    const { store } = this.#parts
    const prefix = `grant:${await userIdOf(session.person)}:`
    const { keys } = await store.list({ prefix, limit: MAX_GRANTS })
    for (const { name } of keys) {
      const grant = (await store.get(name, 'json')) as { readonly clientId?: string } | null
      if (grant?.clientId === clientId) return true
    }
    return false
  }

  /**
   * Handles a request with `prompt=none`, for which no page may be shown (OpenID Connect Core, section 3.1.2.6). The
   * browser is redirected only to this computer, or to an app that the person has allowed, since anybody can register
   * an address. Otherwise, a page is shown anyway (RFC 9700, section 4.11.2).
   */
  async #withoutAsking(request: Request, session: BrowserSession | undefined): Promise<Response> {
    const clientId = new URL(request.url).searchParams.get('client_id') ?? ''
    if (!session && isDocument(clientId)) return this.#signIn.page(request)
    const { asking } = await this.#read(request)
    const to = errorTo(asking, session ? 'interaction_required' : 'login_required')
    const left = await this.leave(request, to)
    return left ?? (session ? this.#ask(request, session) : this.#signIn.page(request))
  }

  /** Records a refused person as a stranger, since anybody with an account at the provider can retry without limit. */
  #noteRefused({ name }: Person, { headers }: Request): string {
    const why = 'SIGN_IN_ALLOW does not name this person, and no group does.'
    const event = { kind: 'sign-in refused', person: name, why } as const
    return this.#parts.events.noteOfStranger(event, clientNetwork(headers) ?? '')
  }

  #offers(session: BrowserSession, name: string | undefined): Promise<Offers> {
    const { offers, env } = this.#parts
    return offers(session.person, !isAllowed(session, env), name)
  }

  /** Reads an app's request. Throws the errors that the library finds in it. */
  async #read({ url }: Request) {
    const asked = new URL(url)
    const name = readResource(asked.searchParams, asked.origin)
    const library = await libraryFor(asked.origin, name, this.#parts.env)
    const api = library.getOAuthApi({ OAUTH_KV: this.#parts.store })
    return { api, name, asking: await readRequest(api, new Request(asked)) }
  }
}

const OTHER =
  'Somebody else has signed in with this browser since you opened this page, so nothing was allowed. Review it again.'

/** Parses an app's request with the library, and applies checks that the library skips for some apps. */
async function readRequest(api: Api, asked: Request): Promise<AuthRequest> {
  const { searchParams } = new URL(asked.url)
  const redirectUri = searchParams.get('redirect_uri') ?? ''
  // These errors are shown as pages: the browser is not redirected until the client and its redirect URI are verified.
  if (!isPlain(redirectUri)) throw new AuthorizationFault('redirect_uri_foreign')
  await assertDocument(searchParams.get('client_id') ?? '')
  const request = await api.parseAuthRequest(asked)
  // Apps with a secret need a challenge, too (OAuth 2.1), made with the method S256 (RFC 7636, section 4.2).
  if (/^[\w-]{43}$/.test(request.codeChallenge ?? '')) return request
  const { AuthorizationError } = await import('@cloudflare/workers-oauth-provider')
  const description = 'A code_challenge is required, with the code_challenge_method S256.'
  const { state, issuer = '' } = request
  throw new AuthorizationError('invalid_request', { description, redirectUri, state, issuer })
}

type Api = ReturnType<Library['getOAuthApi']>

/** Maximum number of one person's grants to search. */
const MAX_GRANTS = 200

/** Names of the endpoints that can be selected. A token for one endpoint does not open another. */
const offeredFor = (asked: string | undefined, { offers }: Offers): readonly string[] =>
  offers.filter(({ isAsked }) => isAsked || asked === undefined).map(({ name }) => name)

/** The redirect URL for an error that the library has no code for (RFC 6749, section 4.1.2.1; RFC 9207, section 2). */
function errorTo({ redirectUri, state, issuer = '' }: AuthRequest, error: string): string {
  const to = new URL(redirectUri)
  to.searchParams.set('error', error)
  if (state) to.searchParams.set('state', state)
  to.searchParams.set('iss', issuer)
  return to.href
}
