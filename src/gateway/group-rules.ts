/** What a group may see of one endpoint. */
export interface GroupRules {
  readonly tools?: readonly string[] | undefined
  readonly databases?: Readonly<Record<string, DatabaseRules>> | undefined
}

/** What a group may see of one database. */
export interface DatabaseRules {
  readonly url?: string | undefined
  readonly role?: string | undefined
  readonly schemas?: readonly string[] | undefined
  readonly tables?: Readonly<Record<string, true | readonly string[]>> | undefined
}
