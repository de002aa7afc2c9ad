import type { EmaOptions, OAuthAuthorizationServer } from '@cloudflare/workers-oauth-provider'
import { READ } from '../../registry/index.ts'
import { resourceOf } from '../resource.ts'
import { daysIn, type SignInEnv } from '../settings.ts'
import { isWithdrawn } from './library-sentences.ts'
import { mayBeRegistered } from './redirect-uri.ts'
import type { Store } from './store.ts'

/** The environment that the library expects. */
interface LibraryEnv {
  readonly OAUTH_KV: Store
}

/** The OAuth library's authorization server, with our storage. */
export type Library = OAuthAuthorizationServer<LibraryEnv>

/** Minimum number of days that a registration lasts after its last use. Some apps never register again. */
const USED_DAYS = 365

/** Lifetime of an access token, in seconds. */
const ACCESS_TOKEN_SECONDS = 3_600

/** Options that differ between uses of the library. */
interface LibraryOptions {
  /** Lifetime of a new registration. */
  readonly registrationSeconds?: number
  /** Exchanges assertions from an enterprise's identity provider. */
  readonly enterprise?: EmaOptions<unknown> | undefined
}

/**
 * Creates the library's authorization server. Its list of resources is fixed on creation, so one is created for each
 * request, with `/mcp` and the requested endpoint. That takes less than a tenth of a millisecond.
 */
export async function libraryFor(
  origin: string,
  name: string | undefined,
  env: SignInEnv,
  { registrationSeconds, enterprise }: LibraryOptions = {},
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
    // Use renews a registration after half of this time. A registration must not end before its grants do.
    clientRegistrationTTL: registrationSeconds ?? Math.max(2 * days, USED_DAYS) * DAY_SECONDS,
    ...(enterprise && { enterpriseManagedAuthorization: enterprise }),
    clientRegistrationCallback: ({ clientMetadata: { redirect_uris: uris } }) => {
      if (Array.isArray(uris) && uris.every(mayBeRegistered)) return undefined
      const description = 'Redirect URIs are https, or http on localhost, 127.0.0.1 or [::1].'
      return { code: 'invalid_redirect_uri', description }
    },
    onError: ({ status, code, description, headers, internal }) => {
      // The other fields can contain a stranger's text.
      console.log(JSON.stringify({ oauth: code, status, reason: internal?.reason }))
      if (isUnreachable(internal)) {
        const body = { error: 'temporarily_unavailable', error_description: UNREACHABLE }
        return Response.json(body, { status: 503, headers: { ...headers, 'retry-after': '60' } })
      }
      const body = { error: code, error_description: errorDescription(description) }
      return Response.json(body, { status, headers })
    },
  })
}

/**
 * True if a request failed only because the app's metadata document or its keys temporarily cannot be read: its site
 * may be down, block us, or show some other page. On `invalid_client`, apps delete their grant.
 */
function isUnreachable(internal: { category?: string; detail?: unknown } | undefined): boolean {
  const { category, detail } = internal ?? {}
  const { message, reason } = Object(detail) as { message?: unknown; reason?: unknown }
  if (category === 'client-id-metadata-document') return !isWithdrawn(message)
  return category === 'client-authentication' && reason === 'jwks_fetch_failed'
}

/**
 * Shortens an error description, and replaces the characters that it cannot contain (RFC 6749, sections 4.1.2.1 and
 * 5.2). The library repeats text that a stranger wrote.
 */
export const errorDescription = (text: string): string =>
  text.slice(0, MAX_CHARS).replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')

const MAX_CHARS = 200

const UNREACHABLE =
  'The metadata document of the app, or its keys, cannot be read now. Try again in a minute.'

/** Length of a day, in seconds. */
export const DAY_SECONDS = 86_400

/** Days that a grant lasts after its last use. */
export const daysOf = (env: SignInEnv): number => daysIn(env) ?? 90
