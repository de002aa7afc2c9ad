import type { SignInEnv } from '../auth/index.ts'
import type { CredentialIo, Settings } from '../gateway/index.ts'
import type { CallsEnv } from '../registry/index.ts'

/** The Worker's variables, secrets and bindings, including secrets that endpoints refer to. */
export interface Env extends Settings, CallsEnv, SignInEnv {
  /** The admin key, sent as `Authorization: Bearer`. It opens every endpoint, and the registry. */
  readonly TIDEGATE_KEY?: string
  /** Encrypts the registry's credentials. */
  readonly TIDEGATE_SECRET?: string
  /** The secret before a rotation: values encrypted with it can still be read. */
  readonly TIDEGATE_SECRET_PREVIOUS?: string
  /** Database hosts that are allowed to be private, separated by spaces. */
  readonly PRIVATE_HOSTS?: string
  /** A machine's variables that hold database URLs and that the Console can refer to, separated by spaces. */
  readonly DATABASE_SECRETS?: string
  /** Origins of web pages allowed to use public endpoints, separated by spaces. */
  readonly ORIGINS?: string
  /** If set, clients for protocol version `2024-11-05` can use its HTTP+SSE transport, at `/sse`. */
  readonly LEGACY_SSE?: string
  readonly DEMO: DurableObjectNamespace
  readonly SESSIONS: DurableObjectNamespace
  readonly REGISTRY: DurableObjectNamespace
  readonly AUTHORIZATION: DurableObjectNamespace
  /** Set if Durable Objects live in memory: a client's session ID then outlives its session. */
  readonly FORGETFUL?: boolean
  /** Throws unless a machine's disk has room for the state. */
  readonly CHECK_DISK?: () => Promise<void>
  /** The operator's machine, if this runs on one. */
  readonly MACHINE?: CredentialIo['machine']
}

/** The items in a variable that holds a list. */
export const listIn = (value: string | undefined): readonly string[] =>
  value?.split(/[\s,]+/).filter(Boolean) ?? []
