import { isLoopback } from '../ground/index.ts'
import type { CredentialSecrets } from '../registry/index.ts'

/** The machine, unless this is a Worker. */
type SettingsMachine = Readonly<Partial<Record<'MACHINE', object | undefined>>>

/** The variables and secrets of the Worker that configure sign-in. */
export interface SignInEnv extends CredentialSecrets, SettingsMachine {
  readonly TIDEGATE_KEY?: string | undefined
  readonly TIDEGATE_SECRET?: string | undefined
  readonly TIDEGATE_SECRET_PREVIOUS?: string | undefined
  /** Anyone who knows it can sign in. */
  readonly TIDEGATE_PASSPHRASE?: string | undefined
  /** The issuer of an OpenID provider, or `https://github.com`. */
  readonly SIGN_IN_ISSUER?: string | undefined
  readonly SIGN_IN_CLIENT_ID?: string | undefined
  readonly SIGN_IN_CLIENT_SECRET?: string | undefined
  /** Scopes to request in addition to `openid email profile`. */
  readonly SIGN_IN_SCOPES?: string | undefined
  /** The claim that names a person. Default: `email`. */
  readonly SIGN_IN_PERSON_CLAIM?: string | undefined
  /** The claim that lists a person's groups. Default: `groups`. */
  readonly SIGN_IN_GROUPS_CLAIM?: string | undefined
  /** People who can sign in: addresses, `*@example.com`, `group:NAME`, or `*`, separated by commas or lines. */
  readonly SIGN_IN_ALLOW?: string | undefined
  /**
   * People who sign in and can open the Console, in addition to anyone who has TIDEGATE_KEY: written like
   * SIGN_IN_ALLOW.
   */
  readonly OPERATORS?: string | undefined
  /** Days that a grant lasts after its last use. Default: 90. */
  readonly SIGN_IN_DAYS?: string | undefined
  /** The Cloudflare Access team, `https://TEAM.cloudflareaccess.com`, and the audience of its application. */
  readonly ACCESS_TEAM?: string | undefined
  readonly ACCESS_AUDIENCE?: string | undefined
  /** The issuer of access tokens that are JWTs, and their audience. */
  readonly TOKEN_ISSUER?: string | undefined
  readonly TOKEN_AUDIENCE?: string | undefined
  /** The identity provider whose ID-JAGs are exchanged for tokens (enterprise-managed authorization). */
  readonly ENTERPRISE_ISSUER?: string | undefined
}

/** True in a Worker, whose variables are set with wrangler; false on a machine. */
export const isWorker = ({ MACHINE }: SignInEnv): boolean => !MACHINE

/** SIGN_IN_DAYS, if it is a valid number of days. */
export function daysIn({ SIGN_IN_DAYS }: SignInEnv): number | undefined {
  const days = Number(SIGN_IN_DAYS)
  return Number.isInteger(days) && days >= 1 && days <= 3_650 ? days : undefined
}

/** Instructions for setting a secret, for the operator. */
export const howToSet = (name: string): string =>
  `In a Worker: npx wrangler secret put ${name}. On Node: the environment. For npm start: a line ${name}=… in .dev.vars.`

/** True if people can sign in at this deployment itself. */
export const offersSignIn = (env: SignInEnv): boolean => hasConsole(env) && namesWay(env)

/**
 * True if this deployment has a Console. A Console needs an admin key that opens it, and a secret that seals the data
 * entered there.
 */
export const hasConsole = (env: SignInEnv): boolean =>
  Boolean(env.TIDEGATE_KEY && env.TIDEGATE_SECRET)

/** The settings that configure a way to sign in. */
export const WAYS = [
  'TIDEGATE_PASSPHRASE',
  'SIGN_IN_ISSUER',
  'ACCESS_TEAM',
  'ENTERPRISE_ISSUER',
] as const

/** True if the settings configure a way to sign in. */
export const namesWay = (env: SignInEnv): boolean => WAYS.some((it) => env[it])

/** True if access tokens can open endpoints: those from this deployment, or from another issuer. */
export const takesTokens = (env: SignInEnv): boolean =>
  offersSignIn(env) || Boolean(env.TIDEGATE_KEY && env.TOKEN_ISSUER)

/** True if people can sign in at this origin. */
export const signsInAt = (env: SignInEnv, origin: string): boolean =>
  offersSignIn(env) && isTrue(origin)

/**
 * True if an origin is certainly the server's own. Over plain http, that holds only for names of this machine, because
 * the sender of a request can choose any other name (RFC 8414, section 2).
 */
export function isTrue(origin: string): boolean {
  const { protocol, hostname = '' } = URL.parse(origin) ?? {}
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** The issuers of access tokens for an endpoint: its authorization servers. */
export const issuersOf = (env: SignInEnv, origin: string): readonly string[] => [
  ...(signsInAt(env, origin) ? [origin] : []),
  ...(env.TIDEGATE_KEY && env.TOKEN_ISSUER ? [env.TOKEN_ISSUER] : []),
]
