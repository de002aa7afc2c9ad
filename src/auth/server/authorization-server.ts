import { credentialKeys } from '../../registry/index.ts'
import type { SignInEnv } from '../settings.ts'
import { Authorize } from './authorize.ts'
import { Browsing } from './browsing.ts'
import { makeCode } from './codes.ts'
import { enterpriseManaged } from './enterprise.ts'
import { Events } from './events.ts'
import { Grants } from './grants.ts'
import { type Library, libraryFor } from './library.ts'
import { answering } from './oauth-request.ts'
import { Operators } from './operators.ts'
import type { Orders } from './orders.ts'
import type { ServerParts } from './parts.ts'
import { register } from './registration.ts'
import { BrowserSessions } from './sessions.ts'
import { SignIn } from './sign-in.ts'
import { Store } from './store.ts'
import { TokenEndpoint } from './token-endpoint.ts'
import { tokenLibrary } from './token-library.ts'
import { Tries } from './tries.ts'
import { Turns } from './turns.ts'

/** The authorization server of a deployment: the OAuth library, its storage, and features that the library lacks. */
export class AuthorizationServer {
  readonly #parts: ServerParts
  readonly #context: ExecutionContext
  readonly #browsing: Browsing
  readonly #token: TokenEndpoint
  readonly #enterprise: ReturnType<typeof enterpriseManaged>
  readonly #orders: Orders

  constructor(
    state: DurableObjectState,
    env: SignInEnv,
    ofDeployment: Pick<ServerParts, 'offers' | 'groupsCount'>,
  ) {
    const { storage } = state
    const keys = credentialKeys(env)
    const store = new Store(storage, keys)
    const parts: ServerParts = {
      ...ofDeployment,
      env,
      store,
      keys,
      events: new Events(storage.sql),
      tries: new Tries(storage.sql),
      turns: new Turns(),
      sessions: new BrowserSessions(store),
      operatorSessions: new BrowserSessions(store, 'operator'),
    }
    this.#parts = parts
    this.#context = state as unknown as ExecutionContext
    const grants = new Grants(parts)
    const signIn = new SignIn(parts)
    const operators = new Operators(parts, signIn)
    this.#browsing = new Browsing(env, signIn, new Authorize(parts, signIn), operators)
    this.#enterprise = enterpriseManaged(env, parts, (...asked) => fetch(...asked))
    this.#token = new TokenEndpoint(parts, tokenLibrary(env, this.#enterprise, this.#ask))
    this.#orders = {
      granted: ({ token }) => grants.granted(token),
      operator: (asked) => operators.seen(asked),
      grants: (page) => grants.list(page),
      revoke: ({ id }) => grants.revoke(id),
      revokeOf: ({ person, after }) => grants.revokeOf(person, after),
      makeCode: ({ person }) => makeCode(store, person),
      sealing: async () => ({ toReseal: await store.countToReseal() }),
      reseal: ({ after, limit }) => store.reseal(after, limit),
      events: async ({ limit }) => parts.events.last(limit),
    }
  }

  /** Handles a request from outside. */
  async fetch(request: Request): Promise<Response> {
    const { origin, pathname } = new URL(request.url)
    if (/^\/(?:authorize|signin|signout)(?:\/|$)/.test(pathname))
      return this.#browsing.fetch(request)
    if (pathname === '/token' && request.method === 'POST') return this.#token.fetch(request)
    if (pathname === '/register' && request.method === 'POST') {
      return answering(register(request, this.#parts, this.#ask))
    }
    const enterprise = this.#enterprise
    return this.#ask(await libraryFor(origin, undefined, this.#parts.env, { enterprise }), request)
  }

  readonly #ask = (library: Library, request: Request): Promise<Response> =>
    library.fetch(request, { OAUTH_KV: this.#parts.store }, this.#context)

  /** Carries out an order from the Worker. */
  take(order: keyof Orders, input: unknown): Promise<unknown> {
    if (!Object.hasOwn(this.#orders, order)) throw new Error('There is no such order.')
    return (this.#orders[order] as (input: unknown) => Promise<unknown>)(input)
  }

  sweep(): Promise<void> {
    this.#parts.tries.sweep()
    return this.#parts.store.sweep()
  }
}
