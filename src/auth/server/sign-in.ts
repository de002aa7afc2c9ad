import { clientNetwork } from '../../ground/index.ts'
import { errorPage } from '../pages/error.ts'
import { type SignInPage, signedInPage, signInPage } from '../pages/sign-in.ts'
import { isAllowed } from '../sign-in/allow.ts'
import { groupsFault } from '../sign-in/group-list.ts'
import { isOperatorName } from '../sign-in/operators.ts'
import { knowsPassphrase } from '../sign-in/passphrase.ts'
import { type IdentityProvider, ownPerson, SHARED_NAME, SignInFault } from '../sign-in/person.ts'
import { takeCode } from './codes.ts'
import { logged } from './events.ts'
import { formToken } from './form.ts'
import type { ServerParts } from './parts.ts'
import { questionIn } from './question.ts'
import { seeOther, signedInTo } from './redirect.ts'
import type { BrowserSession } from './sessions.ts'
import { leaveForProvider, returnFromProvider } from './way-back.ts'

/** Signs people in, and then returns them to the app's request. */
export class SignIn {
  readonly #parts: ServerParts

  constructor(parts: ServerParts) {
    this.#parts = parts
  }

  /** The session of the browser that sent this request. */
  async who(request: Request): Promise<BrowserSession | undefined> {
    const session = await this.#parts.sessions.of(request)
    // A setting may have started to refer to a group since the session began.
    if (session && !(await this.#faultOf(session))) return session
    return this.#byAccess(request)
  }

  /** The sign-in page. */
  async page(request: Request, { headers, ...wrong }: Wrong = {}): Promise<Response> {
    const { token, headers: cookies } = formToken(request)
    // One of our pages sent them here, and each page with a form sets that cookie.
    const isLost =
      request.method === 'GET' &&
      request.headers.get('sec-fetch-site') === 'same-origin' &&
      'set-cookie' in cookies
    return signInPage({
      ...(isLost && { fault: NO_COOKIES }),
      ...wrong,
      token,
      headers: { ...headers, ...cookies },
      provider: (await this.provider())?.title,
      hasPassphrase: Boolean(this.#parts.env.TIDEGATE_PASSPHRASE),
      isForApp: new URL(request.url).pathname === '/authorize',
    })
  }

  /** The page for a visit without a request from an app. */
  async open(request: Request): Promise<Response> {
    const session = await this.who(request)
    return session ? signedInPage(session.person.name, formToken(request)) : this.page(request)
  }

  /** Signs a person in with the page's form, or sends them to the provider, which sends them back. */
  async post(request: Request, form: URLSearchParams): Promise<Response> {
    const provider = form.get('way') === 'provider' ? await this.provider() : undefined
    if (provider) return leaveForProvider(this.#parts, request, provider)
    return this.#byPassphrase(request, form.get('passphrase') ?? '')
  }

  /** Signs in a person who returns from the provider. */
  async callback(request: Request): Promise<Response> {
    const provider = await this.provider()
    const { to, headers, person } = await returnFromProvider(this.#parts, request, provider)
    try {
      const session = { person: { ...(await person()), groupsAt: Date.now() }, isForeign: true }
      const why = await this.#faultOf(session)
      if (why !== undefined) {
        const network = clientNetwork(request.headers) ?? ''
        const event = { kind: 'sign-in refused', person: session.person.name, why } as const
        this.#parts.events.noteOfStranger(event, network)
        throw new SignInFault(why)
      }
      return await this.#begin(request, session, to, headers)
    } catch (error) {
      if (!(error instanceof SignInFault)) throw error
      const next = { href: to, text: 'Sign in another way' }
      return errorPage(403, error.message, { reference: logged(error.message), next, headers })
    }
  }

  /** Ends the session, and shows the same request again. */
  async signOut(request: Request, form: URLSearchParams): Promise<Response> {
    const { sessions, operatorSessions } = this.#parts
    const headers = new Headers()
    headers.append('set-cookie', await sessions.end(request))
    headers.append('set-cookie', await operatorSessions.end(request))
    // Access would immediately sign them in again.
    const isByAccess = (await this.#byAccess(request)) !== undefined
    return seeOther(isByAccess ? ACCESS_LOGOUT : questionIn(form.get('question') ?? ''), headers)
  }

  async #byPassphrase(request: Request, text: string): Promise<Response> {
    const { env, store, tries, events } = this.#parts
    const network = clientNetwork(request.headers) ?? ''
    const wait = tries.waitOf(network)
    if (wait > 0)
      return this.page(request, tooMany('Too many failed attempts from your network.', wait))
    const waitOfAll = tries.waitOfAll()
    const attempt = tries.begin(network, waitOfAll === 0)
    const named = await takeCode(store, text)
    const isKnown = named !== undefined || (waitOfAll === 0 && (await knowsPassphrase(text, env)))
    if (!isKnown) {
      const fault = 'That is neither the passphrase nor a valid code.'
      if (waitOfAll === 0) {
        const reference = events.noteOfStranger({ kind: 'sign-in refused', why: fault }, network)
        return this.page(request, { status: 403, fault, reference })
      }
      const why = 'Too many failed attempts. For now, only one-time codes are accepted.'
      return this.page(request, tooMany(why, waitOfAll))
    }
    attempt.succeeded()
    const name = named ?? SHARED_NAME
    const session = { person: ownPerson(name), isForeign: false }
    return this.#begin(request, session, questionIn(request.url))
  }

  async #begin(request: Request, session: BrowserSession, to: string, more?: HeadersInit) {
    const { env, sessions, events } = this.#parts
    const event = { kind: 'signed in', person: session.person.name } as const
    // A provider lets in anybody with an account there.
    if (isAllowed(session, env)) events.note(event)
    else events.noteOfStranger(event, clientNetwork(request.headers) ?? '')
    const headers = new Headers(more)
    const { cookie, proof } = await sessions.begin(request, session)
    headers.append('set-cookie', cookie)
    // The sign-in page runs no script, so it cannot store the proof. The Console can.
    const isOperators = proof && to === '/signin' && isOperatorName(session.person, env)
    return signedInTo(isOperators ? '/console' : to, proof, headers)
  }

  /** Reason that the person's groups are not sufficient. */
  async #faultOf({ person, isForeign }: BrowserSession): Promise<string | undefined> {
    return isForeign ? groupsFault(person, 0, this.#parts.groupsCount) : undefined
  }

  async #byAccess(request: Request): Promise<BrowserSession | undefined> {
    const { env } = this.#parts
    if (!env.ACCESS_TEAM) return undefined
    const { personOfAccess } = await import('../sign-in/access.ts')
    try {
      const person = await personOfAccess(request, env, outside)
      if (!person) return undefined
      const session: BrowserSession = { person, isForeign: true, isByAccess: true }
      const why = await this.#faultOf(session)
      if (why !== undefined) throw new SignInFault(`${why} ${AT_ACCESS}`)
      return session
    } catch (error) {
      const isOnlyWay = !env.TIDEGATE_PASSPHRASE && !env.SIGN_IN_ISSUER
      if (isOnlyWay || !(error instanceof SignInFault)) throw error
      logged(error.message)
      return undefined
    }
  }

  /** The provider where people sign in, if there is one. */
  async provider(): Promise<IdentityProvider | undefined> {
    const { env } = this.#parts
    if (!env.SIGN_IN_ISSUER) return undefined
    const { identityProvider } = await import('../sign-in/provider.ts')
    return identityProvider(env, outside)
  }
}

const NO_COOKIES =
  'If you have just signed in, your browser does not keep cookies here. Allow them for this site, and sign in again.'

/** The path that Cloudflare serves on a host protected by Access. */
const ACCESS_LOGOUT = '/cdn-cgi/access/logout'

const AT_ACCESS = `Cloudflare Access says it: open ${ACCESS_LOGOUT} at this host to sign in there again.`

/** The error to show on the page. */
export type Wrong = Pick<SignInPage, 'status' | 'fault' | 'reference'> & {
  readonly headers?: Readonly<Record<string, string>>
}

/** The error for too many attempts. */
export function tooMany(why: string, ms: number): Wrong {
  const minutes = Math.ceil(ms / 60_000)
  const again = `Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`
  return {
    status: 429,
    fault: `${why} ${again}`,
    reference: logged(why),
    headers: { 'retry-after': `${Math.ceil(ms / 1_000)}` },
  }
}

const outside = (...asked: Parameters<typeof fetch>): Promise<Response> => fetch(...asked)
