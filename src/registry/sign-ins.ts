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
  /** When it was refreshed last, which apps do every hour while they use it. */
  readonly usedAt: number
  readonly expiresAt: number
}

/** What happened at a sign-in, for the operator to read. */
export interface SignInEntry {
  readonly kind: string
  readonly person?: string | undefined
  readonly client?: string | undefined
  readonly why?: string | undefined
  readonly reference: string
  /** In milliseconds since 1970. */
  readonly at: number
}

/** What the operator may ask of the authorization server. */
export interface SignInOrders {
  /** A page of grants: of all, or of one person. */
  grants(page: {
    readonly after?: string | undefined
    readonly limit: number
    readonly person?: string | undefined
  }): Promise<{
    readonly entries: readonly GrantEntry[]
    /** Where to go on. Of one person there may be more, also if this page is not full. */
    readonly next?: string | undefined
    /** How many there are, of all people. */
    readonly total: number
  }>
  /** Ends a grant and its tokens. Whether there was one. */
  revoke(asked: { readonly id: string }): Promise<boolean>
  /** Ends what a person has: grants, sessions and codes. Some of it, until there is no `next`. */
  revokeOf(asked: { readonly person: string; readonly after?: string | undefined }): Promise<{
    readonly grants: number
    readonly next?: string | undefined
  }>
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
    /** Where to go on, if these were not all. */
    readonly next?: string | undefined
  }>
  /** What happened last, the newest first. */
  events(asked: { readonly limit: number }): Promise<readonly SignInEntry[]>
}

/** Gives one of these orders. */
export type AskSignIns = <Name extends keyof SignInOrders>(
  order: Name,
  input: Parameters<SignInOrders[Name]>[0],
) => ReturnType<SignInOrders[Name]>
