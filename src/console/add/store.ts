import { type Refused, refusedBy } from '../parts/draft.ts'
import { ask, type Visit } from '../visit.ts'

/** How many names are tried if the suggested one is taken. */
const MAX_NAMES = 20

/** The longest name. */
const MAX_NAME_CHARS = 31

/** What a new endpoint is made of. A name that a person typed is not changed. */
export interface NewEndpoint {
  readonly url: string
  readonly typed: { readonly name: string; readonly title: string }
  readonly suggested: { readonly name: string; readonly title: string }
}

/** Stores an endpoint that is not open yet, and gives its name. */
export async function storeEndpoint(
  visit: Visit,
  { url, typed, suggested }: NewEndpoint,
): Promise<{ readonly name: string } | { readonly refused: Refused }> {
  const title = typed.title || suggested.title
  const names = typed.name ? [typed.name] : freeNames(suggested.name)
  let refused: Refused = { message: 'No name is free: type one.', field: 'name' }
  for (const name of names) {
    const made = { name, title, active: false, databases: { main: { url } } }
    const answered = await ask(visit, 'POST', '/endpoints', made)
    if (answered.status === 201) return { name }
    const why = refusedBy(answered) ?? refused
    const isTaken = answered.status === 409
    refused = { ...why, field: isTaken ? 'name' : fieldOf(why.field) }
    if (!isTaken) break
  }
  return { refused }
}

/** A name, and the same with a number. */
const freeNames = (name: string): readonly string[] =>
  Array.from({ length: MAX_NAMES }, (_, i) =>
    i === 0 ? name : `${name.slice(0, MAX_NAME_CHARS - 3)}-${i + 1}`,
  )

/** The field of a form that a field of the API is in. */
const fieldOf = (field: string | undefined) =>
  field?.startsWith('databases') || field === undefined ? 'text' : field
