import { networkOf } from '../../registry/index.ts'
import { errorPage } from '../pages/error.ts'
import { type SignInPage, signedInPage, signInPage } from '../pages/sign-in.ts'
import type { SignInEnv } from '../settings.ts'
import { knowsPassphrase } from '../sign-in/passphrase.ts'
import { type IdentityProvider, SHARED_NAME, SignInFault } from '../sign-in/person.ts'
import type { Codes } from './codes.ts'
import type { Events } from './events.ts'
import { formToken } from './form.ts'
import { logged } from './logged.ts'
import { questionIn } from './question.ts'
import { seeOther } from './redirect.ts'
import type { Session, Sessions } from './sessions.ts'
import type { Tries } from './tries.ts'
import type { WayBack } from './way-back.ts'

/** What a sign-in works with. */
export interface SignInParts {
  readonly env: SignInEnv
  readonly codes: Codes
  readonly sessions: Sessions
  /** Those of operators, which end with the others. */
  readonly operatorSessions: Sessions
  readonly tries: Tries
  readonly events: Events
  readonly wayBack: WayBack
}

/** Signs people in, and then shows them the question that they came with. */
export class SignIn {
  readonly #parts: SignInParts

  constructor(parts: SignInParts) {
    this.#parts = parts
  }

  /** Who is signed in with the browser that sends this. */
  async who(request: Request): Promise<Session | undefined> {
    return (await this.#parts.sessions.of(request)) ?? (await this.#byAccess(request))
  }

  /** The page of the sign-in. */
  async page(request: Request, { headers, ...wrong }: Wrong = {}): Promise<Response> {
    const { token, headers: cookies } = formToken(request)
    // A page of ours sent them here, and each page with a form gives that cookie.
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

  /** The page where no app asks for anything. */
  async open(request: Request): Promise<Response> {
    const session = await this.who(request)
    return session ? signedInPage(session.person.name, formToken(request)) : this.page(request)
  }

  /** Signs a person in by the form of the page; or sends them to the provider, from where they come back. */
  async post(request: Request, form: URLSearchParams): Promise<Response> {
    const provider = form.get('way') === 'provider' ? await this.provider() : undefined
    if (provider) return this.#parts.wayBack.begin(request, provider)
    return this.#byPassphrase(request, form.get('passphrase') ?? '')
  }

  /** Signs in a person who comes back from the provider. */
  async callback(request: Request): Promise<Response> {
    const { wayBack } = this.#parts
    const { to, headers, person } = await wayBack.finish(request, await this.provider())
    try {
      return await this.#begin(request, { person: await person(), isForeign: true }, to, headers)
    } catch (error) {
      if (!(error instanceof SignInFault)) throw error
      const next = { href: to, text: 'Sign in in another way' }
      return errorPage(403, error.message, { reference: logged(error.message), next, headers })
    }
  }

  /** Ends the session, and shows the same question again. */
  async signOut(request: Request, form: URLSearchParams): Promise<Response> {
    const { sessions, operatorSessions } = this.#parts
    const headers = new Headers()
    for (const it of [sessions, operatorSessions])
      headers.append('set-cookie', await it.end(request))
    // Access would sign them in again at once.
    const isByAccess = (await this.#byAccess(request)) !== undefined
    return seeOther(isByAccess ? ACCESS_LOGOUT : questionIn(form.get('question') ?? ''), headers)
  }

  async #byPassphrase(request: Request, text: string): Promise<Response> {
    const { env, codes, tries, events } = this.#parts
    const network = networkOf(request.headers.get('cf-connecting-ip') ?? '')
    const wait = tries.waitOf(network)
    if (wait > 0)
      return this.page(request, tooMany('There were too many wrong tries from your network.', wait))
    const waitOfAll = tries.waitOfAll()
    const attempt = tries.begin(network, waitOfAll === 0)
    const named = await codes.take(text)
    const isKnown = named !== undefined || (waitOfAll === 0 && (await knowsPassphrase(text, env)))
    if (!isKnown) {
      const fault = 'That is not the passphrase, nor a code that still works.'
      if (waitOfAll === 0) {
        const reference = events.note({ kind: 'sign-in refused', why: fault })
        return this.page(request, { status: 403, fault, reference })
      }
      const why = 'There were too many wrong tries from everywhere, so only one-time codes work.'
      return this.page(request, tooMany(why, waitOfAll))
    }
    attempt.succeeded()
    const name = named ?? SHARED_NAME
    const session = { person: { id: `passphrase ${name}`, name, groups: [] }, isForeign: false }
    return this.#begin(request, session, questionIn(request.url))
  }

  async #begin(
    request: Request,
    session: Session,
    to: string,
    more?: HeadersInit,
  ): Promise<Response> {
    const { sessions, events } = this.#parts
    events.note({ kind: 'signed in', person: session.person.name })
    const headers = new Headers(more)
    headers.append('set-cookie', await sessions.begin(request, session))
    return seeOther(to, headers)
  }

  async #byAccess(request: Request): Promise<Session | undefined> {
    const { env } = this.#parts
    if (!env.ACCESS_TEAM) return undefined
    const { personOfAccess } = await import('../sign-in/access.ts')
    try {
      const person = await personOfAccess(request, env, outside)
      return person && { person, isForeign: true, isByAccess: true }
    } catch (error) {
      const isOnlyWay = !env.TIDEGATE_PASSPHRASE && !env.SIGN_IN_ISSUER
      if (isOnlyWay || !(error instanceof SignInFault)) throw error
      logged(error.message)
      return undefined
    }
  }

  /** The provider that people sign in at, if there is one. */
  async provider(): Promise<IdentityProvider | undefined> {
    const { env } = this.#parts
    if (!env.SIGN_IN_ISSUER) return undefined
    const { identityProvider } = await import('../sign-in/provider.ts')
    return identityProvider(env, outside)
  }
}

const NO_COOKIES =
  'If you have just signed in, your browser keeps no cookies here. Allow them for this site, and sign in again.'

/** What Cloudflare answers at a host that Access protects. */
const ACCESS_LOGOUT = '/cdn-cgi/access/logout'

/** What went wrong, for the page to say. */
export type Wrong = Pick<SignInPage, 'status' | 'fault' | 'reference'> & {
  readonly headers?: Readonly<Record<string, string>>
}

/** Says that it was tried too often. */
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
