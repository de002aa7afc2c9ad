import type { Io } from '../database.ts'
import type { Limits } from '../rows.ts'
import { MAX_BODY_BYTES, objectOf } from '../transport/body.ts'
import type { Deadline } from '../transport/deadline.ts'
import { post } from '../transport/post.ts'
import type { Address } from './address.ts'
import { refusal, rqliteError, TOO_LARGE } from './error.ts'

// https://rqlite.io/docs/api/api/

/** What a node answers to one statement. */
export interface Table {
  readonly columns: readonly string[]
  /** As they were declared, in lower case; empty for a column that is not one of a table. */
  readonly types: readonly string[]
  readonly rows: readonly (readonly (null | number | string)[])[]
}

/** Sends statements, each with its values, and returns an answer for each. Throws DatabaseError. */
export type Send = (
  statements: readonly (readonly (null | number | string)[])[],
) => Promise<readonly Table[]>

/** Sends one query to a node, which ends it when its time is over, or passes it on to the leader. */
export function sender(address: Address, deadline: Deadline, limits: Limits, io: Io): Send {
  const time = `${limits.timeoutMs}ms`
  const url = new URL(address.endpoint)
  url.search = String(
    new URLSearchParams({
      ...address.consistency,
      ...{ db_timeout: time, timeout: time, linearizable_timeout: time },
      // Otherwise rqlite rewrites a query at the level strong: it replaces random() and times.
      ...{ noparse: '', norwrandom: '', norwtime: '' },
    }),
  )
  const { authorization } = address
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) }
  return async (statements) => {
    const posted = await post(url.href, headers, JSON.stringify(statements), deadline, io)
    const { status } = posted.response
    const text = await posted.text(MAX_BODY_BYTES)
    if (text === undefined) throw TOO_LARGE()
    if (status !== 200) throw refusal(status, text)
    const { results, error } = objectOf<Body>(text) ?? {}
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

/** What a node sends. */
interface Body {
  readonly results?: readonly Result[]
  /** About the request as a whole, and never about a statement. */
  readonly error?: string
}

interface Result extends Partial<Omit<Table, 'rows'>> {
  readonly values?: Table['rows']
  readonly error?: string
}
