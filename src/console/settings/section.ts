import type { Child } from 'hono/jsx'
import type { Draft } from '../parts/draft.ts'
import type { ShownEndpoint } from '../parts/endpoint.ts'

/** A part of the settings of an endpoint, which is saved by itself. */
export interface SettingsSection {
  readonly id: string
  readonly title: string
  /** The fields of the endpoint that it is about. */
  readonly fields: readonly string[]
  /** What a form asks for, as a merge patch. */
  read(fields: URLSearchParams, endpoint: ShownEndpoint): object
  show(draft: Draft, endpoint: ShownEndpoint): Child
}

/** A number that was typed; null for an empty input. What is no number goes to the API, which says so. */
export function numberIn(fields: URLSearchParams, name: string): number | string | null {
  const text = fields.get(name)?.trim() ?? ''
  return text === '' ? null : Number.isNaN(Number(text)) ? text : Number(text)
}

/** Tells whether somebody else changed these fields since a form was shown. */
export async function markOf(endpoint: ShownEndpoint, fields: readonly string[]): Promise<string> {
  const text = JSON.stringify(fields.map((it) => endpoint[it] ?? null))
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(hash, 0, 12)].map((it) => it.toString(16).padStart(2, '0')).join('')
}
