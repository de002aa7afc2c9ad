import * as z from 'zod/mini'
import { ask, type Fetch } from '../issuer/ask.ts'
import { IssuerFault, TokenFault } from '../issuer/fault.ts'
import { type Metadata, metadataOf } from '../issuer/metadata.ts'
import { type Claims, verified } from '../issuer/signed.ts'
import { type ClaimSettings, groupsClaim, nameIn, personClaim, personIn } from './claims.ts'
import { codeOf, refusedCode } from './code.ts'
import { type IdentityProvider, SignInFault } from './person.ts'
import { challengeOf, unguessable } from './pkce.ts'

/** A client that is registered at an OpenID provider. */
export interface OpenIdSettings extends ClaimSettings {
  readonly title: string
  readonly issuer: string
  readonly clientId: string
  /** A public client has none. */
  readonly clientSecret?: string | undefined
  /** Scopes to ask for besides the usual ones. */
  readonly scopes: readonly string[]
}

/** What stays here while somebody is at the provider. */
const Kept = z.object({ issuer: z.string(), nonce: z.string(), verifier: z.string() })

const TokenAnswer = z.object({ id_token: z.string(), access_token: z.optional(z.string()) })

/** Signs people in at any OpenID provider, by its discovery, with a code, PKCE and a nonce. */
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
        code_challenge: await challengeOf(verifier),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(asked)) location.searchParams.set(name, value)
      return { location: location.href, kept: { issuer, nonce, verifier } }
    }),

  finish: (callback, redirectUri, kept) =>
    inWordsOfSignIn(async () => {
      const { issuer, clientId } = settings
      const { data: begun } = Kept.safeParse(kept)
      // The operator may have changed the provider meanwhile.
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

interface Complete extends Metadata {
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
}

async function complete(issuer: string, fetch: Fetch): Promise<Complete> {
  const metadata = await metadataOf(issuer, fetch)
  const { authorization_endpoint, token_endpoint, jwks_uri } = metadata
  if (authorization_endpoint && token_endpoint && jwks_uri) {
    return { ...metadata, authorization_endpoint, token_endpoint, jwks_uri }
  }
  throw new IssuerFault('The identity provider does not offer the sign-in of OpenID Connect.')
}

/** Refuses an answer of another issuer, which somebody mixed in (RFC 9207, section 2.4). */
function assertIssuer({ searchParams }: URL, metadata: Metadata): void {
  const named = searchParams.getAll('iss')
  const isPromised = metadata.authorization_response_iss_parameter_supported === true
  const isRight = named.length === 1 && named[0] === metadata.issuer
  if (!isRight && (isPromised || named.length > 0)) {
    throw new SignInFault('This answer is not from the identity provider. Sign in again.')
  }
}

interface Exchange {
  readonly code: string
  readonly redirectUri: string
  readonly verifier: string
}

async function redeem(
  { code, redirectUri, verifier }: Exchange,
  { token_endpoint, token_endpoint_auth_methods_supported: methods }: Complete,
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
  // RFC 8414, section 2: where the metadata does not say, it is client_secret_basic.
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
  throw refusedCode(z.object({ error: z.string() }).safeParse(json).data?.error)
}

/** RFC 6749, section 2.3.1: both are written as in a form first. */
function basic(id: string, secret: string): string {
  const [user, password] = [id, secret].map((it) => new URLSearchParams({ it }).toString().slice(3))
  return `Basic ${btoa(`${user}:${password}`)}`
}

/** OpenID Connect Core 1.0, section 3.1.3.7. */
function assertForUs({ aud, azp, nonce }: Claims, clientId: string, begun: string): void {
  const isShared = Array.isArray(aud) && aud.length > 1
  if (azp === undefined ? isShared : azp !== clientId) {
    throw new TokenFault('The identity provider sent a token for somebody else. Sign in again.')
  }
  if (nonce !== begun) {
    throw new TokenFault('The identity provider sent a token of another sign-in. Sign in again.')
  }
}

/** The claims of an ID token, and those of userinfo if the ID token leaves out what is needed. */
async function withUserinfo(
  claims: Claims,
  accessToken: string | undefined,
  { userinfo_endpoint }: Metadata,
  settings: OpenIdSettings,
  fetch: Fetch,
): Promise<Claims> {
  // That the ID token does not say whether an address is verified does not mean that nothing does.
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
  // OpenID Connect Core 1.0, section 5.3.2: the access token may be somebody else's.
  if (more.sub !== claims.sub) {
    throw new TokenFault('The identity provider told of somebody else. Sign in again.')
  }
  return isNamed ? { ...more, ...claims } : merged(claims, more)
}

/** What the one says of an address must not vouch for that of the other. */
function merged(claims: Claims, more: Claims): Claims {
  const { email_verified: said, ...rest } = claims
  const isOther = more.email !== undefined && more.email !== claims.email
  return isOther && said !== undefined
    ? { ...rest, email_verified: false, ...more }
    : { ...claims, ...more }
}

/** Runs a step, and says what went wrong in it to the person who signs in. */
async function inWordsOfSignIn<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    const isKnown = error instanceof IssuerFault || error instanceof TokenFault
    throw isKnown ? new SignInFault(error.message) : error
  }
}
