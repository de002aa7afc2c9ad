import type { AuthRequest } from '@cloudflare/workers-oauth-provider'
import { type Consent, consentPage } from '../pages/consent.ts'
import { shown } from '../pages/html.ts'
import { nothingToReadPage } from '../pages/nothing-to-read.ts'
import { notAllowedPage } from '../pages/sign-in.ts'
import type { SignInEnv } from '../settings.ts'
import { isAllowed } from '../sign-in/allowed.ts'
import { type Person, type Props, userIdOf } from '../sign-in/person.ts'
import { isAtItsAddress } from './client-document.ts'
import type { Events } from './events.ts'
import { formToken } from './form.ts'
import type { GrantMetadata } from './grants.ts'
import { daysOf, type Library, libraryFor } from './library.ts'
import type { FindOffers, Offers } from './offers.ts'
import { isChallenge } from './pkce.ts'
import { promptsIn } from './question.ts'
import { seeOther } from './redirect.ts'
import { isPlain } from './redirect-uri.ts'
import { readResource } from './resource-parameter.ts'
import type { Session } from './sessions.ts'
import { isDocument } from './shown-client.ts'
import type { SignIn } from './sign-in.ts'
import type { Store } from './store.ts'

interface Surroundings {
  readonly store: Store
  readonly env: SignInEnv
  readonly offers: FindOffers
  readonly events: Events
  readonly signIn: SignIn
}

/** The authorization endpoint (RFC 6749, section 3.1): a person who is signed in decides what an app may do. */
export class Authorize {
  readonly #around: Surroundings
  /** The references of those who are not let in, by their ids. */
  readonly #refused = new Map<string, string>()

  constructor(around: Surroundings) {
    this.#around = around
  }

  /** Asks a person what the app may do, once they are signed in: until then, its question is not even read. */
  async open(request: Request): Promise<Response> {
    const { signIn } = this.#around
    const { searchParams } = new URL(request.url)
    const prompts = promptsIn(searchParams)
    const session = await signIn.who(request)
    if (prompts.includes('none')) return this.#withoutAsking(request, session)
    const isAgain = prompts.includes('login') && !session?.isByAccess
    if (!session || isAgain) return signIn.page(request)
    return this.#ask(request, session)
  }

  /** Signs a person in, or sends their decision to the app. */
  async post(request: Request, form: URLSearchParams): Promise<Response> {
    const { signIn } = this.#around
    if (form.has('passphrase') || form.has('way')) return signIn.post(request, form)
    const session = await signIn.who(request)
    // It ended while the page was open.
    return session ? this.#decide(request, form, session) : signIn.page(request)
  }

  async #ask(request: Request, session: Session, fault?: string): Promise<Response> {
    const { env, events } = this.#around
    const { person } = session
    const { origin, search } = new URL(request.url)
    const { api, name, asking } = await this.#read(request)
    const question = search.slice(1)
    const found = await this.#offers(session, name)
    const { token, headers: cookies } = formToken(request)
    if (found.offers.length === 0 && !isAllowed(session, env)) {
      const reference = this.#noteRefused(person)
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
    const consent: Consent = { ...details, ...found, ...form, as, days: daysOf(env), fault }
    return consentPage(consent)
  }

  async #decide(request: Request, form: URLSearchParams, session: Session): Promise<Response> {
    const { events } = this.#around
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
    const metadata: GrantMetadata = {
      person,
      client,
      ...(clientDomain !== undefined && { clientDomain }),
      endpoints,
    }
    const { redirectTo } = await api.completeAuthorization({
      request: approved.request,
      scope: approved.request.scope,
      userId: await userIdOf(person),
      metadata,
      props: { person, endpoints, isForeign, since: Date.now() } satisfies Props,
      // People who share a passphrase, and one person in two windows, would end each other's.
      revokeExistingGrants: false,
    })
    events.note({ kind: 'app allowed', person: person.name, client })
    return seeOther(redirectTo, approved.headers)
  }

  /**
   * Answers an app that wants no page to be shown (OpenID Connect Core, section 3.1.2.6). Who is not signed in is not
   * sent to an address that anybody can register: they get a page (RFC 9700, section 4.11.2).
   */
  async #withoutAsking(request: Request, session: Session | undefined): Promise<Response> {
    const clientId = new URL(request.url).searchParams.get('client_id') ?? ''
    if (!session && isDocument(clientId)) return this.#around.signIn.page(request)
    const { api, asking } = await this.#read(request)
    const { redirectIsLoopback } = await api.describeConsent(asking)
    if (!session && !redirectIsLoopback) return this.#around.signIn.page(request)
    return seeOther(errorTo(asking, session ? 'interaction_required' : 'login_required'))
  }

  /** Notes once who is not let in: they can come as often as they like, and so can all that a provider knows. */
  #noteRefused({ id, name }: Person): string {
    if (this.#refused.size >= MAX_REFUSED) this.#refused.clear()
    const why = 'SIGN_IN_ALLOW does not name this person, and no group does.'
    const reference =
      this.#refused.get(id) ??
      this.#around.events.note({ kind: 'sign-in refused', person: name, why })
    this.#refused.set(id, reference)
    return reference
  }

  #offers(session: Session, name: string | undefined): Promise<Offers> {
    const { offers, env } = this.#around
    return offers(session.person, !isAllowed(session, env), name)
  }

  /** Reads the question of an app. Throws what the library finds wrong with it. */
  async #read({ url }: Request) {
    const asked = new URL(url)
    const name = readResource(asked.searchParams, asked.origin)
    const library = await libraryFor(asked.origin, name, this.#around.env)
    const api = library.getOAuthApi({ OAUTH_KV: this.#around.store })
    return { api, name, asking: await readRequest(api, new Request(asked)) }
  }
}

const OTHER =
  'Somebody else has signed in with this browser since you opened this page, so nothing was allowed. Look at it again.'

/** What an app asks, as the library reads it; and by rules of ours, that it leaves out for some apps. */
async function readRequest(api: Api, asked: Request): Promise<AuthRequest> {
  const { AuthorizationError, CimdFetchError } = await import('@cloudflare/workers-oauth-provider')
  const { searchParams } = new URL(asked.url)
  const redirectUri = searchParams.get('redirect_uri') ?? ''
  // Pages: until the client and its redirect URI are known, nobody is sent to it.
  if (!isPlain(redirectUri)) {
    throw new AuthorizationError('invalid_request', { description: 'Invalid redirect URI' })
  }
  const clientId = searchParams.get('client_id') ?? ''
  if (!(await isAtItsAddress(clientId))) throw new CimdFetchError(clientId, 'not at its address')
  const request = await api.parseAuthRequest(asked)
  // Apps with a secret need one, too (OAuth 2.1).
  if (isChallenge(request.codeChallenge)) return request
  const description = 'A code_challenge is required, with the code_challenge_method S256.'
  const { state, issuer = '' } = request
  throw new AuthorizationError('invalid_request', { description, redirectUri, state, issuer })
}

type Api = ReturnType<Library['getOAuthApi']>

const MAX_REFUSED = 1_000

/** The names of the endpoints that may be ticked. A token for one endpoint opens no other. */
const offeredFor = (asked: string | undefined, { offers }: Offers): readonly string[] =>
  offers.filter(({ isAsked }) => isAsked || asked === undefined).map(({ name }) => name)

/** An error for the app, which the library has no word for (RFC 6749, section 4.1.2.1; RFC 9207, section 2). */
function errorTo({ redirectUri, state, issuer = '' }: AuthRequest, error: string): string {
  const to = new URL(redirectUri)
  to.searchParams.set('error', error)
  if (state) to.searchParams.set('state', state)
  to.searchParams.set('iss', issuer)
  return to.href
}
