import { type Answers, type ApiRefusal, ask, type ConsoleVisit } from '../visit.ts'
import type { ShownFix } from './fix.tsx'

/** Parts of a connection string, as the API parsed it. */
export type ApiRecognised = Omit<Answers['Recognised'], 'ok' | 'fix'>

/** Parses a connection string. Returns the reason if it cannot be stored. Its error never contains the password. */
export async function recognise(
  visit: ConsoleVisit,
  text: string,
): Promise<
  | { readonly found: ApiRecognised }
  | { readonly refused: ApiRefusal; readonly fix?: ShownFix | undefined }
> {
  const refuse = (message: string) => ({ message, field: 'text' })
  const read = await parsed(visit, text)
  if ('message' in read) return { refused: refuse(read.message) }
  const { ok: _, fix, ...found } = read
  return fix ? { refused: refuse(fix.sentence), fix } : { found }
}

/** Parses a replacement connection string, or the name of a Worker binding or secret. */
export async function recognised(
  visit: ConsoleVisit,
  text: string,
): Promise<
  { readonly url: string; readonly fix?: ShownFix | undefined } | { readonly message: string }
> {
  // These contain no secret.
  return /^(?:secret|hyperdrive|d1|demo):\S*$/.test(text) ? { url: text } : parsed(visit, text)
}

/** The text as the API read it, with a fix if its host is not allowed; or the reason it is not a connection string. */
async function parsed(
  visit: ConsoleVisit,
  text: string,
): Promise<Answers['Recognised'] | { readonly message: string }> {
  const path = '/connection-strings/recognise'
  type Answered = Answers['Recognised'] | Answers['Unrecognised']
  const { body, refused } = await ask<Answered>(visit, 'POST', path, { text })
  if (refused) return refused
  return body.ok ? body : { message: body.sentence }
}
