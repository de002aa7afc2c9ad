import type { Credential } from './entries.ts'

export interface Secrets {
  readonly TIDEGATE_SECRET?: string
  readonly TIDEGATE_SECRET_PREVIOUS?: string
}

export async function openCredential(
  _credential: Credential,
  _secrets: Secrets,
  _privateHosts: readonly string[],
): Promise<string> {
  throw new Error('Not yet.')
}
