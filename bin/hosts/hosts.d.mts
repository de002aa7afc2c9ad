/** A machine, as far as places depend on it. */
export interface Around {
  readonly platform: string
  readonly env: Readonly<Record<string, string>>
  readonly home: string
  join(...names: string[]): string
}

/** An app that runs an AI. */
export interface Host {
  readonly title: string
  files(around: Around & { readonly settings: string }): Readonly<Record<string, string[]>>
}

export const hosts: Readonly<Record<string, Host>>
export function settingsFolder(around: Around): string
