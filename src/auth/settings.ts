import type { Place } from './place.ts'

/** The variables and secrets of the Worker that say who may sign in, and how. */
export interface SignInEnv extends Place {
  readonly TIDEGATE_KEY?: string | undefined
  readonly TIDEGATE_SECRET?: string | undefined
  readonly TIDEGATE_SECRET_PREVIOUS?: string | undefined
  /** Lets in whoever knows it. */
  readonly TIDEGATE_PASSPHRASE?: string | undefined
  /** The issuer of an OpenID provider, or `https://github.com`. */
  readonly SIGN_IN_ISSUER?: string | undefined
  readonly SIGN_IN_CLIENT_ID?: string | undefined
  readonly SIGN_IN_CLIENT_SECRET?: string | undefined
  /** Scopes to ask the provider for, besides `openid email profile`. */
  readonly SIGN_IN_SCOPES?: string | undefined
  /** The claim that names a person: `email` if it is not set. */
  readonly SIGN_IN_PERSON_CLAIM?: string | undefined
  /** The claim that lists the groups of a person: `groups` if it is not set. */
  readonly SIGN_IN_GROUPS_CLAIM?: string | undefined
  /** Who may sign in: addresses, `*@example.com`, `group:NAME`, or `*`, separated by commas or lines. */
  readonly SIGN_IN_ALLOW?: string | undefined
  /** People who sign in and may open the Console, besides whoever has TIDEGATE_KEY: written like SIGN_IN_ALLOW. */
  readonly OPERATORS?: string | undefined
  /** How many days a grant lasts from its last use: 90 if it is not set. */
  readonly SIGN_IN_DAYS?: string | undefined
  /** The team of Cloudflare Access: `https://TEAM.cloudflareaccess.com`, and the audience of its application. */
  readonly ACCESS_TEAM?: string | undefined
  readonly ACCESS_AUDIENCE?: string | undefined
  /** The issuer of access tokens that are JWTs, and their audience. */
  readonly TOKEN_ISSUER?: string | undefined
  readonly TOKEN_AUDIENCE?: string | undefined
  /** The identity provider whose ID-JAGs are exchanged for tokens (enterprise-managed authorization). */
  readonly ENTERPRISE_ISSUER?: string | undefined
}

/** SIGN_IN_DAYS, if it is a number of days that a grant may last. */
export function daysIn({ SIGN_IN_DAYS }: SignInEnv): number | undefined {
  const days = Number(SIGN_IN_DAYS)
  return Number.isInteger(days) && days >= 1 && days <= 3_650 ? days : undefined
}

/** Where a secret is set, in words for the operator. */
export const howToSet = (name: string): string =>
  `In a Worker: npx wrangler secret put ${name}. On Node: the environment. For npm start: a line ${name}=… in .dev.vars.`

/** Whether this deployment has a sign-in of its own. */
export const offersSignIn = (env: SignInEnv): boolean =>
  Boolean(env.TIDEGATE_KEY && env.TIDEGATE_SECRET && namesWay(env))

/** Whether this deployment has a Console: somebody to open it, and a secret that seals what they enter. */
export const hasConsole = (env: SignInEnv): boolean =>
  Boolean(env.TIDEGATE_KEY && env.TIDEGATE_SECRET)

/** Whether the settings name a way to sign in. */
export const namesWay = (env: SignInEnv): boolean =>
  Boolean(env.TIDEGATE_PASSPHRASE || env.SIGN_IN_ISSUER || env.ACCESS_TEAM || env.ENTERPRISE_ISSUER)

/** Whether there are access tokens that open endpoints: of this deployment, or of another issuer. */
export const takesTokens = (env: SignInEnv): boolean =>
  offersSignIn(env) || Boolean(env.TIDEGATE_KEY && env.TOKEN_ISSUER)

/** Whether people can sign in at this origin. */
export const signsInAt = (env: SignInEnv, origin: string): boolean =>
  offersSignIn(env) && isTrue(origin)

/**
 * Whether an origin is what a server is called. Over plain http only this machine says truly what its name is: of any
 * other the sender of a request chooses it (RFC 8414, section 2).
 */
export const isTrue = (origin: string): boolean => SAFE.test(origin)

const SAFE = /^(?:https:\/\/|http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::|$))/

/** Where the access tokens of an endpoint come from: the issuers of its authorization servers. */
export const issuersOf = (env: SignInEnv, origin: string): readonly string[] => [
  ...(signsInAt(env, origin) ? [origin] : []),
  ...(env.TIDEGATE_KEY && env.TOKEN_ISSUER ? [env.TOKEN_ISSUER] : []),
]
