import { hashOf, networkOf } from '../../registry/index.ts'
import { equal } from '../equal.ts'
import { operatorPage } from '../pages/operator.ts'
import { isWorker } from '../place.ts'
import type { SignInEnv } from '../settings.ts'
import { isAllowed } from '../sign-in/allowed.ts'
import { isOperatorName, OPERATOR } from '../sign-in/operators.ts'
import { asHostCookies, asPlainCookies, withPlainCookies } from './cookies.ts'
import type { Events } from './events.ts'
import { formToken } from './form.ts'
import type { OperatorAsked, OperatorSeen } from './orders.ts'
import { consolePath, questionIn } from './question.ts'
import { seeOther } from './redirect.ts'
import type { Sessions } from './sessions.ts'
import { type SignIn, tooMany, type Wrong } from './sign-in.ts'
import type { Tries } from './tries.ts'

interface OperatorsParts {
  readonly env: SignInEnv
  /** Those that began with TIDEGATE_KEY. */
  readonly sessions: Sessions
  readonly signIn: SignIn
  readonly tries: Tries
  readonly events: Events
}

/** Lets operators into the Console: whoever has TIDEGATE_KEY, and people whom OPERATORS names. */
export class Operators {
  readonly #parts: OperatorsParts

  constructor(parts: OperatorsParts) {
    this.#parts = parts
  }

  /** Who opens the Console. */
  async seen({ url, headers }: OperatorAsked): Promise<OperatorSeen> {
    const sent = new Request(url, { headers })
    const isPlain = new URL(url).protocol === 'http:'
    const request = isPlain ? asHostCookies(sent) : withPlainCookies(sent)
    const { token, headers: cookies } = formToken(request)
    const answer = new Response(null, { headers: cookies })
    return {
      name: await this.#nameOf(request),
      formToken: token,
      cookies: (isPlain ? asPlainCookies(answer) : answer).headers.getSetCookie(),
    }
  }

  /** The page where an operator signs in; or the Console, for one who has. */
  async open(request: Request): Promise<Response> {
    return (await this.#nameOf(request)) ? seeOther(toOf(request)) : this.#page(request)
  }

  /** Begins a session for whoever has the key; or sends a person to where people sign in. */
  async post(request: Request, form: URLSearchParams): Promise<Response> {
    const { env, sessions, signIn, tries, events } = this.#parts
    if (form.get('way') === 'provider') return signIn.post(request, form)
    const network = networkOf(request.headers.get('cf-connecting-ip') ?? '')
    const wait = tries.waitOf(network)
    if (wait > 0) {
      const why = 'There were too many wrong tries from your network.'
      return this.#page(request, tooMany(why, wait))
    }
    // The key is too long to be guessed: tries from elsewhere keep nobody out.
    const attempt = tries.begin(network, false)
    const { TIDEGATE_KEY } = env
    if (!TIDEGATE_KEY || !equal((form.get('key') ?? '').trim(), TIDEGATE_KEY)) {
      const fault = 'That is not the key of the operator.'
      const reference = events.note({ kind: 'sign-in refused', why: fault })
      return this.#page(request, { status: 403, fault, reference })
    }
    attempt.succeeded()
    events.note({ kind: 'signed in', person: OPERATOR })
    const person = { id: await hashOf(TIDEGATE_KEY), name: OPERATOR, groups: [] }
    const cookie = await sessions.begin(request, { person, isForeign: false })
    return seeOther(toOf(request), { 'set-cookie': cookie })
  }

  /** Ends the session that began with the key. Returns its `Set-Cookie` header. */
  end(request: Request): Promise<string> {
    return this.#parts.sessions.end(request)
  }

  async #nameOf(request: Request): Promise<string | undefined> {
    const { env, sessions, signIn } = this.#parts
    // Another key ends what the old one opened.
    const own = await sessions.of(request)
    if (env.TIDEGATE_KEY && own?.person.id === (await hashOf(env.TIDEGATE_KEY))) return OPERATOR
    const session = env.OPERATORS ? await signIn.who(request) : undefined
    if (!session || !isAllowed(session, env)) return undefined
    return isOperatorName(session.person, env) ? session.person.name : undefined
  }

  async #page(request: Request, { headers, ...wrong }: Wrong = {}): Promise<Response> {
    const { env, signIn } = this.#parts
    const { token, headers: cookies } = formToken(request)
    const session = env.OPERATORS ? await signIn.who(request) : undefined
    return operatorPage({
      ...wrong,
      token,
      headers: { ...headers, ...cookies },
      stranger: session?.person.name,
      hasPeople: Boolean(env.OPERATORS),
      isWorker: isWorker(env),
      provider: (await signIn.provider())?.title,
      question: questionIn(request.url),
    })
  }
}

const toOf = ({ url }: Request): string => consolePath(new URL(url).searchParams.get('to'))
