import type { Caller } from '../mcp/index.ts'
import { type PresentedKey, readKey } from '../registry/index.ts'
import { isAccessToken } from './access-token.ts'
import { equal } from './equal.ts'
import type { SignInEnv } from './settings.ts'

/** The credentials in a request. */
export interface ShownCredentials {
  /** The operator, who sent TIDEGATE_KEY. */
  readonly caller?: Caller | undefined
  /** A registry key, still to be looked up. */
  readonly key?: PresentedKey | undefined
  /** An access token, still to be looked up. */
  readonly token?: string | undefined
  /** Set if the credential is not a key for this deployment: a mistyped key, an unset variable, or something else. */
  readonly wrong?: 'key' | 'unset' | 'other' | undefined
}

const OPERATOR: Caller = { subject: 'key', scopes: [] }

/** Names of operators signed in to the Console, keyed by the requests that the Console sends for them. */
const named = new WeakMap<Request, string>()

/** Records which operator the Console sends a request for. The request itself carries TIDEGATE_KEY. */
export function byOperator(request: Request, name: string): void {
  named.set(request, name)
}

/** True if this is the operator: the caller who sent TIDEGATE_KEY. */
export const isOperator = (caller: Caller | undefined): boolean =>
  caller?.subject === OPERATOR.subject

/**
 * Reads the credential in a request: `Authorization: Bearer` (RFC 6750), or `X-API-Key` if there is no bearer token. If
 * a request has both, the bearer token is used.
 */
export async function shownBy(request: Request, env: SignInEnv): Promise<ShownCredentials> {
  const { headers } = request
  const authorization = headers.get('authorization') ?? ''
  const bearer = /^Bearer[ \t]/i.test(authorization)
    ? authorization.slice('Bearer'.length)
    : undefined
  const text = (bearer ?? headers.get('x-api-key'))?.trim()
  const { TIDEGATE_KEY } = env
  if (!TIDEGATE_KEY) return {}
  // HTTP strips the space after an empty `Bearer`.
  if (!text) return /^Bearer$/i.test(authorization) ? { wrong: 'unset' } : {}
  if (bearer !== undefined && isAccessToken(text, env)) return { token: text }
  if (text.length > MAX_KEY_CHARS) return { wrong: 'other' }
  if (equal(text, TIDEGATE_KEY)) {
    const name = named.get(request)
    return { caller: name === undefined ? OPERATOR : { ...OPERATOR, name } }
  }
  if (looksUnset(text)) return { wrong: 'unset' }
  const key = await readKey(text)
  return key ? { key } : { wrong: text.startsWith('tg_') ? 'key' : 'other' }
}

const MAX_KEY_CHARS = 4_096

/** True if a string looks like a variable reference, which hosts send unchanged if the variable is not set. */
export const looksUnset = (text: string): boolean => UNSET.test(text)

/** Notations that hosts use for variables. */
const UNSET =
  /^(?:\$?\{[^{}]*\}|\{\{[^{}]*\}\}|\$(?:env:)?[A-Za-z_]\w*|%[A-Za-z_]\w*%|undefined|null|None)$/
