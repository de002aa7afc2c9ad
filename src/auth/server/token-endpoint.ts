import { hashOf } from '../../registry/index.ts'
import type { SignInEnv } from '../settings.ts'
import type { Events, SignInEvent } from './events.ts'
import { DAY_SECONDS, daysOf, libraryFor } from './library.ts'
import { answering, OAuthFault } from './oauth-fault.ts'
import { isVerifier } from './pkce.ts'
import { formOf } from './request-body.ts'
import { type GrantName, Rotations } from './rotation.ts'
import { isDocument, shownClient } from './shown-client.ts'
import { type Store, seconds } from './store.ts'
import type { Asked, TokenLibrary } from './token-library.ts'
import type { Turns } from './turns.ts'

interface Surroundings {
  readonly store: Store
  readonly env: SignInEnv
  readonly events: Events
  readonly turns: Turns
  readonly library: TokenLibrary
}

/** A code or token of a grant that there is. */
interface Shown {
  readonly text: string
  readonly hash: string
  readonly name: GrantName
  readonly grant: KeptGrant
}

/** What the library keeps of a grant, as far as it is needed here. */
interface KeptGrant {
  readonly clientId: string
  readonly resource?: string
  readonly metadata?: { readonly person?: { readonly name: string }; readonly client?: string }
  readonly authCodeId?: string
  /** There until the code is used. */
  readonly authCodeWrappedKey?: string
  readonly refreshTokenId?: string
  readonly previousRefreshTokenId?: string
}

/** The token endpoint and revocation (RFC 6749, section 3.2; RFC 7009): the library's, and what it lacks. */
export class TokenEndpoint {
  readonly #around: Surroundings
  readonly #rotations: Rotations

  constructor(around: Surroundings) {
    this.#around = around
    this.#rotations = new Rotations(around.store)
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
    const { store, turns } = this.#around
    if (turns.waiting(name) >= MAX_WAITING) {
      const headers = { 'retry-after': '5' }
      throw new OAuthFault('temporarily_unavailable', TOO_MANY, { status: 429, headers })
    }
    return turns.take(name, async () => {
      const grant: KeptGrant | null = await store.get(`grant:${name}`, 'json')
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
   * Answers who shows nothing that was given out here. The library would fetch the metadata document of the app
   * first, from wherever a stranger says. An app that registered is asked who it is: if it is unknown, it has to
   * learn that, and registers again.
   */
  #aboutNothing(asked: Asked): Promise<Response> | Response {
    const { form, clientId } = asked
    const type = form.get('grant_type')
    const isAssertion = type === JWT_BEARER && Boolean(this.#around.env.ENTERPRISE_ISSUER)
    if (!isDocument(clientId) || isAssertion) return this.#around.library.ask(asked, form)
    if (!type && form.has('token')) return new Response(null, { headers: NOT_KEPT })
    const parameter = parameterOf(type)
    if (!type) throw new OAuthFault('invalid_request', 'The parameter grant_type is missing.')
    if (!parameter) throw new OAuthFault('unsupported_grant_type', NO_SUCH_TYPE)
    if (!form.has(parameter)) {
      throw new OAuthFault('invalid_request', `The parameter ${parameter} is missing.`)
    }
    throw new OAuthFault('invalid_grant', NO_GRANT)
  }

  /** Gives tokens for a code. One that comes twice may have been stolen: the library ends its grant. */
  async #exchange(asked: Asked, { hash, name, grant }: Shown): Promise<Response> {
    const verifier = asked.form.get('code_verifier')
    if (verifier !== null && !isVerifier(verifier)) {
      throw new OAuthFault('invalid_request', NO_VERIFIER)
    }
    const isUsed = grant.authCodeId === hash && !grant.authCodeWrappedKey
    const answer = await this.#around.library.ask(asked, asked.form, grant.resource)
    if (isUsed && !(await this.#isThere(name))) {
      this.#note('token replayed', grant, 'A code was used twice.')
    }
    return answer
  }

  /** Gives new tokens for a refresh token; and the same ones again to who asks again within a minute. */
  async #refresh(asked: Asked, { text, hash, name, grant }: Shown): Promise<Response> {
    const form = new URLSearchParams(asked.form)
    // An app that reads `invalid_target` asks again forever. What was granted decides.
    form.delete('resource')
    const isOwner = asked.clientId === grant.clientId
    const kept = isOwner && (await this.#rotations.answerTo(name, text, hash))
    if (kept) {
      // A refresh token that cannot be: the library checks who asks, and changes nothing.
      form.set('refresh_token', 'none')
      const checked = await this.#around.library.ask(asked, form, grant.resource)
      return (await isInvalidGrant(checked)) ? tokens(kept) : checked
    }
    const { refreshTokenId: current, previousRefreshTokenId: previous } = grant
    const answer = await this.#around.library.ask(asked, form, grant.resource)
    if (answer.ok) {
      const body = await answer.clone().text()
      const dropped = hash === current ? undefined : current
      const expiration = seconds() + daysOf(this.#around.env) * DAY_SECONDS
      await this.#rotations.note(name, {
        token: text,
        used: hash,
        dropped,
        answer: body,
        expiration,
      })
    } else if (isOwner && hash !== current && hash !== previous) {
      const isReplayed = await this.#rotations.isSpent(name, hash)
      if (isReplayed && (await isInvalidGrant(answer))) await this.#end(asked, name, grant)
    }
    return answer
  }

  /** Ends a token, or with a refresh token its grant. */
  async #revoke(asked: Asked, { name, grant }: Shown): Promise<Response> {
    const answer = await this.#around.library.ask(asked, asked.form)
    if (!(await this.#isThere(name))) {
      this.#note('grant revoked', grant, 'The app gave it back.')
    }
    return answer
  }

  /** Ends a grant whose refresh tokens two hold: which of them is the thief is not known. */
  async #end({ url }: Asked, { userId, id }: GrantName, grant: KeptGrant): Promise<void> {
    const { store, env } = this.#around
    const library = await libraryFor(new URL(url).origin, undefined, env)
    await library.getOAuthApi({ OAUTH_KV: store }).revokeGrant(id, userId)
    this.#note('token replayed', grant, 'A refresh token came after its successor was used.')
  }

  async #isThere({ userId, id }: GrantName): Promise<boolean> {
    return (await this.#around.store.get(`grant:${userId}:${id}`)) !== null
  }

  #note(kind: SignInEvent['kind'], { metadata }: KeptGrant, why: string): void {
    const { person, client } = metadata ?? {}
    this.#around.events.note({ kind, person: person?.name, client, why })
  }
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** The parameter with the code or token that is to be exchanged. */
const parameterOf = (type: string | null): string | undefined => {
  if (type === 'authorization_code') return 'code'
  return type === 'refresh_token' ? type : undefined
}

/** How codes and tokens begin: with the user and the grant that they are of. */
const OF_A_GRANT = /^(([\w-]{43}):([\w-]{16})):/

/** How many requests about one grant may be under way. */
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
  'This code or token was not given out here, was used before, has expired, or was revoked. Sign in again.'
const TOO_MANY = 'Too many requests about this grant are under way. Try again in a few seconds.'
const NO_SUCH_TYPE = 'The grant_type is authorization_code or refresh_token.'
