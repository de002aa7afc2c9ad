import type { Caller } from '../mcp/index.ts'
import { readKey, type ShownKey } from '../registry/index.ts'
import { isAccessToken } from './access-token.ts'
import { equal } from './equal.ts'
import type { SignInEnv } from './settings.ts'

/** What a request shows to say who sends it. */
export interface Shown {
  /** The operator, who showed TIDEGATE_KEY. */
  readonly caller?: Caller | undefined
  /** A key of the registry, which has to be looked up. */
  readonly key?: ShownKey | undefined
  /** An access token, which has to be looked up. */
  readonly token?: string | undefined
  /** It shows a text that is no key here: a key with a mistake in it, or something else altogether. */
  readonly wrong?: 'key' | 'other' | undefined
}

const OPERATOR: Caller = { subject: 'key', scopes: [] }

/** Whether this is the operator: the caller who showed TIDEGATE_KEY. */
export const isOperator = (caller: Caller | undefined): boolean =>
  caller?.subject === OPERATOR.subject

/**
 * Reads the key of a request: `Authorization: Bearer` (RFC 6750), or `X-API-Key` if there is no bearer.
 * Who sends both means the first.
 */
export async function shownBy({ headers }: Request, env: SignInEnv): Promise<Shown> {
  const authorization = headers.get('authorization') ?? ''
  const bearer = /^Bearer[ \t]/i.test(authorization)
    ? authorization.slice('Bearer'.length)
    : undefined
  const text = (bearer ?? headers.get('x-api-key'))?.trim()
  const { TIDEGATE_KEY } = env
  if (!TIDEGATE_KEY || !text) return {}
  if (bearer !== undefined && isAccessToken(text, env)) return { token: text }
  if (text.length > MAX_KEY_CHARS) return { wrong: 'other' }
  if (equal(text, TIDEGATE_KEY)) return { caller: OPERATOR }
  const key = await readKey(text)
  return key ? { key } : { wrong: text.startsWith('tg_') ? 'key' : 'other' }
}

const MAX_KEY_CHARS = 4_096
