import type { Endpoint, GroupRules } from '../../gateway/index.ts'
import type { SealedCredential } from '../keys/credential-keys.ts'

/** An endpoint in the registry. */
export interface EndpointEntry {
  readonly name: string
  /** False for an endpoint that is switched off. */
  readonly active: boolean
  readonly value: Endpoint
  /** The credentials that its databases refer to as `credential:ID`, by id. */
  readonly credentials: Readonly<Record<string, Credential>>
  readonly createdAt: number
  /** Time when it was restored over another endpoint with the same name. Earlier grants are not valid for it. */
  readonly restoredAt?: number | undefined
  /** Time of the last change, in milliseconds since 1970. A different time means that the endpoint is different. */
  readonly changedAt: number
}

/** A stored connection string. The parts that are readable without the secret show its server, but not its login. */
export interface Credential {
  readonly id: string
  /** The endpoint, the database, and the group if a group owns it. */
  readonly endpoint: string
  readonly database: string
  readonly group?: string | undefined
  /** The scheme in its URL, without the colon. */
  readonly scheme: string
  /** The host in its URL, so that people can tell credentials apart. */
  readonly host: string
  readonly sealed: SealedCredential
  readonly setAt: number
}

/** A key for callers. The key itself is shown once and never stored. */
export interface KeyEntry {
  readonly id: string
  /** SHA-256 of the whole key, in hexadecimal digits. */
  readonly hash: string
  readonly label: string
  /** The endpoints that it opens, or `*` for all endpoints. */
  readonly endpoints: readonly string[]
  readonly scopes: readonly string[]
  /** The person that the key was made for. Databases and records see this name instead of the key's name. */
  readonly person?: string | undefined
  readonly claims?: Readonly<Record<string, string | number | boolean>> | undefined
  readonly createdAt: number
  readonly changedAt: number
  readonly expiresAt?: number | undefined
  /** Updated at most every few minutes. */
  readonly usedAt?: number | undefined
}

/** People and keys, and the rules for them. */
export interface GroupEntry {
  readonly name: string
  readonly title?: string | undefined
  readonly people: readonly string[]
  /** Ids of keys. */
  readonly keys: readonly string[]
  readonly endpoints: Readonly<Record<string, GroupRules>>
  readonly changedAt: number
}

/** A group as it is stored, with its own credentials. */
export interface StoredGroup extends GroupEntry {
  readonly credentials: Readonly<Record<string, Credential>>
}

/** Settings of the whole deployment. */
export interface RegistrySettings {
  /** The endpoint at `/mcp`. If left out, the oldest endpoint. */
  readonly defaultEndpoint?: string | undefined
  /** Database hosts that are allowed to be private: names, `*.suffix`, address ranges, or `*`. */
  readonly privateHosts?: readonly string[] | undefined
}

/** An isolate's query to the registry for one request. */
export interface RegistryLookup {
  /** The registry version that the isolate has, or 0. */
  readonly since: number
  /** The name in the path, or null for `/mcp`. If left out, only the changes are returned. */
  readonly endpoint?: string | null | undefined
  /** The id of the caller's key. */
  readonly key?: string | undefined
  /** Instead of a key: the person who signed in, and the groups that their provider lists. */
  readonly person?: string | undefined
  readonly memberOf?: readonly string[] | undefined
}

/** The registry's response. */
export interface LookupResult {
  /** Identifies the registry instance that answers. Versions from different instances cannot be compared. */
  readonly instance: string
  readonly version: number
  readonly changes: ChangedSince
  readonly endpoint?: EndpointEntry | undefined
  readonly key?: KeyEntry | undefined
  /** The group whose rules apply to this caller at this endpoint. Null if their groups do not have the endpoint. */
  readonly group?: {
    readonly name: string
    readonly rules: GroupRules
    readonly changedAt: number
  } | null
  readonly credentials?: Readonly<Record<string, Credential>> | undefined
  readonly privateHosts?: readonly string[] | undefined
}

/** Changes since a version. */
export type ChangedSince =
  | 'everything'
  | { readonly endpoints: readonly string[]; readonly keys: readonly string[] }
