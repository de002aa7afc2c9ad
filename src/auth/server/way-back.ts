import { hashOf, networkOf, randomText } from '../../registry/index.ts'
import { type IdentityProvider, type Person, SignInFault } from '../sign-in/person.ts'
import { cookie, readCookie } from './cookies.ts'
import { questionIn } from './question.ts'
import { seeOther } from './redirect.ts'
import type { Store } from './store.ts'

/** How long a person may be at their provider. */
const LIFE_SECONDS = 600

const SECRET_CHARS = 43

/** How many may be there at once: anybody can begin, and each takes a few kilobytes. */
const MAX_BEGUN = 10_000

/** How many of them come from one network, so that it takes many to keep everybody out. */
const MAX_OF_NETWORK = 300

/** What stays here while a person is at their provider. */
interface Begun {
  /** The question that they came with: a path of this server. */
  readonly to: string
  /** What the provider needs when they are back. */
  readonly kept: unknown
}

/** The way to the provider and back, for one browser, once. */
export class WayBack {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Sends a person to the provider. The state that it brings back is the hash of what their browser keeps. */
  async begin(request: Request, provider: IdentityProvider): Promise<Response> {
    const address = request.headers.get('cf-connecting-ip')
    const network = address ? await hashOf(networkOf(address)) : undefined
    if (network && this.#store.tally(`ways ${network}`, LIFE_SECONDS) > MAX_OF_NETWORK) {
      throw new SignInFault(
        'Too many sign-ins were begun from your network. Try again in ten minutes.',
      )
    }
    if (this.#store.count(PREFIX) >= MAX_BEGUN) {
      throw new SignInFault(
        'Too many people are at the provider at once. Try again in ten minutes.',
      )
    }
    const secret = randomText(SECRET_CHARS)
    const state = await hashOf(secret)
    const { location, kept } = await provider.begin(callbackOf(request), state)
    const begun: Begun = { to: questionIn(request.url), kept }
    await this.#store.put(keyOf(state), JSON.stringify(begun), { expirationTtl: LIFE_SECONDS })
    return seeOther(location, { 'set-cookie': cookie(nameOf(state), secret, LIFE_SECONDS) })
  }

  /** Who comes back from the provider, and the question that they came with. Throws {@link SignInFault}. */
  async finish(request: Request, provider: IdentityProvider | undefined): Promise<Back> {
    const url = new URL(request.url)
    const state = url.searchParams.get('state') ?? ''
    const secret = /^[0-9a-f]{64}$/.test(state) ? readCookie(request, nameOf(state)) : undefined
    if (!secret || (await hashOf(secret)) !== state) {
      throw new SignInFault(
        'This sign-in was not begun in this browser, has ended, or the browser keeps no cookies. Go back to the app, and start again.',
      )
    }
    const begun = (await this.#store.take(keyOf(state))) as Begun | undefined
    if (!begun || !provider) {
      throw new SignInFault('This sign-in has ended. Go back to the app, and start again.')
    }
    return {
      to: begun.to,
      headers: { 'set-cookie': cookie(nameOf(state), '', 0) },
      person: () => provider.finish(url, callbackOf(request), begun.kept),
    }
  }
}

/** Somebody who comes back from the provider. */
interface Back {
  /** The question that they came with: a path of this server. */
  readonly to: string
  /** What ends their way. */
  readonly headers: Readonly<Record<string, string>>
  /** Who the provider says that they are. Throws {@link SignInFault}. */
  person(): Promise<Person>
}

const callbackOf = ({ url }: Request): string => new URL('/signin/callback', url).href

const PREFIX = 'way-back:'

const keyOf = (state: string): string => PREFIX + state

/** A cookie for each of several tabs. */
const nameOf = (state: string): string => `__Host-tidegate-way-back-${state.slice(0, 16)}`
