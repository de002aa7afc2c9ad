import * as z from 'zod/mini'
import { ask, type Fetch, IssuerFault, SignedTokenFault } from '../issuer/ask.ts'
import { type Metadata, metadataOf } from '../issuer/metadata.ts'
import { type Claims, verified } from '../issuer/signed.ts'
import { type ClaimSettings, groupsClaim, nameIn, personClaim, personIn } from './claims.ts'
import { type CodeExchange, challengeFor, codeOf, refusedCode, unguessable } from './code.ts'
import { type IdentityProvider, SignInFault } from './person.ts'

/** A client registered with an OpenID provider. */
export interface OpenIdSettings extends ClaimSettings {
  readonly title: string
  readonly issuer: string
  readonly clientId: string
  /** Not set for a public client. */
  readonly clientSecret?: string | undefined
  /** Scopes to request in addition to the usual ones. */
  readonly scopes: readonly string[]
}

/** State to store until a person returns from the provider. */
const Kept = z.object({ issuer: z.string(), nonce: z.string(), verifier: z.string() })

const TokenAnswer = z.object({ id_token: z.string(), access_token: z.optional(z.string()) })

/** Signs people in with any OpenID provider, using discovery, a code, PKCE and a nonce. */
export const openId = (settings: OpenIdSettings, fetch: Fetch): IdentityProvider => ({
  title: settings.title,

  begin: (redirectUri, state) =>
    inWordsOfSignIn(async () => {
      const { issuer, clientId, scopes } = settings
      const { authorization_endpoint } = await complete(issuer, fetch)
      const [nonce, verifier] = [unguessable(), unguessable()]
      const location = new URL(authorization_endpoint)
      const asked = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: [...new Set(['openid', 'email', 'profile', ...scopes])].join(' '),
        state,
        nonce,
        ...(await challengeFor(verifier)),
      }
      for (const [name, value] of Object.entries(asked)) location.searchParams.set(name, value)
      return { location: location.href, kept: { issuer, nonce, verifier } }
    }),

  finish: (callback, redirectUri, kept) =>
    inWordsOfSignIn(async () => {
      const { issuer, clientId } = settings
      const { data: begun } = Kept.safeParse(kept)
      // The operator may have changed the provider in the meantime.
      if (begun?.issuer !== issuer) throw new SignInFault('This sign-in has ended. Sign in again.')
      const metadata = await complete(issuer, fetch)
      assertIssuer(callback, metadata)
      const exchange = { code: codeOf(callback), redirectUri, verifier: begun.verifier }
      const tokens = await redeem(exchange, metadata, settings, fetch)
      const expected = { issuer, audience: clientId, keysUrl: metadata.jwks_uri, types: ['jwt'] }
      const claims = await verified(tokens.id_token, expected, fetch)
      assertForUs(claims, clientId, begun.nonce)
      const all = await withUserinfo(claims, tokens.access_token, metadata, settings, fetch)
      return personIn(all, issuer, settings)
    }),
})

interface CompleteMetadata extends Metadata {
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
}

async function complete(issuer: string, fetch: Fetch): Promise<CompleteMetadata> {
  const metadata = await metadataOf(issuer, fetch)
  const { authorization_endpoint, token_endpoint, jwks_uri } = metadata
  if (authorization_endpoint && token_endpoint && jwks_uri) {
    return { ...metadata, authorization_endpoint, token_endpoint, jwks_uri }
  }
  throw new IssuerFault('The identity provider does not offer the sign-in of OpenID Connect.')
}

/** Refuses a response from another issuer, as in a mix-up attack (RFC 9207, section 2.4). */
function assertIssuer({ searchParams }: URL, metadata: Metadata): void {
  const named = searchParams.getAll('iss')
  const isPromised = metadata.authorization_response_iss_parameter_supported === true
  const isRight = named.length === 1 && named[0] === metadata.issuer
  if (!isRight && (isPromised || named.length > 0)) {
    throw new SignInFault('This answer is not from the identity provider. Sign in again.')
  }
}

async function redeem(
  { code, redirectUri, verifier }: CodeExchange,
  { token_endpoint, token_endpoint_auth_methods_supported: methods }: CompleteMetadata,
  { clientId, clientSecret }: OpenIdSettings,
  fetch: Fetch,
): Promise<z.infer<typeof TokenAnswer>> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  // RFC 8414, section 2: the default is client_secret_basic.
  if (clientSecret && (!methods || methods.includes('client_secret_basic'))) {
    headers.authorization = basic(clientId, clientSecret)
  } else {
    form.set('client_id', clientId)
    if (clientSecret) form.set('client_secret', clientSecret)
  }
  const request = { method: 'POST', headers, body: form.toString() }
  const { status, json } = await ask(token_endpoint, fetch, request)
  const { data } = TokenAnswer.safeParse(json)
  if (status === 200 && data) return data
  throw refusedCode(json)
}

/** The `Authorization` header for a client ID and its secret. Both are form-encoded first (RFC 6749, section 2.3.1). */
function basic(id: string, secret: string): string {
  const [user, password] = [id, secret].map((it) => new URLSearchParams({ it }).toString().slice(3))
  return `Basic ${btoa(`${user}:${password}`)}`
}

/** Checks that an ID token is for this client and this sign-in (OpenID Connect Core 1.0, section 3.1.3.7). */
function assertForUs({ aud, azp, nonce }: Claims, clientId: string, begun: string): void {
  const isShared = Array.isArray(aud) && aud.length > 1
  if (azp === undefined ? isShared : azp !== clientId) {
    throw new SignedTokenFault(
      'The identity provider sent a token for somebody else. Sign in again.',
    )
  }
  if (nonce !== begun) {
    throw new SignedTokenFault(
      'The identity provider sent a token of another sign-in. Sign in again.',
    )
  }
}

/** The claims in an ID token, plus the claims from userinfo if the ID token leaves out needed ones. */
async function withUserinfo(
  claims: Claims,
  accessToken: string | undefined,
  { userinfo_endpoint }: Metadata,
  settings: OpenIdSettings,
  fetch: Fetch,
): Promise<Claims> {
  // The ID token may not say that an address is verified, while userinfo does.
  const isUnsure = personClaim(settings) === 'email' && claims.email_verified === undefined
  const isNamed = nameIn(claims, settings) !== undefined && !isUnsure
  const isGrouped = claims[groupsClaim(settings)] !== undefined
  if ((isNamed && isGrouped) || !userinfo_endpoint || !accessToken) return claims
  const headers = { authorization: `Bearer ${accessToken}` }
  const { status, json } = await ask(userinfo_endpoint, fetch, { headers })
  const { data: more } = z.looseObject({ sub: z.string() }).safeParse(json)
  if (status !== 200 || !more) {
    throw new IssuerFault('The identity provider did not say who you are. Sign in again.')
  }
  // OpenID Connect Core 1.0, section 5.3.2: the access token could belong to somebody else.
  if (more.sub !== claims.sub) {
    throw new SignedTokenFault('The identity provider returned a different user. Sign in again.')
  }
  return isNamed ? { ...more, ...claims } : merged(claims, more)
}

/** Merges claims. Neither source vouches for the other's address. */
function merged(claims: Claims, more: Claims): Claims {
  const { email_verified: said, ...rest } = claims
  const isOther = more.email !== undefined && more.email !== claims.email
  return isOther && said !== undefined
    ? { ...rest, email_verified: false, ...more }
    : { ...claims, ...more }
}

/** Runs a step, and turns its errors into messages for the person who is signing in. */
async function inWordsOfSignIn<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    const isKnown = error instanceof IssuerFault || error instanceof SignedTokenFault
    throw isKnown ? new SignInFault(error.message) : error
  }
}
