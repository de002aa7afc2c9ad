import type { Person } from '../sign-in/person.ts'
import type { NotedEvent } from './events.ts'

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
  /** In milliseconds since 1970. */
  readonly expiresAt: number
}

/** A grant as the operator sees it: a person, and an app that acts for them. */
export interface GrantEntry {
  readonly id: string
  readonly person: string
  /** The app, as it calls itself. */
  readonly client: string
  /** The host that vouches for the app, if one does. */
  readonly clientDomain?: string | undefined
  readonly endpoints: readonly string[]
  readonly scopes: readonly string[]
  /** In milliseconds since 1970, like the others. */
  readonly createdAt: number
  readonly usedAt: number
  readonly expiresAt: number
}

/** What a Worker may ask of the authorization server. */
export interface Orders {
  /** What this access token grants; undefined if it is none, has expired, or was revoked. */
  granted(asked: { readonly token: string }): Promise<Granted | undefined>
  grants(page: { readonly after?: string | undefined; readonly limit: number }): Promise<{
    readonly entries: readonly GrantEntry[]
    readonly next?: string | undefined
    readonly total: number
  }>
  /** Ends a grant and its tokens. Whether there was one. */
  revoke(asked: { readonly id: string }): Promise<boolean>
  /** Makes a code that signs one person in, once. */
  makeCode(asked: { readonly person?: string | undefined }): Promise<{
    readonly code: string
    readonly expiresAt: number
  }>
  /** How many values are not sealed with the present secret. */
  sealing(asked: undefined): Promise<{ readonly toReseal: number }>
  /** Seals some of these values anew. Those that neither secret opens stay as they are. */
  reseal(page: { readonly after: string; readonly limit: number }): Promise<{
    readonly resealed: number
    /** Where to go on, if that were not all. */
    readonly next: string | undefined
  }>
  /** What happened last, the newest first. */
  events(asked: { readonly limit: number }): Promise<readonly NotedEvent[]>
}

/** Gives one of these orders. */
export type Ask = <Name extends keyof Orders>(
  order: Name,
  input: Parameters<Orders[Name]>[0],
) => ReturnType<Orders[Name]>
