import { hashOf, randomText } from '../../registry/index.ts'
import type { Person } from '../sign-in/person.ts'
import { cookie, readCookie } from './cookies.ts'
import type { Store } from './store.ts'

/** A person who signed in with this browser. */
export interface Session {
  readonly person: Person
  /** Whether they came in by a provider. */
  readonly isForeign: boolean
  /** Whether Cloudflare Access says so with each request: it signs in and out, and not our pages. */
  readonly isByAccess?: true
}

/** Who is signed in, by the cookie of their browser. What is kept of a cookie is its hash. */
export class Sessions {
  readonly #store: Store
  readonly #kind: string
  readonly #cookie: string

  /** @param kind what the cookie is called: one browser may have a session of each kind. */
  constructor(store: Store, kind: 'session' | 'operator' = 'session') {
    this.#store = store
    this.#kind = kind
    this.#cookie = `__Host-tidegate-${kind}`
  }

  /** Begins a session in place of the one that this browser has. Returns the `Set-Cookie` header that holds it. */
  async begin(request: Request, session: Session): Promise<string> {
    await this.end(request)
    const secret = randomText(SECRET_CHARS)
    await this.#store.put(await this.#keyOf(secret), JSON.stringify(session), {
      expirationTtl: SESSION_SECONDS,
    })
    return cookie(this.#cookie, secret, SESSION_SECONDS)
  }

  /** Who is signed in with the browser that sends this. */
  async of(request: Request): Promise<Session | undefined> {
    const secret = this.#secretOf(request)
    if (!secret) return undefined
    return (
      ((await this.#store.get(await this.#keyOf(secret), 'json')) as Session | null) ?? undefined
    )
  }

  /** Ends it. Returns the `Set-Cookie` header that forgets it. */
  async end(request: Request): Promise<string> {
    const secret = this.#secretOf(request)
    if (secret) await this.#store.delete(await this.#keyOf(secret))
    return cookie(this.#cookie, '', 0)
  }

  #secretOf(request: Request): string | undefined {
    const value = readCookie(request, this.#cookie)
    return value?.length === SECRET_CHARS ? value : undefined
  }

  // A secret of one kind is none of the other.
  async #keyOf(secret: string): Promise<string> {
    return `${this.#kind}:${await hashOf(secret)}`
  }
}

const SESSION_SECONDS = 12 * 3_600

const SECRET_CHARS = 43
