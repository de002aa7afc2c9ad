import { type ApiRefusal, ask, type ConsoleVisit } from '../visit.ts'

/** Maximum number of names to try if the suggested one is taken. */
const MAX_NAMES = 20

/** Maximum length of an endpoint name. */
const MAX_NAME_CHARS = 31

/** Data for a new endpoint. A name that a person typed is never changed. */
export interface NewEndpoint {
  readonly url: string
  readonly typed: { readonly name: string; readonly title: string }
  readonly suggested: { readonly name: string; readonly title: string }
}

/** Stores an endpoint that is still off, and returns its name. */
export async function storeEndpoint(
  visit: ConsoleVisit,
  { url, typed, suggested }: NewEndpoint,
): Promise<{ readonly name: string } | { readonly refused: ApiRefusal }> {
  const title = typed.title || suggested.title
  const names = typed.name ? [typed.name] : freeNames(suggested.name)
  let refused: ApiRefusal = {
    message: 'All suggested names are taken. Enter another name.',
    field: 'name',
  }
  for (const name of names) {
    const made = { name, title, active: false, databases: { main: { url } } }
    const answered = await ask(visit, 'POST', '/endpoints', made)
    if (answered.status === 201) return { name }
    const why = answered.refused ?? refused
    const isTaken = answered.status === 409
    refused = { ...why, field: isTaken ? 'name' : fieldOf(why.field) }
    if (!isTaken) break
  }
  return { refused }
}

/** The name, then the name with numbers. */
const freeNames = (name: string): readonly string[] =>
  Array.from({ length: MAX_NAMES }, (_, i) =>
    i === 0 ? name : `${name.slice(0, MAX_NAME_CHARS - 3)}-${i + 1}`,
  )

/** Form field for a field in the API. */
const fieldOf = (field: string | undefined) =>
  field?.startsWith('databases') || field === undefined ? 'text' : field
