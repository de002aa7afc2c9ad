import { clientNetwork, hashOf } from '../../ground/index.ts'
import { equal } from '../equal.ts'
import { operatorPage } from '../pages/operator.ts'
import { isWorker } from '../settings.ts'
import { isAllowed } from '../sign-in/allow.ts'
import { isOperatorName, OPERATOR } from '../sign-in/operators.ts'
import { asHostCookies, asPlainCookies, withPlainCookies } from './cookies.ts'
import { formToken } from './form.ts'
import type { OperatorAsked, OperatorSeen } from './orders.ts'
import type { ServerParts } from './parts.ts'
import { consolePath, questionIn } from './question.ts'
import { seeOther, signedInTo } from './redirect.ts'
import { type SignIn, tooMany, type Wrong } from './sign-in.ts'

/** Signs operators in to the Console: anyone who has TIDEGATE_KEY, and the people listed in OPERATORS. */
export class Operators {
  readonly #parts: ServerParts
  readonly #signIn: SignIn

  constructor(parts: ServerParts, signIn: SignIn) {
    this.#parts = parts
    this.#signIn = signIn
  }

  /** Returns the operator who is opening the Console. */
  async seen({ url, headers }: OperatorAsked): Promise<OperatorSeen> {
    const sent = new Request(url, { headers })
    const isPlain = new URL(url).protocol === 'http:'
    const request = isPlain ? asHostCookies(sent) : withPlainCookies(sent)
    const { token, headers: cookies } = formToken(request)
    const answer = new Response(null, { headers: cookies })
    return {
      ...(await this.#operatorOf(request)),
      formToken: token,
      cookies: (isPlain ? asPlainCookies(answer) : answer).headers.getSetCookie(),
    }
  }

  /** The page where an operator signs in; or the Console, if they already have. */
  async open(request: Request): Promise<Response> {
    return (await this.#operatorOf(request)) ? seeOther(toOf(request)) : this.#page(request)
  }

  /** Starts a session if the key is right, or sends a person to the identity provider. */
  async post(request: Request, form: URLSearchParams): Promise<Response> {
    const { env, operatorSessions, tries, events } = this.#parts
    if (form.get('way') === 'provider') return this.#signIn.post(request, form)
    const network = clientNetwork(request.headers) ?? ''
    const wait = tries.waitOf(network)
    if (wait > 0) {
      const why = 'Too many failed attempts from your network.'
      return this.#page(request, tooMany(why, wait))
    }
    // The key is too long to be guessed, so attempts from other networks do not lock anybody out.
    const attempt = tries.begin(network, false)
    const { TIDEGATE_KEY } = env
    if (!TIDEGATE_KEY || !equal((form.get('key') ?? '').trim(), TIDEGATE_KEY)) {
      const fault = 'That is not the admin key.'
      const reference = events.noteOfStranger({ kind: 'sign-in refused', why: fault }, network)
      return this.#page(request, { status: 403, fault, reference })
    }
    attempt.succeeded()
    events.note({ kind: 'signed in', person: OPERATOR })
    const person = { id: await hashOf(TIDEGATE_KEY), name: OPERATOR, groups: [] }
    const { cookie, proof } = await operatorSessions.begin(request, { person, isForeign: false })
    return signedInTo(toOf(request), proof, new Headers({ 'set-cookie': cookie }))
  }

  async #operatorOf(request: Request): Promise<Pick<OperatorSeen, 'name' | 'proof'> | undefined> {
    const { env, operatorSessions } = this.#parts
    // A new key ends the sessions that began with the old one.
    const own = await operatorSessions.of(request)
    if (own && env.TIDEGATE_KEY && own.person.id === (await hashOf(env.TIDEGATE_KEY)))
      return { name: OPERATOR, proof: own.proof }
    const session = env.OPERATORS ? await this.#signIn.who(request) : undefined
    if (!session || !isAllowed(session, env) || !isOperatorName(session.person, env))
      return undefined
    return { name: session.person.name, proof: session.proof }
  }

  async #page(request: Request, { headers, ...wrong }: Wrong = {}): Promise<Response> {
    const { env } = this.#parts
    const { token, headers: cookies } = formToken(request)
    const session = env.OPERATORS ? await this.#signIn.who(request) : undefined
    return operatorPage({
      ...wrong,
      token,
      headers: { ...headers, ...cookies },
      stranger: session?.person.name,
      hasPeople: Boolean(env.OPERATORS),
      isWorker: isWorker(env),
      provider: (await this.#signIn.provider())?.title,
      question: questionIn(request.url),
    })
  }
}

const toOf = ({ url }: Request): string => consolePath(new URL(url).searchParams.get('to'))
