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

  constructor(store: Store) {
    this.#store = store
  }

  /** Begins a session in place of the one that this browser has. Returns the `Set-Cookie` header that holds it. */
  async begin(request: Request, session: Session): Promise<string> {
    await this.end(request)
    const secret = randomText(SECRET_CHARS)
    await this.#store.put(await keyOf(secret), JSON.stringify(session), {
      expirationTtl: SESSION_SECONDS,
    })
    return cookie(COOKIE, secret, SESSION_SECONDS)
  }

  /** Who is signed in with the browser that sends this. */
  async of(request: Request): Promise<Session | undefined> {
    const secret = secretOf(request)
    if (!secret) return undefined
    return ((await this.#store.get(await keyOf(secret), 'json')) as Session | null) ?? undefined
  }

  /** Ends it. Returns the `Set-Cookie` header that forgets it. */
  async end(request: Request): Promise<string> {
    const secret = secretOf(request)
    if (secret) await this.#store.delete(await keyOf(secret))
    return cookie(COOKIE, '', 0)
  }
}

const COOKIE = '__Host-tidegate-session'

const SESSION_SECONDS = 12 * 3_600

const SECRET_CHARS = 43

function secretOf(request: Request): string | undefined {
  const value = readCookie(request, COOKIE)
  return value?.length === SECRET_CHARS ? value : undefined
}

const keyOf = async (secret: string): Promise<string> => `session:${await hashOf(secret)}`
