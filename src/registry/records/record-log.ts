import { counted } from './counting.ts'
import type { CountQuery, ShardCounts } from './figures.ts'
import { findingOf } from './finding.ts'
import { type Batch, type CallRecord, idAt, type RecordFilter, type ShardPage } from './record.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** A shard's records, in the database of its object. */
export class RecordLog {
  readonly #storage: DurableObjectStorage
  /** True if something is stored. An object that is only read stores nothing. */
  #exists: boolean
  #count = 0
  #hasAlarm = false

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    const { sql } = storage
    const tables = sql.exec("select 1 from sqlite_master where name = 'records'").toArray()
    this.#exists = tables.length > 0
    if (!this.#exists) return
    this.#addColumns()
    this.#count = sql.exec<{ n: number }>('select count(*) as n from records').one().n
  }

  #create(): void {
    const { sql } = this.#storage
    sql.exec(`create table if not exists records (id text primary key, caller text, tool text,
      outcome text not null, milliseconds integer, calls integer, record text not null) without rowid`)
    sql.exec('create table if not exists lost (hour integer primary key, count integer not null)')
    this.#exists = true
  }

  /** Counted fields have columns. In a table from an older version, they are null in the existing rows. */
  #addColumns(): void {
    const { sql } = this.#storage
    const has = sql.exec("select 1 from pragma_table_info('records') where name = 'calls'")
    if (has.toArray().length > 0) return
    for (const it of ['milliseconds', 'calls']) {
      sql.exec(`alter table records add column ${it} integer`)
    }
  }

  /** Stores a batch, and deletes the oldest records beyond the retention. */
  async write({ records, lost, retention }: Batch): Promise<void> {
    const { sql, kv } = this.#storage
    if (!this.#exists) this.#create()
    const before = this.#count
    try {
      this.#storage.transactionSync(() => {
        for (const { id, caller, tool, outcome, ...rest } of records) {
          const written = sql.exec(
            INSERT,
            ...[id, caller ?? null, tool ?? null, outcome],
            ...[rest.milliseconds, rest.calls ?? 1, JSON.stringify(rest)],
          )
          // One row per record, because there are no other indexes.
          this.#count += written.rowsWritten > 0 ? 1 : 0
        }
        if (lost > 0) {
          const hour = Math.floor(Date.now() / HOUR_MS)
          const add = 'on conflict (hour) do update set count = count + excluded.count'
          sql.exec(`insert into lost values (?, ?) ${add}`, hour, lost)
        }
        if (this.#count > retention.count) this.#dropOldest(this.#count - retention.count)
        const { days } = retention
        if (kv.get<number>(DAYS) !== days) kv.put(DAYS, days)
      })
    } catch (error) {
      this.#count = before
      throw error
    }
    if (!this.#hasAlarm) await this.#arm()
  }

  #dropOldest(n: number): void {
    const last = '(select id from records order by id limit 1 offset ?)'
    this.#storage.sql.exec(`delete from records where id <= ${last}`, n - 1)
    this.#count -= n
  }

  /** Counts the records in a time range. */
  count(query: CountQuery): ShardCounts {
    return this.#exists ? counted(this.#storage.sql, query) : { buckets: [], groups: [] }
  }

  read(filter: RecordFilter, before: string | undefined, limit: number): ShardPage {
    const { sql } = this.#storage
    if (!this.#exists) return { records: [], lost: 0 }
    const { where, values } = findingOf(filter, before)
    const select = `select id, caller, tool, outcome, record from records ${where}`
    const rows = sql.exec<RecordRow>(`${select} order by id desc limit ?`, ...values, limit)
    const records = [...rows].map(
      ({ id, caller, tool, outcome, record }): CallRecord => ({
        id,
        ...(caller !== null && { caller }),
        ...(tool !== null && { tool }),
        outcome: outcome as CallRecord['outcome'],
        ...(JSON.parse(record) as Omit<CallRecord, 'id' | 'outcome'>),
      }),
    )
    const { since, until } = filter
    const hours = [since ?? 0, until ?? Number.MAX_SAFE_INTEGER].map((it) =>
      Math.floor(it / HOUR_MS),
    )
    const sum = 'select coalesce(sum(count), 0) as n from lost where hour between ? and ?'
    return { records, lost: sql.exec<{ n: number }>(sum, ...hours).one().n }
  }

  /** Deletes records that are too old. An object without records costs nothing. */
  async sweep(): Promise<void> {
    const { sql, kv } = this.#storage
    if (!this.#exists) return
    const oldest = Date.now() - (kv.get<number>(DAYS) ?? 0) * DAY_MS
    sql.exec('delete from records where id < ?', idAt(oldest))
    sql.exec('delete from lost where hour < ?', Math.floor(oldest / HOUR_MS))
    this.#hasAlarm = false
    const left = 'select (select count(*) from records) + (select count(*) from lost) as n'
    if (sql.exec<{ n: number }>(left).one().n > 0) return this.#arm()
    await this.#storage.deleteAll()
    this.#exists = false
  }

  /** Schedules a sweep once a day, as long as records are stored. */
  async #arm(): Promise<void> {
    this.#hasAlarm = true
    if ((await this.#storage.getAlarm()) === null) {
      await this.#storage.setAlarm(Date.now() + DAY_MS)
    }
  }
}

const DAYS = 'days'

const INSERT = `insert into records (id, caller, tool, outcome, milliseconds, calls, record)
  values (?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`

type RecordRow = Record<'id' | 'outcome' | 'record', string> &
  Record<'caller' | 'tool', string | null>
