import type { Endpoint, GroupRules } from '../gateway/index.ts'
import type { SealedCredential } from './credential-keys.ts'

/** An endpoint of the registry. */
export interface EndpointEntry {
  readonly name: string
  /** One that is not active answers no caller. */
  readonly active: boolean
  readonly value: Endpoint
  /** The credentials that its databases refer to as `credential:ID`, by id. */
  readonly credentials: Readonly<Record<string, Credential>>
  readonly createdAt: number
  /** When it was changed last, in milliseconds since 1970. Another time is another endpoint. */
  readonly changedAt: number
}

/** A connection string, as it is stored. What can be read without the secret tells where it leads, not how to log in. */
export interface Credential {
  readonly id: string
  /** The endpoint and the database that it is for, and the group, if it is a group's own. */
  readonly endpoint: string
  readonly database: string
  readonly group?: string | undefined
  /** How its URL begins, without the colon. */
  readonly scheme: string
  /** The host of its URL, for people to tell one credential from another. */
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
  /** The endpoints that it opens; `*` for all of them. */
  readonly endpoints: readonly string[]
  readonly scopes: readonly string[]
  /** The person that it was made for. Databases and records see this name instead of the key's. */
  readonly person?: string | undefined
  readonly claims?: Readonly<Record<string, string | number | boolean>> | undefined
  readonly createdAt: number
  readonly changedAt: number
  readonly expiresAt?: number | undefined
  /** Written at most every few minutes. */
  readonly usedAt?: number | undefined
}

/** People and keys, and what they may see. */
export interface GroupEntry {
  readonly name: string
  readonly title?: string | undefined
  readonly people: readonly string[]
  /** Ids of keys. */
  readonly keys: readonly string[]
  readonly endpoints: Readonly<Record<string, GroupRules>>
  readonly changedAt: number
}

/** A group as it is stored, with the credentials that are its own. */
export interface StoredGroup extends GroupEntry {
  readonly credentials: Readonly<Record<string, Credential>>
}

/** What holds for the whole deployment. */
export interface RegistrySettings {
  /** The endpoint at `/mcp`. Without it, the oldest one. */
  readonly defaultEndpoint?: string | undefined
  /** Hosts of databases that may be private: names, `*.suffix`, address ranges, or `*`. */
  readonly privateHosts?: readonly string[] | undefined
}

/** What an isolate asks the registry for one request. */
export interface Lookup {
  /** The version of the registry that the isolate knows; 0 for none. */
  readonly since: number
  /** The name in the path; null for `/mcp`. Left out to hear of changes alone. */
  readonly endpoint?: string | null | undefined
  /** The id of the key that the caller shows. */
  readonly key?: string | undefined
  /** In place of a key: the person who signed in, and what their provider says they are in. */
  readonly person?: string | undefined
  readonly memberOf?: readonly string[] | undefined
}

/** What it gets. */
export interface Found {
  /** Names the instance of the registry that answers. Versions of different ones cannot be compared. */
  readonly instance: string
  readonly version: number
  readonly changes: Changes
  /** How old it is, in milliseconds, if a replica says it. */
  readonly age?: number | undefined
  readonly endpoint?: EndpointEntry | undefined
  readonly key?: KeyEntry | undefined
  /** The group whose rules hold for this key at this endpoint; null if its groups do not have the endpoint. */
  readonly group?: {
    readonly name: string
    readonly rules: GroupRules
    readonly changedAt: number
  } | null
  readonly credentials?: Readonly<Record<string, Credential>> | undefined
  readonly privateHosts?: readonly string[] | undefined
}

/** What has changed since a version. */
export type Changes =
  | 'everything'
  | { readonly endpoints: readonly string[]; readonly keys: readonly string[] }
