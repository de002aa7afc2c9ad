import { randomText } from '../../ground/index.ts'
import { type IdentityProvider, type Person, SignInFault } from '../sign-in/person.ts'
import { cookie, cookiesNamed, readCookie } from './cookies.ts'
import type { ServerParts } from './parts.ts'
import { questionIn } from './question.ts'
import { seeOther } from './redirect.ts'

/** Time that a person has to sign in at their provider. */
const LIFE_SECONDS = 600

const STATE_CHARS = 43

/** Browsers store cookies of up to 4,096 characters. A long request needs several. */
const MAX_PARTS = 3

/** Maximum total length of these cookies in a browser. Above it, the cookies from earlier tabs are deleted. */
const MAX_COOKIE_CHARS = 8_000

/** The sealed state in the browser while a person is at their provider. */
interface RoundTrip {
  /** The app's request that they came with, as a path on this server. */
  readonly to: string
  /** State that the provider needs when they return. */
  readonly kept: unknown
  /** In milliseconds since 1970. */
  readonly until: number
}

/**
 * Sends a person to the provider, for one round trip with one browser. Anybody can start one, so its state is not
 * stored here, but sealed into a cookie.
 */
export async function leaveForProvider(
  { keys }: ServerParts,
  request: Request,
  provider: IdentityProvider,
): Promise<Response> {
  const state = randomText(STATE_CHARS)
  const { location, kept } = await provider.begin(callbackOf(request), state)
  const until = Date.now() + LIFE_SECONDS * 1000
  const trip: RoundTrip = { to: questionIn(request.url), kept, until }
  const { keyId, iv, text } = await keys.seal(JSON.stringify(trip), keyOf(state))
  const parts = `${keyId}.${iv}.${text}`.match(PARTS)!
  if (parts.length > MAX_PARTS) throw new SignInFault(TOO_LONG)
  const headers = new Headers()
  const sent = cookiesNamed(request, PREFIX)
  const isFull = sent.reduce((sum, { length }) => sum + length, 0) > MAX_COOKIE_CHARS
  for (const it of isFull ? sent : []) headers.append('set-cookie', ended(it.split('=', 1)[0]!))
  for (const [i, part] of parts.entries())
    headers.append('set-cookie', cookie(nameOf(state, i), part, LIFE_SECONDS))
  return seeOther(location, headers)
}

/**
 * Returns the person who comes back from the provider, and the app's request that they came with. Throws {@link
 * SignInFault}.
 */
export async function returnFromProvider(
  { keys, store }: ServerParts,
  request: Request,
  provider: IdentityProvider | undefined,
): Promise<Back> {
  const url = new URL(request.url)
  const state = url.searchParams.get('state') ?? ''
  const isState = state.length === STATE_CHARS && /^\w+$/.test(state)
  const parts = isState ? partsOf(request, state) : []
  const [keyId = '', iv = '', text = ''] = parts.join('').split('.')
  const opened = await keys.open({ keyId, iv, text }, keyOf(state))
  if (opened === undefined) throw new SignInFault(NOT_BEGUN)
  const trip = JSON.parse(opened) as RoundTrip
  const isOver = trip.until <= Date.now() || (await store.get(keyOf(state))) !== null
  if (isOver || !provider) {
    throw new SignInFault('This sign-in has ended. Go back to the app, and start again.')
  }
  const headers = new Headers()
  for (const i of parts.keys()) headers.append('set-cookie', ended(nameOf(state, i)))
  return {
    to: trip.to,
    headers,
    person: async () => {
      const person = await provider.finish(url, callbackOf(request), trip.kept)
      // Only after a successful sign-in, so strangers cause no writes.
      await store.put(keyOf(state), '', { expirationTtl: LIFE_SECONDS })
      return person
    },
  }
}

/** A person who returns from the provider. */
interface Back {
  /** The app's request that they came with, as a path on this server. */
  readonly to: string
  /** Headers that delete the cookies of this round trip. */
  readonly headers: Headers
  /** The person whom the provider identifies. Throws {@link SignInFault}. */
  person(): Promise<Person>
}

const callbackOf = ({ url }: Request): string => new URL('/signin/callback', url).href

const keyOf = (state: string): string => `way-back:${state}`

/** One cookie's part of the state: a browser stores about 4,000 characters per cookie. */
const PARTS = /.{1,3500}/g

const PREFIX = '__Host-tidegate-way-back-'

/** Name of a cookie, separate for each tab. */
const nameOf = (state: string, part: number): string =>
  `${PREFIX}${state.slice(0, 16)}${part === 0 ? '' : `-${part}`}`

function partsOf(request: Request, state: string): readonly string[] {
  const parts: string[] = []
  for (let i = 0; i < MAX_PARTS; i++) {
    const part = readCookie(request, nameOf(state, i))
    if (!part) break
    parts.push(part)
  }
  return parts
}

/** The header that deletes a cookie. */
const ended = (name: string): string => cookie(name, '', 0)

const NOT_BEGUN =
  'This sign-in was not started in this browser, has ended, or the browser does not keep cookies. Go back to the app, and start again.'
const TOO_LONG =
  'The request of the app is too long for a sign-in at the provider. Contact the developer of the app.'
