import { textStream } from '../text-stream.ts'
import type { CallRecords } from './object.ts'
import { type CallRecord, type RecordFilter, SHARDS, shardName } from './record.ts'

/** The records to read, newest first. */
interface RecordQuery extends RecordFilter {
  readonly endpoint: string
  /** At most {@link MAX_RECORDS}. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

/** A page of records. */
interface RecordPage {
  readonly records: readonly CallRecord[]
  /** Cursor for the next page. A page that is read again has the same records, unless they were deleted. */
  readonly nextCursor?: string | undefined
  /** Calls in this time range whose records could not be stored. The filter does not apply to them. */
  readonly lost: number
}

/** Maximum number of records on one page. */
export const MAX_RECORDS = 500
const DEFAULT_RECORDS = 100

/** True if a string can be a cursor. */
export const isCursor = (text: string): boolean => /^[\da-z]{9}[\da-z-]{1,40}$/.test(text)

/** The objects that hold records. */
export interface RecordsEnv {
  readonly RECORDS: DurableObjectNamespace<CallRecords>
}

/** The objects that hold an endpoint's records. */
export const shardsOf = ({ RECORDS }: RecordsEnv, endpoint: string) =>
  Array.from({ length: SHARDS }, (_, i) => RECORDS.get(RECORDS.idFromName(shardName(endpoint, i))))

/** Reads one page of an endpoint's records. */
export async function readRecords(
  env: RecordsEnv,
  { endpoint, limit: asked = DEFAULT_RECORDS, cursor, ...filter }: RecordQuery,
): Promise<RecordPage> {
  const limit = Math.max(1, Math.min(MAX_RECORDS, Math.trunc(asked)))
  // Each shard can hold all of the next records.
  const pages = await Promise.all(
    shardsOf(env, endpoint).map((it) => it.read(filter, cursor, limit + 1)),
  )
  const found = pages.flatMap(({ records }) => records).sort((a, b) => (a.id < b.id ? 1 : -1))
  const records = found.slice(0, limit)
  return {
    records,
    lost: pages.reduce((sum, it) => sum + it.lost, 0),
    ...(found.length > limit && { nextCursor: records.at(-1)!.id }),
  }
}

/** All records that a query finds, as JSON Lines. Lost calls come last, if there are any. */
export const recordLines = (env: RecordsEnv, query: RecordQuery): ReadableStream<Uint8Array> =>
  textStream(pagesOf(env, query))

async function* pagesOf(env: RecordsEnv, query: RecordQuery): AsyncGenerator<string> {
  let { cursor } = query
  do {
    const page = await readRecords(env, { ...query, limit: MAX_RECORDS, cursor })
    cursor = page.nextCursor
    const isLost = cursor === undefined && page.lost > 0
    const lines = [...page.records, ...(isLost ? [{ lost: page.lost }] : [])]
    if (lines.length > 0) yield lines.map(lineOf).join('')
  } while (cursor !== undefined)
}

/** A record on one line. It is one line even for readers that treat other characters in a statement as line endings. */
const lineOf = (it: object) =>
  `${JSON.stringify(it).replace(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
