import { hashOf, networkOf } from '../../registry/index.ts'
import type { SignInEnv } from '../settings.ts'
import { DAY_SECONDS, type Library, libraryFor } from './library.ts'
import { answering, OAuthFault } from './oauth-fault.ts'
import { bodyOf } from './request-body.ts'
import { type Store, seconds } from './store.ts'

interface Surroundings {
  readonly store: Store
  readonly env: SignInEnv
  ask(library: Library, request: Request): Promise<Response>
}

/**
 * Dynamic client registration (RFC 7591), which anybody may ask for: the library's, with bounds. A registration
 * that nobody signs in with is forgotten after a day; by its first token, the library lets it live on.
 */
export class Registration {
  readonly #around: Surroundings

  constructor(around: Surroundings) {
    this.#around = around
  }

  fetch(request: Request): Promise<Response> {
    return answering(this.#serve(request))
  }

  async #serve(request: Request): Promise<Response> {
    const { url, headers } = request
    const body = await bodyOf(request)
    await this.#assertRoom(headers.get('cf-connecting-ip'))
    const { env, ask } = this.#around
    const library = await libraryFor(new URL(url).origin, undefined, env, {
      registrationSeconds: UNUSED_SECONDS,
    })
    const answer = await ask(
      library,
      new Request(url, { method: 'POST', headers: JSON_BODY, body }),
    )
    if (answer.status !== 201) return answer
    // It lives as long as it is used, so its secret has no date. Some apps would register anew on that day.
    const made = (await answer.json()) as { client_secret_expires_at?: number }
    if (made.client_secret_expires_at !== undefined) made.client_secret_expires_at = 0
    return new Response(JSON.stringify(made), answer)
  }

  async #assertRoom(address: string | null): Promise<void> {
    const { store } = this.#around
    for (const [network, max] of address ? networksOf(address) : []) {
      const made = store.tally(`registrations ${await hashOf(network)}`, HOUR_SECONDS)
      if (made > max) throw tooMany('Too many apps registered from this network.')
    }
    const unused = store.countUntil('client:', seconds() + UNUSED_SECONDS)
    if (unused < MAX_UNUSED) return
    const isFreed = store.deleteFirst('client:', seconds() + UNUSED_SECONDS - HOUR_SECONDS)
    if (!isFreed) throw tooMany('Too many apps registered here within the last hour.')
  }
}

const JSON_BODY = { 'content-type': 'application/json' }

const HOUR_SECONDS = 3_600

/** How long a registration lives that no token was got with. */
const UNUSED_SECONDS = DAY_SECONDS

/** Registrations from one network, and from the site that it is of, in an hour. */
const MAX_FROM_NETWORK = 30
const MAX_FROM_SITE = 300

/** One customer may have 65,536 networks of IPv6 (a /48), or 256 addresses of IPv4. */
function networksOf(address: string): readonly (readonly [string, number])[] {
  const network = networkOf(address)
  const separator = network.includes(':') ? ':' : '.'
  const site = network.split(separator).slice(0, 3).join(separator)
  return [
    [network, MAX_FROM_NETWORK],
    [`site ${site}`, MAX_FROM_SITE],
  ]
}

/** Registrations without a token. Past it, the oldest one gives way, if it had an hour for a sign-in. */
const MAX_UNUSED = 2_000

const tooMany = (why: string): OAuthFault =>
  new OAuthFault('temporarily_unavailable', `${why} Try again in an hour.`, {
    status: 429,
    headers: { 'retry-after': `${HOUR_SECONDS}` },
  })
