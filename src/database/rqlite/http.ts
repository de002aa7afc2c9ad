import type { Io } from '../database.ts'
import type { QueryContext } from '../rows.ts'
import { objectOf } from '../transport/body.ts'
import type { Deadline } from '../transport/deadline.ts'
import { exchange } from '../transport/post.ts'
import type { RqliteAddress } from './address.ts'
import { refusal, rqliteError } from './error.ts'

// https://rqlite.io/docs/api/api/

/** A node's result for one statement. */
export interface RqliteTable {
  readonly columns: readonly string[]
  /** The declared types in lower case. Empty for a column that does not come from a table. */
  readonly types: readonly string[]
  readonly rows: readonly (readonly (null | number | string)[])[]
}

/** Sends statements, each with its values, and returns a result for each. Throws DatabaseError. */
export type SendRqlite = (
  statements: readonly (readonly (null | number | string)[])[],
) => Promise<readonly RqliteTable[]>

/** Makes a sender for one query. The node ends the query when its time is up, or forwards it to the leader. */
export function sender(
  address: RqliteAddress,
  deadline: Deadline,
  limits: QueryContext,
  io: Io,
): SendRqlite {
  const time = `${limits.timeoutMs}ms`
  const url = new URL(address.endpoint)
  url.search = String(
    new URLSearchParams({
      ...address.consistency,
      ...{ db_timeout: time, timeout: time, linearizable_timeout: time },
      // Without these, rqlite rewrites a query at the level `strong`: it replaces random() and times.
      ...{ noparse: '', norwrandom: '', norwtime: '' },
    }),
  )
  const { authorization } = address
  const headers = { ...(authorization && { authorization }) }
  return async (statements) => {
    const { response, text } = await exchange(url.href, headers, statements, deadline, io)
    const { status } = response
    if (status !== 200) throw refusal(status, text)
    const { results, error } = objectOf<RqliteBody>(text) ?? {}
    const failed = results?.find((it) => typeof it?.error === 'string')?.error ?? error
    if (typeof failed === 'string') throw rqliteError(failed, limits, failed !== error)
    if (results?.length !== statements.length || !results.every((it) => it?.columns)) {
      throw refusal(status, text)
    }
    return results.map(({ columns = [], types = [], values = [] }) => ({
      columns,
      types,
      rows: values,
    }))
  }
}

interface RqliteBody {
  readonly results?: readonly RqliteResult[]
  /** An error in the request as a whole, never in a statement. */
  readonly error?: string
}

interface RqliteResult extends Partial<Omit<RqliteTable, 'rows'>> {
  readonly values?: RqliteTable['rows']
  readonly error?: string
}
