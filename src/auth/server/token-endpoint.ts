import { hashOf } from '../../ground/index.ts'
import { groupsFault } from '../sign-in/group-list.ts'
import { isOfProvider, type Person } from '../sign-in/person.ts'
import type { SignInEvent } from './events.ts'
import { DAY_SECONDS, daysOf, libraryFor } from './library.ts'
import { answering, formOf, OAuthFault } from './oauth-request.ts'
import type { ServerParts } from './parts.ts'
import { answerTo, type GrantName, isSpent, noteRefresh } from './rotation.ts'
import { isDocument, shownClient } from './shown-client.ts'
import { seconds } from './store.ts'
import type { TokenLibrary, TokenRequest } from './token-library.ts'

/** A code or token from an existing grant. */
interface ShownToken {
  readonly text: string
  readonly hash: string
  readonly name: GrantName
  readonly grant: StoredGrant
}

/** The fields of the library's grant that are needed here. */
interface StoredGrant {
  readonly clientId: string
  readonly resource?: string
  readonly createdAt: number
  readonly metadata?: { readonly person?: Person; readonly client?: string }
  readonly authCodeId?: string
  /** Present until the code is used. */
  readonly authCodeWrappedKey?: string
  readonly refreshTokenId?: string
  readonly previousRefreshTokenId?: string
}

/**
 * The endpoint for tokens and revocation (RFC 6749, section 3.2; RFC 7009): the library's, plus features that it lacks.
 */
export class TokenEndpoint {
  readonly #parts: ServerParts
  readonly #library: TokenLibrary

  constructor(parts: ServerParts, library: TokenLibrary) {
    this.#parts = parts
    this.#library = library
  }

  fetch(request: Request): Promise<Response> {
    return answering(this.#serve(request))
  }

  async #serve(request: Request): Promise<Response> {
    const form = await formOf(request)
    const { url, headers } = request
    const authorization = headers.get('authorization')
    const asked = { url, authorization, form, clientId: shownClient(form, headers) }
    const type = form.get('grant_type')
    const text = form.get(parameterOf(type) ?? 'token')
    const [, name, userId, id] = text?.match(OF_A_GRANT) ?? []
    if (!text || !name || !userId || !id) return this.#aboutNothing(asked)
    const { store, turns } = this.#parts
    if (turns.waiting(name) >= MAX_WAITING) {
      const headers = { 'retry-after': '5' }
      throw new OAuthFault('temporarily_unavailable', TOO_MANY, { status: 429, headers })
    }
    return turns.take(name, async () => {
      const grant: StoredGrant | null = await store.get(`grant:${name}`, 'json')
      if (!grant) return this.#aboutNothing(asked)
      if (isDocument(asked.clientId) && grant.clientId !== asked.clientId) {
        return this.#aboutNothing(asked)
      }
      const shown = { text, hash: await hashOf(text), name: { userId, id }, grant }
      if (type === 'authorization_code') return this.#exchange(asked, shown)
      if (type === 'refresh_token') return this.#refresh(asked, shown)
      return this.#revoke(asked, shown)
    })
  }

  /**
   * Answers a request without a code or token from an existing grant. For such a request, the library would first fetch
   * the app's metadata document, from any URL that a stranger enters. The library authenticates registered apps. An
   * unknown app must learn that it is unknown, because it then registers again.
   */
  #aboutNothing(asked: TokenRequest): Promise<Response> | Response {
    const { form, clientId } = asked
    const type = form.get('grant_type')
    const isAssertion = type === JWT_BEARER && Boolean(this.#parts.env.ENTERPRISE_ISSUER)
    if (!isDocument(clientId) || isAssertion) return this.#library.ask(asked, form)
    if (!type && form.has('token')) return new Response(null, { headers: NOT_KEPT })
    const parameter = parameterOf(type)
    if (!type) throw new OAuthFault('invalid_request', 'The parameter grant_type is missing.')
    if (!parameter) throw new OAuthFault('unsupported_grant_type', NO_SUCH_TYPE)
    if (!form.has(parameter)) {
      throw new OAuthFault('invalid_request', `The parameter ${parameter} is missing.`)
    }
    throw new OAuthFault('invalid_grant', NO_GRANT)
  }

  /** Exchanges a code for tokens. A code used twice may have been stolen, so the library ends its grant. */
  async #exchange(asked: TokenRequest, { hash, name, grant }: ShownToken): Promise<Response> {
    const verifier = asked.form.get('code_verifier')
    if (verifier !== null && !VERIFIER.test(verifier)) {
      throw new OAuthFault('invalid_request', NO_VERIFIER)
    }
    const isUsed = grant.authCodeId === hash && !grant.authCodeWrappedKey
    const answer = await this.#library.ask(asked, asked.form, grant.resource)
    if (isUsed && !(await this.#isThere(name))) {
      this.#note('token replayed', grant, 'A code was used twice.')
    }
    return answer
  }

  /** Issues new tokens for a refresh token, and the same ones again if the app repeats the request within a minute. */
  async #refresh(asked: TokenRequest, shown: ShownToken): Promise<Response> {
    const { hash, name, grant } = shown
    const { store, env } = this.#parts
    const form = new URLSearchParams(asked.form)
    // On `invalid_target`, an app would retry forever. The grant determines the resource.
    form.delete('resource')
    const isOwner = asked.clientId === grant.clientId
    if (isOwner && [grant.refreshTokenId, grant.previousRefreshTokenId].includes(hash)) {
      await this.#assertGroups(asked, name, grant)
    }
    const kept = isOwner && (await answerTo(store, name, shown))
    if (kept) {
      // With an impossible refresh token, the library authenticates the app, but changes nothing.
      form.set('refresh_token', 'none')
      const checked = await this.#library.ask(asked, form, grant.resource)
      return (await isInvalidGrant(checked)) ? tokens(kept) : checked
    }
    const { refreshTokenId: current, previousRefreshTokenId: previous } = grant
    const answer = await this.#library.ask(asked, form, grant.resource)
    if (answer.ok) {
      await noteRefresh(store, name, shown, {
        dropped: hash === current ? undefined : current,
        answer: await answer.clone().text(),
        expiration: seconds() + daysOf(env) * DAY_SECONDS,
      })
    } else if (isOwner && hash !== current && hash !== previous) {
      const isReplayed = await isSpent(store, name, shown)
      if (isReplayed && (await isInvalidGrant(answer))) {
        // Two parties have its refresh tokens, and there is no way to tell which of the two stole them.
        await this.#end(asked, name)
        this.#note('token replayed', grant, 'A refresh token came after its successor was used.')
      }
    }
    return answer
  }

  /** Revokes an access token, or the grant of a refresh token. */
  async #revoke(asked: TokenRequest, { name, grant }: ShownToken): Promise<Response> {
    const answer = await this.#library.ask(asked, asked.form)
    if (!(await this.#isThere(name))) {
      this.#note('grant revoked', grant, 'The app revoked it.')
    }
    return answer
  }

  /** Ends a grant that depends on groups, once the provider has to confirm them again. Throws {@link OAuthFault}. */
  async #assertGroups(asked: TokenRequest, name: GrantName, grant: StoredGrant): Promise<void> {
    const { person } = grant.metadata ?? {}
    if (!person || !isOfProvider(person)) return
    const why = await groupsFault(person, grant.createdAt * 1_000, this.#parts.groupsCount)
    if (why === undefined) return
    await this.#end(asked, name)
    this.#note('grant revoked', grant, why)
    throw new OAuthFault('invalid_grant', why)
  }

  async #end({ url }: TokenRequest, { userId, id }: GrantName): Promise<void> {
    const { store, env } = this.#parts
    const library = await libraryFor(new URL(url).origin, undefined, env)
    await library.getOAuthApi({ OAUTH_KV: store }).revokeGrant(id, userId)
  }

  async #isThere({ userId, id }: GrantName): Promise<boolean> {
    return (await this.#parts.store.get(`grant:${userId}:${id}`)) !== null
  }

  #note(kind: SignInEvent['kind'], { metadata }: StoredGrant, why: string): void {
    const { person, client } = metadata ?? {}
    this.#parts.events.note({ kind, person: person?.name, client, why })
  }
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** A verifier, which is too long to be guessed (RFC 7636, section 4.1). */
const VERIFIER = /^[\w.~-]{43,128}$/

/** The parameter with the code or token to exchange. */
const parameterOf = (type: string | null): string | undefined => {
  if (type === 'authorization_code') return 'code'
  return type === 'refresh_token' ? type : undefined
}

/** Prefix of codes and tokens: the user and the grant. */
const OF_A_GRANT = /^(([\w-]{43}):([\w-]{16})):/

/** Maximum number of concurrent requests for one grant. */
const MAX_WAITING = 50

const NOT_KEPT = { 'cache-control': 'no-store', pragma: 'no-cache' }

const tokens = (body: string): Response =>
  new Response(body, { headers: { 'content-type': 'application/json', ...NOT_KEPT } })

async function isInvalidGrant(answer: Response): Promise<boolean> {
  if (answer.status !== 400) return false
  return (await answer.clone().text()).includes('"error":"invalid_grant"')
}

const NO_VERIFIER = 'A code_verifier has 43 to 128 letters, digits, and -._~ (RFC 7636).'
const NO_GRANT =
  'This code or token was not issued here, was used before, has expired, or was revoked. Sign in again.'
const TOO_MANY = 'Too many requests for this grant are in progress. Try again in a few seconds.'
const NO_SUCH_TYPE = 'The grant_type is authorization_code or refresh_token.'
