import { ask, type Visit } from '../visit.ts'
import type { ShownMend } from './mend.tsx'

/** The URL for the API, with what to do if its host may not be reached; or why the text is none. */
export type ReadString =
  | { readonly url: string; readonly mend?: ShownMend }
  | { readonly message: string }

/** Reads what somebody pasted as a connection string. */
export async function recognised(visit: Visit, text: string): Promise<ReadString> {
  // These name something of the Worker, and hold no secret.
  if (/^(?:secret|hyperdrive|d1|demo):\S*$/.test(text)) return { url: text }
  const { body } = await ask(visit, 'POST', '/connection-strings/recognise', { text })
  if (body?.ok) return { url: body.url, mend: body.mend }
  return { message: body?.sentence ?? body?.error?.message ?? 'This could not be read.' }
}
