import { DatabaseError, type Failure } from '../../database/index.ts'
import { BoundedMap, steadyNow } from '../../ground/index.ts'

/** Faults in a database or its settings. All other faults are about a statement, and go to the caller. */
const KINDS: readonly Failure[] = ['network', 'auth', 'config']

/** Minimum time between two log lines about one kind of fault in one endpoint. */
const EVERY_MS = 60_000

/** Maximum number of remembered pairs of endpoint and kind. */
const MAX_KNOWN = 1_000

/** An error code as engines and systems write it. Anything else could be user text. */
const CODE = /^[\w.-]{1,40}$/

const known = new BoundedMap<{ readonly at: number; more: number }>({ entries: MAX_KNOWN })

/**
 * Logs that a database failed, once a minute for each kind of fault in an endpoint. The line leaves out the statement
 * and the database's message, because both can contain values that a caller sent.
 */
export function noteFault(endpoint: string, database: string, error: unknown): void {
  if (!(error instanceof DatabaseError) || !KINDS.includes(error.kind)) return
  const key = `${endpoint} ${error.kind}`
  const last = known.get(key)
  if (last && steadyNow() - last.at < EVERY_MS) {
    last.more++
    return
  }
  known.set(key, { at: steadyNow(), more: 0 })
  const code = error.code && CODE.test(error.code) ? `, ${error.code}` : ''
  const more = last?.more ? ` ${last.more} more since the last line.` : ''
  console.error(
    `The database ${endpoint}/${database} failed (${error.kind}${code}). The doctor says more: /doctor/${endpoint}.${more}`,
  )
}
