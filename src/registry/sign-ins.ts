/** A grant, for the operator: a person, and an app that acts for them. */
export interface GrantEntry {
  readonly id: string
  readonly person: string
  /** The app's name for itself. */
  readonly client: string
  /** The host that vouches for the app, if any. */
  readonly clientDomain?: string | undefined
  readonly endpoints: readonly string[]
  readonly scopes: readonly string[]
  /** In milliseconds since 1970, like the other times. */
  readonly createdAt: number
  /** Time of the last refresh. Apps refresh every hour while they are in use. */
  readonly usedAt: number
  readonly expiresAt: number
}

/** An event during a sign-in, for the operator. */
export interface SignInEntry {
  readonly kind: string
  readonly person?: string | undefined
  readonly client?: string | undefined
  readonly why?: string | undefined
  readonly reference: string
  /** In milliseconds since 1970. */
  readonly at: number
}

/** The operator's orders to the authorization server. */
export interface SignInOrders {
  /** A page of grants for all people, or for one person. */
  grants(page: {
    readonly after?: string | undefined
    readonly limit: number
    readonly person?: string | undefined
  }): Promise<{
    readonly entries: readonly GrantEntry[]
    /** Cursor for the next page. For one person there can be more even if this page is not full. */
    readonly next?: string | undefined
    /** Number of grants of all people. */
    readonly total: number
  }>
  /** Ends a grant and its tokens. Returns true if it existed. */
  revoke(asked: { readonly id: string }): Promise<boolean>
  /** Ends a person's grants, sessions and codes. Repeat it until there is no `next`. */
  revokeOf(asked: { readonly person: string; readonly after?: string | undefined }): Promise<{
    readonly grants: number
    readonly next?: string | undefined
  }>
  /** Makes a code that signs one person in once. */
  makeCode(asked: { readonly person?: string | undefined }): Promise<{
    readonly code: string
    readonly expiresAt: number
  }>
  /** Number of values that are not sealed with the current secret. */
  sealing(asked: undefined): Promise<{ readonly toReseal: number }>
  /** Reseals some of these values. Values that neither secret can open are left alone. */
  reseal(page: { readonly after: string; readonly limit: number }): Promise<{
    readonly resealed: number
    /** Position to continue from, if there are more. */
    readonly next?: string | undefined
  }>
  /** The latest events, newest first. */
  events(asked: { readonly limit: number }): Promise<readonly SignInEntry[]>
}

/** Sends one of these orders. */
export type AskSignIns = <Name extends keyof SignInOrders>(
  order: Name,
  input: Parameters<SignInOrders[Name]>[0],
) => ReturnType<SignInOrders[Name]>
