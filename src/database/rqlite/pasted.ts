import { take } from '../connection-string/draft.ts'
import { assertPlace, noteDropped, urlOf } from '../connection-string/finished.ts'
import type { StringForms } from '../connection-string/pasted.ts'

/** The parameters that the driver reads. */
const PARAMETERS = ['level', 'freshness', 'freshness_strict']

/** Connection strings as people write them, for rqlite. */
export const pasted: StringForms = {
  schemes: { rqlite: [], rqlites: [] },
  ports: ['4001'],
  finish(draft, notes) {
    assertPlace(draft, notes)
    if (draft.database !== undefined) {
      notes.changes.push('Removed everything after the host: rqlite has one database.')
      draft.database = undefined
    }
    const kept = Object.fromEntries(PARAMETERS.map((it) => [it, take(draft, it.replace('_', ''))]))
    noteDropped(draft, notes)
    return {
      url: urlOf(draft, kept),
      encryption: draft.scheme === 'rqlites' ? 'required' : 'none',
      port: Number(draft.port ?? 4001),
    }
  },
}
