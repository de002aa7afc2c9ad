import { put } from './draft.ts'
import { NotRecognised } from './fault.ts'
import type { Notes, StringDraft } from './pasted.ts'
import { readUrl } from './url-form.ts'

/**
 * Reads a JDBC URL: `jdbc:postgresql://host/db?user=…&password=…`. A mode between the engine and the host, as
 * in `jdbc:mysql:replication://`, is ignored, except `https`, which requires encryption. Throws {@link NotRecognised}.
 */
export function readJdbc(text: string, notes: Notes): StringDraft | undefined {
  if (!/^jdbc:/i.test(text)) return undefined
  const [, engine, mode, rest] =
    /^jdbc:(?:aws-wrapper:)?(\w{1,60}):(?:(\w{1,60}):)?\/\/(.*)$/is.exec(text) ?? []
  const draft = engine === undefined ? undefined : readUrl(`${engine}://${rest}`, notes)
  if (!draft) {
    throw new NotRecognised(
      'This begins like a Java (JDBC) URL, but has no engine or host. Write jdbc:ENGINE://host/database.',
      'engine',
    )
  }
  if (/^https$/i.test(mode ?? '')) draft.params.set('ssl', 'true')
  notes.changes.push('Read a JDBC URL.')
  return fromParameters(draft)
}

/** Moves the user, password, host and database from parameters to their fields. */
export function fromParameters(draft: StringDraft): StringDraft {
  const all = [...draft.params]
  draft.params.clear()
  for (const [name, value] of all) put(draft, name, value)
  return draft
}
