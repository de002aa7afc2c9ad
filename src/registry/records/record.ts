/** How a call ended. `refused`: the guard, the engine, a limit or a missing right did not let it run. */
export type Outcome = 'ok' | 'error' | 'refused'

/** One call, as an operator reads it. It holds no secret, and no value of a statement unless the operator keeps those. */
export interface CallRecord {
  /** Records are ordered by it: it begins with the time. */
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
  readonly outcome: Outcome
  /** Why it was refused, or failed. */
  readonly code?: string | undefined
  readonly traceId?: string | undefined
  /** How many calls it stands for, if they are several that were refused in the same way. */
  readonly calls?: number | undefined
}

/** A statement, without its values unless the operator keeps them. */
export interface RecordedStatement {
  readonly database: string
  /** Left out if the statement cannot be read without its values. */
  readonly sql?: string | undefined
  readonly params?: string | undefined
}

/** How much is kept of an endpoint's records. */
export interface Retention {
  readonly count: number
  readonly days: number
}

/** What an isolate sends to a shard. A batch that is sent twice is stored once. */
export interface Batch {
  readonly records: readonly CallRecord[]
  /** Calls whose record could not be stored. */
  readonly lost: number
  readonly retention: Retention
}

/** The newest records before an id, newest first, and how many were lost. */
export interface Page {
  readonly records: readonly CallRecord[]
  readonly lost: number
}

/** Which records are asked for. */
export interface RecordFilter {
  readonly caller?: string | undefined
  readonly tool?: string | undefined
  readonly outcome?: Outcome | undefined
  /** The name of a program, as it calls itself. */
  readonly client?: string | undefined
  /** What one of its statements has in it. Upper and lower case of ASCII letters are equal. */
  readonly text?: string | undefined
  /** Times in milliseconds: from `since` on, and before `until`. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

/** How many objects hold the records of one endpoint. */
export const SHARDS = 4

/** The name of the object with these records. */
export const shardName = (endpoint: string, shard: number) => `${endpoint}#${shard}`

/** The first id of a time. */
export const idAt = (time: number): string =>
  Math.max(0, Math.trunc(time)).toString(36).padStart(ID_TIME_CHARS, '0')

/** Enough for the next thousand years. */
const ID_TIME_CHARS = 9
