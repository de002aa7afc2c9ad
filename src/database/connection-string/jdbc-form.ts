import type { Draft, Notes } from './draft.ts'
import { put } from './draft.ts'
import { assertNotForeign } from './families.ts'
import { NotRecognised } from './fault.ts'
import { readUrl } from './url-form.ts'

/** Programs that put their own name before that of the engine. */
const WRAPPERS = /^(?:aws-wrapper|aws-iam|otel|p6spy|log4jdbc|tracing|tc|cloudsql):/i

/** Modes of drivers that stand behind the name of the engine. */
const MODES = /^(postgresql|mysql|mariadb):(?:aurora|loadbalance|replication|sequential|failover):/i

/** Reads a URL of Java: `jdbc:postgresql://host/db?user=…&password=…`. Throws {@link NotRecognised}. */
export function readJdbc(text: string, notes: Notes): Draft | undefined {
  if (!/^jdbc:/i.test(text)) return undefined
  const url = text
    .slice('jdbc:'.length)
    .replace(WRAPPERS, '')
    .replace(MODES, '$1:')
    .replace(/^(?:clickhouse|ch):(https?:\/\/)/i, '$1')
    .replace(/^http:\/\//i, 'clickhouse://')
    .replace(/^https:\/\//i, 'clickhouses://')
  assertNotForeign(/^\w*/.exec(url)![0])
  const draft = readUrl(url, notes)
  if (!draft) {
    throw new NotRecognised(
      'This begins like a URL of Java, and its engine is not known here. Write jdbc:postgresql://host/database, jdbc:mysql:, jdbc:mariadb: or jdbc:clickhouse:.',
      'engine',
    )
  }
  notes.changes.push('Read a JDBC URL.')
  return fromParameters(draft)
}

/** Moves parameters that name user, password, host or database to their places. */
export function fromParameters(draft: Draft): Draft {
  const all = [...draft.params]
  draft.params.clear()
  for (const [name, value] of all) put(draft, name, value)
  return draft
}
