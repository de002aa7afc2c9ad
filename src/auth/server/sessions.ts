import { hashOf, randomText } from '../../registry/index.ts'
import type { Person } from '../sign-in/person.ts'
import type { Store } from './store.ts'

/** A person who signed in with this browser. */
export interface Session {
  readonly person: Person
  /** Whether they came in by a provider. */
  readonly isForeign: boolean
}

/** Who is signed in, by the cookie of their browser. */
export class Sessions {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Begins a session. Returns the `Set-Cookie` header that holds it. */
  async begin(session: Session): Promise<string> {
    const secret = randomText(43)
    await this.#store.put(await keyOf(secret), JSON.stringify(session), {
      expirationTtl: SESSION_SECONDS,
    })
    return `${COOKIE}=${secret}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${SESSION_SECONDS}`
  }

  /** Who is signed in with the browser that sends this. */
  async of(request: Request): Promise<Session | undefined> {
    const secret = cookieOf(request)
    if (!secret) return undefined
    return ((await this.#store.get(await keyOf(secret), 'json')) as Session | null) ?? undefined
  }

  /** Ends it. Returns the `Set-Cookie` header that forgets it. */
  async end(request: Request): Promise<string> {
    const secret = cookieOf(request)
    if (secret) await this.#store.delete(await keyOf(secret))
    return `${COOKIE}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`
  }
}

const COOKIE = '__Host-tidegate-session'

const SESSION_SECONDS = 12 * 3_600

function cookieOf({ headers }: Request): string | undefined {
  for (const part of (headers.get('cookie') ?? '').split(';')) {
    const [name, value = ''] = part.trim().split('=')
    if (name === COOKIE && /^[A-Za-z0-9]{43}$/.test(value)) return value
  }
  return undefined
}

const keyOf = async (secret: string): Promise<string> => `session:${await hashOf(secret)}`
