/**
 * Reads the records of an endpoint, for an operator.
 *
 * @module
 */

import type { CallRecords } from './object.ts'
import { type CallRecord, type RecordFilter, SHARDS, shardName } from './record.ts'

/** Which records to read, newest first. */
export interface RecordQuery extends RecordFilter {
  readonly endpoint: string
  /** At most {@link MAX_RECORDS}. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

/** A page of records. */
export interface RecordPage {
  readonly records: readonly CallRecord[]
  /** Where the next page begins. A page that is read again has the same records, unless they were deleted. */
  readonly nextCursor?: string | undefined
  /** Calls of that time whose records could not be stored. The filter says nothing of them. */
  readonly lost: number
}

/** Records of one page. */
export const MAX_RECORDS = 500
const DEFAULT_RECORDS = 100

/** Whether a text can be a cursor. */
export const isCursor = (text: string): boolean => /^[\da-z]{9}[\da-z-]{1,40}$/.test(text)

interface RecordsEnv {
  readonly RECORDS: DurableObjectNamespace<CallRecords>
}

/** Reads one page of the records of an endpoint. */
export async function readRecords(
  { RECORDS }: RecordsEnv,
  { endpoint, limit: asked = DEFAULT_RECORDS, cursor, ...filter }: RecordQuery,
): Promise<RecordPage> {
  const limit = Math.max(1, Math.min(MAX_RECORDS, Math.trunc(asked)))
  const shards = Array.from({ length: SHARDS }, (_, i) =>
    RECORDS.get(RECORDS.idFromName(shardName(endpoint, i))),
  )
  // Each may hold all of the next ones.
  const pages = await Promise.all(shards.map((it) => it.read(filter, cursor, limit + 1)))
  const found = pages.flatMap(({ records }) => records)
  found.sort((a, b) => (a.id < b.id ? 1 : -1))
  const records = found.slice(0, limit)
  return {
    records,
    lost: pages.reduce((sum, it) => sum + it.lost, 0),
    ...(found.length > limit && { nextCursor: records.at(-1)!.id }),
  }
}

/** All records that a query finds, as JSON Lines. What was lost comes last, if anything was. */
export function recordLines(env: RecordsEnv, query: RecordQuery): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let { cursor } = query
  let ends = false
  return new ReadableStream({
    async pull(controller) {
      if (ends) return controller.close()
      const page = await readRecords(env, { ...query, limit: MAX_RECORDS, cursor })
      cursor = page.nextCursor
      ends = cursor === undefined
      const lines: object[] = [...page.records]
      if (ends && page.lost > 0) lines.push({ lost: page.lost })
      const text = lines.map(lineOf).join('')
      if (text) controller.enqueue(encoder.encode(text))
      else controller.close()
    },
  })
}

/** A record on one line, also for a reader to whom more characters end a line: a statement may have them. */
const lineOf = (it: object) =>
  `${JSON.stringify(it).replace(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
