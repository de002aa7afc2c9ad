import { oneLine } from '../one-line.ts'

/** A note about a change: the person and the action, but no values. */
export interface ChangeNote {
  readonly by: string
  readonly what: string
  /** The changed endpoint, if the change was to an endpoint. */
  readonly endpoint?: string | undefined
}

/** A change in the record of changes. */
export interface NotedChange extends ChangeNote {
  readonly id: number
  readonly at: number
}

/** Maximum number of stored notes. The oldest notes are deleted first. */
const MAX_NOTES = 5_000
const MAX_DAYS = 400
const MAX_WHAT_CHARS = 300
const MAX_BY_CHARS = 200

const DAY_MS = 86_400_000

/** Maximum number of old notes deleted with each new note. */
const SWEPT = 20

/** Notes a change. It belongs in the transaction that makes the change. */
export function noteChange(sql: SqlStorage, { by, what, endpoint }: ChangeNote): void {
  const now = Date.now()
  const insert = 'insert into noted_changes (at, by, what, endpoint) values (?, ?, ?, ?)'
  const texts = [oneLine(by, MAX_BY_CHARS), oneLine(what, MAX_WHAT_CHARS)]
  sql.exec(insert, now, ...texts, endpoint ?? null)
  const last = '(select max(id) from noted_changes)'
  sql.exec(`delete from noted_changes where id <= ${last} - ?`, MAX_NOTES)
  const oldest = 'select id from noted_changes order by id limit ?'
  const old = `delete from noted_changes where id in (${oldest}) and at < ?`
  sql.exec(old, SWEPT, now - MAX_DAYS * DAY_MS)
}

/** True if an order changed something: its result is `done`, or a nonzero number of changes. */
export function isDone(outcome: unknown): boolean {
  if (typeof outcome === 'string') return outcome === 'done'
  const { done } = (outcome ?? { done: 0 }) as { readonly done?: unknown }
  return done !== 0
}

/** The notes to read, newest first. */
export interface NotesQuery {
  /** The last id of the previous page. */
  readonly before?: number | undefined
  readonly endpoint?: string | undefined
  readonly limit: number
}

/** A page of the record of changes. */
export function notedChanges(
  sql: SqlStorage,
  { before = Number.MAX_SAFE_INTEGER, endpoint, limit }: NotesQuery,
): readonly NotedChange[] {
  const only = endpoint === undefined ? '' : 'and endpoint = ?'
  const values = [before, ...(endpoint === undefined ? [] : [endpoint]), limit]
  const select = `select * from noted_changes where id < ? ${only} order by id desc limit ?`
  return [...sql.exec<NotedRow>(select, ...values)].map(({ endpoint, ...rest }) => ({
    ...rest,
    ...(endpoint !== null && { endpoint }),
  }))
}

type NotedRow = { id: number; at: number; by: string; what: string; endpoint: string | null }
