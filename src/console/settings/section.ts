import type { Child } from 'hono/jsx'
import { hashOf } from '../../ground/index.ts'
import type { FormDraft } from '../parts/draft.ts'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { textIn } from '../parts/texts.ts'

/** A section of an endpoint's settings with its own Save button. */
export interface SettingsSection {
  readonly id: string
  readonly title: string
  /** The endpoint's fields in this section. */
  readonly fields: readonly (keyof ShownEndpoint)[]
  /** Merge patch from a form. */
  read(fields: URLSearchParams, endpoint: ShownEndpoint): object
  show(draft: FormDraft, endpoint: ShownEndpoint): Child
}

/** Number from an input; null if it is empty. Any other text goes to the API, which refuses it. */
export function numberIn(fields: URLSearchParams, name: string): number | string | null {
  const text = textIn(fields, name)
  return text === '' ? null : Number.isNaN(Number(text)) ? text : Number(text)
}

/** Hash of fields, to detect changes by someone else while a form is open. */
export async function markOf(
  endpoint: ShownEndpoint,
  fields: readonly (keyof ShownEndpoint)[],
): Promise<string> {
  const text = JSON.stringify(fields.map((it) => endpoint[it] ?? null))
  return (await hashOf(text)).slice(0, 24)
}
