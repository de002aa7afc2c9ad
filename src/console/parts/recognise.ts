import { ask, type Visit } from '../visit.ts'
import { type Refused, refusedBy } from './draft.ts'
import type { ShownMend } from './mend.tsx'

/** What the API reads out of a connection string. */
export interface Recognised {
  readonly url: string
  readonly engine: string
  readonly service?: string
  readonly host?: string
  readonly port?: number
  readonly database?: string
  readonly user?: string
  /** How many characters the password or the token has. */
  readonly secretLength?: number
  readonly encryption: string
  /** What was changed to read it. */
  readonly changes: readonly string[]
  /** What to know about it. */
  readonly hints: readonly string[]
  readonly suggested: { readonly name: string; readonly title: string }
}

/** Why a connection string is not stored, and what to do about it where that is known. */
export interface Unread {
  readonly refused: Refused
  readonly mend?: ShownMend | undefined
}

/** Reads a connection string. What is said of one that cannot be used names no password. */
export async function recognise(
  visit: Visit,
  text: string,
): Promise<{ readonly found: Recognised } | Unread> {
  const answered = await ask(visit, 'POST', '/connection-strings/recognise', { text })
  const { ok, sentence, mend, ...found } = answered.body
  const message = refusedBy(answered)?.message ?? (ok ? mend?.sentence : sentence)
  return message === undefined ? { found } : { refused: { message, field: 'text' }, mend }
}

/** The URL for the API, with what to do if its host may not be reached; or why the text is none. */
export type ReadString =
  | { readonly url: string; readonly mend?: ShownMend | undefined }
  | { readonly message: string }

/** Reads what somebody pasted in place of another connection string, or names a binding or a secret of the Worker. */
export async function recognised(visit: Visit, text: string): Promise<ReadString> {
  // These hold no secret.
  if (/^(?:secret|hyperdrive|d1|demo):\S*$/.test(text)) return { url: text }
  const { body } = await ask(visit, 'POST', '/connection-strings/recognise', { text })
  if (body?.ok) return { url: body.url, mend: body.mend }
  return { message: body?.sentence ?? body?.error?.message ?? 'This could not be read.' }
}
