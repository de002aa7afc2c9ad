import type { EmaOptions, OAuthAuthorizationServer } from '@cloudflare/workers-oauth-provider'
import { READ, resourceOf } from '../resource.ts'
import { daysIn, type SignInEnv } from '../settings.ts'
import { errorDescription } from './error-description.ts'
import { mayBeRegistered } from './redirect-uri.ts'
import type { Store } from './store.ts'

/** What the library wants to find in its environment. */
export interface LibraryEnv {
  readonly OAUTH_KV: Store
}

export type Library = OAuthAuthorizationServer<LibraryEnv>

/** How long an access token lives, in seconds. */
export const ACCESS_TOKEN_SECONDS = 3_600

/** What differs from one use of the library to another. */
interface Options {
  /** How long a registration lives that it takes. */
  readonly registrationSeconds?: number
  /** Exchanges what the identity provider of an enterprise says. */
  readonly enterprise?: EmaOptions<unknown> | undefined
}

/**
 * The library's authorization server. Its list of resources is fixed when it is made, which costs less than a tenth
 * of a millisecond: so one is made for each request, with `/mcp` and the endpoint that the request is about.
 */
export async function libraryFor(
  origin: string,
  name: string | undefined,
  env: SignInEnv,
  { registrationSeconds, enterprise }: Options = {},
): Promise<Library> {
  const { OAuthAuthorizationServer } = await import('@cloudflare/workers-oauth-provider')
  const days = daysOf(env)
  return new OAuthAuthorizationServer<LibraryEnv>({
    issuer: origin,
    resources: [resourceOf(origin), ...(name ? [resourceOf(origin, name)] : [])],
    defaultResource: resourceOf(origin),
    tokenEndpoint: '/token',
    clientRegistrationEndpoint: '/register',
    scopesSupported: [READ, 'offline_access'],
    clientIdMetadataDocumentEnabled: true,
    accessTokenTTL: ACCESS_TOKEN_SECONDS,
    refreshTokenTTL: days * DAY_SECONDS,
    refreshTokenIdleTTL: days * DAY_SECONDS,
    // A registration is renewed by a use after half of this, and must not end before its grants do.
    clientRegistrationTTL: registrationSeconds ?? 2 * days * DAY_SECONDS,
    ...(enterprise && { enterpriseManagedAuthorization: enterprise }),
    clientRegistrationCallback: ({ clientMetadata: { redirect_uris: uris } }) => {
      if (Array.isArray(uris) && uris.every(mayBeRegistered)) return undefined
      const description = 'Redirect URIs are https, or http on localhost, 127.0.0.1 or [::1].'
      return { code: 'invalid_redirect_uri', description }
    },
    onError: ({ status, code, description, headers, internal }) => {
      // A stranger's words are in the rest of it.
      console.log(JSON.stringify({ oauth: code, status, reason: internal?.reason }))
      if (isUnreachable(internal)) {
        const told = { error: 'temporarily_unavailable', error_description: UNREACHABLE }
        const waits = { ...headers, 'retry-after': '60' }
        return Response.json(told, { status: 503, headers: waits })
      }
      const told = { error: code, error_description: errorDescription(description) }
      return Response.json(told, { status, headers })
    },
  })
}

/**
 * Whether a request failed only because the app's metadata document, or its keys, cannot be read for a while: its site
 * may be down, block us, or show a page of its own. To `invalid_client` apps forget their grant.
 */
function isUnreachable(internal: { category?: string; detail?: unknown } | undefined): boolean {
  const { category, detail } = internal ?? {}
  const { message, reason } = Object(detail) as { message?: unknown; reason?: unknown }
  if (category === 'client-id-metadata-document') return !WITHDRAWN.test(String(message))
  return category === 'client-authentication' && reason === 'jwks_fetch_failed'
}

/** Its site says that there is no such document, or the document is of another app. */
const WITHDRAWN = /HTTP 4(?:04|10)$|does not match metadata URL/

const UNREACHABLE =
  'The metadata document of the app, or its keys, cannot be read now. Try again in a minute.'

export const DAY_SECONDS = 86_400

/** How many days a grant lasts from its last use. */
export const daysOf = (env: SignInEnv): number => daysIn(env) ?? 90
