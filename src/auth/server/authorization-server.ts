import { credentialKeys } from '../../registry/index.ts'
import { enterpriseManaged } from '../enterprise.ts'
import type { SignInEnv } from '../settings.ts'
import { Authorize } from './authorize.ts'
import { Browsing } from './browsing.ts'
import { Codes } from './codes.ts'
import { Events } from './events.ts'
import { Grants } from './grants.ts'
import { type Library, libraryFor } from './library.ts'
import type { FindOffers } from './offers.ts'
import { Operators } from './operators.ts'
import type { Orders } from './orders.ts'
import { Registration } from './registration.ts'
import { Sessions } from './sessions.ts'
import { SignIn } from './sign-in.ts'
import { Store } from './store.ts'
import { TokenEndpoint } from './token-endpoint.ts'
import { TokenLibrary } from './token-library.ts'
import { Tries } from './tries.ts'
import { Turns } from './turns.ts'
import { WayBack } from './way-back.ts'

/** The authorization server of a deployment: the OAuth library, its storage, and what the library lacks. */
export class AuthorizationServer {
  readonly #env: SignInEnv
  readonly #store: Store
  readonly #browsing: Browsing
  readonly #tries: Tries
  readonly #token: TokenEndpoint
  readonly #registration: Registration
  readonly #enterprise: ReturnType<typeof enterpriseManaged>
  readonly #orders: Orders
  readonly #context: ExecutionContext

  constructor(state: DurableObjectState, env: SignInEnv, offers: FindOffers) {
    this.#env = env
    this.#context = state as unknown as ExecutionContext
    this.#store = new Store(state.storage, credentialKeys(env))
    const codes = new Codes(this.#store)
    const events = new Events(state.storage.sql)
    const turns = new Turns()
    const grants = new Grants({ store: this.#store, env, turns, events })
    this.#tries = new Tries(state.storage.sql)
    const sessions = new Sessions(this.#store)
    const wayBack = new WayBack(this.#store)
    const operatorSessions = new Sessions(this.#store, 'operator')
    const shared = { env, tries: this.#tries, events }
    const signIn = new SignIn({ ...shared, codes, sessions, operatorSessions, wayBack })
    const operators = new Operators({ ...shared, sessions: operatorSessions, signIn })
    const authorize = new Authorize({ store: this.#store, env, offers, events, signIn })
    this.#browsing = new Browsing({ env, signIn, authorize, operators })
    const ask = (library: Library, request: Request) =>
      library.fetch(request, { OAUTH_KV: this.#store }, this.#context)
    this.#enterprise = enterpriseManaged(env, offers, (...asked) => fetch(...asked))
    const enterprise = this.#enterprise
    const library = new TokenLibrary({ env, enterprise, send: ask })
    this.#token = new TokenEndpoint({ store: this.#store, env, events, turns, library })
    this.#registration = new Registration({ store: this.#store, env, ask })
    this.#orders = {
      granted: ({ token }) => grants.granted(token),
      operator: (asked) => operators.seen(asked),
      grants: (page) => grants.list(page),
      revoke: ({ id }) => grants.revoke(id),
      revokeOf: ({ person, after }) => grants.revokeOf(person, after),
      makeCode: ({ person }) => codes.make(person),
      sealing: async () => ({ toReseal: await this.#store.countToReseal() }),
      reseal: ({ after, limit }) => this.#store.reseal(after, limit),
      events: async ({ limit }) => events.last(limit),
    }
  }

  /** Serves a request from outside. */
  async fetch(request: Request): Promise<Response> {
    const { origin, pathname } = new URL(request.url)
    if (/^\/(?:authorize|signin|signout)(?:\/|$)/.test(pathname))
      return this.#browsing.fetch(request)
    if (pathname === '/token' && request.method === 'POST') return this.#token.fetch(request)
    if (pathname === '/register' && request.method === 'POST') {
      return this.#registration.fetch(request)
    }
    const library = await libraryFor(origin, undefined, this.#env, { enterprise: this.#enterprise })
    return library.fetch(request, { OAUTH_KV: this.#store }, this.#context)
  }

  /** Carries out an order of the Worker. */
  take(order: keyof Orders, input: unknown): Promise<unknown> {
    if (!Object.hasOwn(this.#orders, order)) throw new Error('There is no such order.')
    return (this.#orders[order] as (input: unknown) => Promise<unknown>)(input)
  }

  sweep(): Promise<void> {
    this.#tries.sweep()
    return this.#store.sweep()
  }
}
