import { clientNetwork, hashOf, siteOf } from '../../ground/index.ts'
import { DAY_SECONDS, type Library, libraryFor } from './library.ts'
import { bodyOf, OAuthFault } from './oauth-request.ts'
import type { ServerParts } from './parts.ts'
import { type Store, seconds } from './store.ts'

/**
 * Dynamic client registration (RFC 7591), open to anybody. The library does the work, and this adds limits. A
 * registration that nobody signs in with is deleted after a month. The library extends it when it issues the first
 * token.
 */
export async function register(
  request: Request,
  { env, store }: ServerParts,
  ask: (library: Library, request: Request) => Promise<Response>,
): Promise<Response> {
  const { url, headers } = request
  const body = await bodyOf(request)
  assertByProgram(headers)
  const network = clientNetwork(headers) ?? ''
  const counted = await countRegistration(store, network)
  const library = await libraryFor(new URL(url).origin, undefined, env, {
    registrationSeconds: UNUSED_SECONDS,
  })
  const answer = await ask(library, new Request(url, { method: 'POST', headers: JSON_BODY, body }))
  if (answer.status !== 201) {
    for (const it of counted) store.untally(it)
    return answer
  }
  // A registration lasts as long as it is used, so its secret has no expiration date. Some apps would register again on
  // that date.
  const made = (await answer.json()) as { client_id: string; client_secret_expires_at?: number }
  if (made.client_secret_expires_at !== undefined) made.client_secret_expires_at = 0
  store.placed(`client:${made.client_id}`, await hashOf(siteOf(network)))
  const until = seconds() + UNUSED_SECONDS
  if (store.countUntil('client:', until) > MAX_UNUSED) store.makeRoom(until)
  return new Response(JSON.stringify(made), answer)
}

/** Counts a registration before it is created, so concurrent ones count, too. */
async function countRegistration(store: Store, network: string): Promise<readonly string[]> {
  if (!network) return []
  const places = [
    [await hashOf(network), MAX_OF_NETWORK],
    [await hashOf(`site ${siteOf(network)}`), MAX_OF_SITE],
  ] as const
  const counted: string[] = []
  for (const [place, max] of places) {
    const what = `registrations ${place}`
    counted.push(what)
    if (store.tally(what, HOUR_SECONDS) <= max) continue
    // Refused registrations are not counted: counters for many networks would push out their site's counter.
    for (const it of counted) store.untally(it)
    throw TOO_MANY
  }
  return counted
}

/** Refuses forms on web pages, which could make somebody else's browser register an app. */
function assertByProgram(headers: Headers): void {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const mode = headers.get('sec-fetch-mode')
  // A page that uses fetch has sent a preflight (CORS), and its mode is cors.
  if (type === 'application/json' && mode !== 'navigate' && mode !== 'no-cors') return
  throw new OAuthFault('invalid_client_metadata', 'Send the metadata as application/json.')
}

const JSON_BODY = { 'content-type': 'application/json' }

const HOUR_SECONDS = 3_600

/**
 * Lifetime of a registration without a token. Many apps register when they start, but are used to sign in later, and
 * never register again.
 */
const UNUSED_SECONDS = 30 * DAY_SECONDS

/** Maximum number of registrations per hour from one network, and from the wider network that contains it. */
const MAX_OF_NETWORK = 30
const MAX_OF_SITE = 300

/** Maximum number of registrations without a token. Above it, the site with the most of them loses its oldest one. */
const MAX_UNUSED = 2_000

const TOO_MANY = new OAuthFault(
  'temporarily_unavailable',
  'Too many apps registered from this network. Try again in an hour.',
  { status: 429, headers: { 'retry-after': `${HOUR_SECONDS}` } },
)
