import type { SignInOrders } from '../../registry/index.ts'
import type { Person } from '../sign-in/person.ts'

/** What an access token grants. */
export interface Granted {
  readonly person: Person
  /** Whether they may come in whatever their groups are: SIGN_IN_ALLOW names them, or they had the passphrase. */
  readonly allowed: boolean
  readonly scopes: readonly string[]
  /** The URL that the token is for: that of `/mcp`, or of one endpoint. */
  readonly audience: string
  /** The names of the endpoints that it opens. */
  readonly endpoints: readonly string[]
  /** When they were chosen, in milliseconds since 1970. An endpoint that was made later is another one. */
  readonly since?: number | undefined
  /** In milliseconds since 1970. */
  readonly expiresAt: number
}

/** What a Worker may ask of the authorization server, besides what the operator may. */
export interface Orders extends SignInOrders {
  /** What this access token grants; undefined if it is none, has expired, or was revoked. */
  granted(asked: { readonly token: string }): Promise<Granted | undefined>
  /** Who opens the Console with this URL and these headers of their browser. */
  operator(asked: OperatorAsked): Promise<OperatorSeen>
}

/** What a browser that opens the Console sends of itself: cookies, and what Cloudflare Access adds. */
export interface OperatorAsked {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Who opens the Console. */
export interface OperatorSeen {
  /** What records call the operator. Undefined for everybody else. */
  readonly name: string | undefined
  /** The token of the forms of this browser. */
  readonly formToken: string
  /** `Set-Cookie` headers to send with the page. */
  readonly cookies: readonly string[]
}

/** Gives one of these orders. */
export type Ask = <Name extends keyof Orders>(
  order: Name,
  input: Parameters<Orders[Name]>[0],
) => ReturnType<Orders[Name]>
