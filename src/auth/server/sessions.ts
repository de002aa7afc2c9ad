import { hashOf, randomText } from '../../ground/index.ts'
import type { Person } from '../sign-in/person.ts'
import { cookie, readCookie } from './cookies.ts'
import type { Store } from './store.ts'

/** The session of a person who signed in with this browser. */
export interface BrowserSession {
  readonly person: Person
  /** True if they signed in at a provider. */
  readonly isForeign: boolean
  /**
   * True if Cloudflare Access confirms it with each request: Access handles sign-in and sign-out, and our pages do not.
   */
  readonly isByAccess?: true
  /** Hash of the proof that the browser stores in addition to its cookie. Only for sessions over plain http. */
  readonly proof?: string
}

/** Browser sessions, found by their cookies. Only the hash of a cookie is stored. */
export class BrowserSessions {
  readonly #store: Store
  readonly #kind: string
  readonly #cookie: string

  /** @param kind part of the cookie's name: one browser can have a session of each kind. */
  constructor(store: Store, kind: 'session' | 'operator' = 'session') {
    this.#store = store
    this.#kind = kind
    this.#cookie = `__Host-tidegate-${kind}`
  }

  /**
   * Begins a session that replaces this browser's current one. Returns the `Set-Cookie` header. Over plain http, which
   * is possible only on this machine, it also returns a proof for the browser to store.
   */
  async begin(request: Request, session: BrowserSession) {
    await this.end(request)
    const secret = randomText(SECRET_CHARS)
    const isPlain = new URL(request.url).protocol === 'http:'
    const proof = isPlain ? randomText(SECRET_CHARS) : undefined
    const kept: BrowserSession = { ...session, ...(proof && { proof: await hashOf(proof) }) }
    await this.#store.put(await this.#keyOf(secret), JSON.stringify(kept), {
      expirationTtl: SESSION_SECONDS,
    })
    return { cookie: cookie(this.#cookie, secret, SESSION_SECONDS), proof }
  }

  /** The session of the browser that sent this request. */
  async of(request: Request): Promise<BrowserSession | undefined> {
    const secret = this.#secretOf(request)
    if (!secret) return undefined
    return (await this.#store.get(await this.#keyOf(secret), 'json')) ?? undefined
  }

  /** Ends the session. Returns the `Set-Cookie` header that deletes the cookie. */
  async end(request: Request): Promise<string> {
    const secret = this.#secretOf(request)
    if (secret) await this.#store.delete(await this.#keyOf(secret))
    return cookie(this.#cookie, '', 0)
  }

  #secretOf(request: Request): string | undefined {
    const value = readCookie(request, this.#cookie)
    return value?.length === SECRET_CHARS ? value : undefined
  }

  // A secret is only valid for its own kind of session.
  async #keyOf(secret: string): Promise<string> {
    return `${this.#kind}:${await hashOf(secret)}`
  }
}

const SESSION_SECONDS = 12 * 3_600

const SECRET_CHARS = 43
