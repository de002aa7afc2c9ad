import type { SignInOrders } from '../../registry/index.ts'
import type { Person } from '../sign-in/person.ts'

/** The rights of an access token. */
export interface AccessRights {
  readonly person: Person
  /** The message if the token opens nothing now, because the person's groups must be read again. */
  readonly refused?: string | undefined
  /**
   * True if no registry group has to allow the person: SIGN_IN_ALLOW allows them, or they used the passphrase or a
   * code.
   */
  readonly allowed: boolean
  readonly scopes: readonly string[]
  /** The URL that the token is for: `/mcp`, or one endpoint. */
  readonly audience: string
  /** Names of the endpoints that it opens. `*` stands for all. */
  readonly endpoints: readonly string[]
  /**
   * Time when the endpoints were selected, in milliseconds since 1970. An endpoint that was created later is a
   * different one.
   */
  readonly since?: number | undefined
  /** In milliseconds since 1970. */
  readonly expiresAt: number
}

/** Orders from a Worker to the authorization server, including the operator's. */
export interface Orders extends SignInOrders {
  /** The rights of this access token; undefined if it is invalid, expired or revoked. */
  granted(asked: { readonly token: string }): Promise<AccessRights | undefined>
  /** The operator who is opening the Console with this URL and these headers from their browser. */
  operator(asked: OperatorAsked): Promise<OperatorSeen>
}

/** Data that a browser sends when it opens the Console: cookies, and the headers that Cloudflare Access adds. */
export interface OperatorAsked {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** The person who is opening the Console. */
export interface OperatorSeen {
  /** The operator's name in records. Undefined for everybody else. */
  readonly name?: string | undefined
  /** Hash of the proof that every form needs over plain http. */
  readonly proof?: string | undefined
  /** The CSRF token of this browser's forms. */
  readonly formToken: string
  /** `Set-Cookie` headers to send with the page. */
  readonly cookies: readonly string[]
}

/** Sends one of these orders. */
export type SendOrder = <Name extends keyof Orders>(
  order: Name,
  input: Parameters<Orders[Name]>[0],
) => ReturnType<Orders[Name]>
