/** Outcome of a call. `refused`: stopped by the guard, the engine, a limit or a missing right. */
export type RecordOutcome = 'ok' | 'error' | 'refused'

/** One call, for the operator. It contains no secret, and no values from statements unless the operator stores them. */
export interface CallRecord {
  /** Starts with the time, so records are ordered by it. */
  readonly id: string
  readonly time: string
  readonly endpoint: string
  /** Undefined for a caller without a key. */
  readonly caller?: string | undefined
  readonly client?: { readonly name: string; readonly version?: string | undefined } | undefined
  /** The name of a tool, or `resources/read`. */
  readonly tool?: string | undefined
  readonly statements?: readonly RecordedStatement[] | undefined
  readonly rows: number
  readonly bytes: number
  readonly milliseconds: number
  readonly outcome: RecordOutcome
  /** Code of the refusal or failure. */
  readonly code?: string | undefined
  readonly traceId?: string | undefined
  /** Number of calls it stands for, if several were refused in the same way. */
  readonly calls?: number | undefined
}

/** A statement, without its values unless the operator stores them. */
export interface RecordedStatement {
  readonly database: string
  /** Left out if the statement cannot be read without its values. */
  readonly sql?: string | undefined
  readonly params?: string | undefined
}

/** Limits on an endpoint's stored records. */
export interface Retention {
  readonly count: number
  readonly days: number
}

/** An isolate's request to a shard. A batch that is sent twice is stored once. */
export interface Batch {
  readonly records: readonly CallRecord[]
  /** Calls whose records could not be stored. */
  readonly lost: number
  readonly retention: Retention
}

/** The newest records before an id, newest first, and the number of lost calls. */
export interface ShardPage {
  readonly records: readonly CallRecord[]
  readonly lost: number
}

/** The records to find. */
export interface RecordFilter {
  readonly caller?: string | undefined
  readonly tool?: string | undefined
  readonly outcome?: RecordOutcome | undefined
  /** The program's name for itself. */
  readonly client?: string | undefined
  /** Text that one of its statements contains. The case of ASCII letters does not matter. */
  readonly text?: string | undefined
  /** Times in milliseconds: from `since` on, and before `until`. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

/** Number of objects that hold the records of one endpoint. */
export const SHARDS = 4

/** The name of the object that holds these records. */
export const shardName = (endpoint: string, shard: number) => `${endpoint}#${shard}`

/** The first id that a record can have at a time. */
export const idAt = (time: number): string =>
  Math.max(0, Math.trunc(time)).toString(36).padStart(ID_TIME_CHARS, '0')

/** Enough for the next thousand years. */
const ID_TIME_CHARS = 9
