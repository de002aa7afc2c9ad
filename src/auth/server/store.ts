import type { CredentialKeys, SealedCredential } from '../../registry/index.ts'

/**
 * Implements the part of Workers KV that the OAuth library uses, with an object's SQLite. A read sees the last write.
 * Each value is sealed for its own key.
 */
export class Store {
  readonly #storage: DurableObjectStorage
  readonly #keys: CredentialKeys
  /** When the alarm is due, as far as this instance knows. */
  #alarm: number | undefined

  constructor(storage: DurableObjectStorage, keys: CredentialKeys) {
    this.#storage = storage
    this.#keys = keys
    for (const table of TABLES) storage.sql.exec(table)
  }

  // biome-ignore lint/suspicious/noExplicitAny: KV returns whatever type the library expects
  async get(key: string, options?: string | { readonly type?: string }): Promise<any> {
    const select = `select value from entries where key = ? and ${LIVE}`
    const [row] = this.#rows<{ value: string }>(select, key, seconds())
    const text = row && (await this.#open(key, row.value))
    // A value that no secret can open counts as deleted.
    if (text === undefined) return null
    return (typeof options === 'string' ? options : options?.type) === 'json'
      ? JSON.parse(text)
      : text
  }

  async put(
    key: string,
    value: string,
    // `expiration` is in seconds since 1970, and `expirationTtl` in seconds from now.
    { expiration, expirationTtl }: { expiration?: number; expirationTtl?: number } = {},
  ): Promise<void> {
    const sealed = await this.#keys.seal(value, key)
    const expires = expiration ?? (expirationTtl === undefined ? null : seconds() + expirationTtl)
    const insert =
      'insert or replace into entries (key, value, key_id, expires) values (?, ?, ?, ?)'
    this.#storage.sql.exec(insert, key, JSON.stringify(sealed), sealed.keyId, expires)
    if (expires !== null) await this.#sweepAt(expires)
  }

  async delete(key: string): Promise<void> {
    this.#storage.sql.exec('delete from entries where key = ?', key)
  }

  /** Reads and deletes a value in one step, so only one of several concurrent callers gets it. */
  async take(key: string): Promise<unknown> {
    const taken = `delete from entries where key = ? and ${LIVE} returning value`
    const [row] = this.#rows<{ value: string }>(taken, key, seconds())
    const text = row && (await this.#open(key, row.value))
    return text === undefined ? undefined : JSON.parse(text)
  }

  /** A page of keys. The next page begins after the last key, so deleting keys while listing does not skip any. */
  async list({
    prefix = '',
    limit = MAX_PAGE,
    cursor = '',
  }: {
    prefix?: string
    limit?: number
    cursor?: string | undefined
  } = {}) {
    const select = `select key, expires from entries
      where key >= ? and key < ? and key > ? and ${LIVE} order by key limit ?`
    const bounds = [prefix, `${prefix}\u{10ffff}`, cursor, seconds(), limit + 1] as const
    const rows = this.#rows<{ key: string; expires: number | null }>(select, ...bounds)
    const keys = rows.slice(0, limit).map(({ key, expires }) => ({
      name: key,
      ...(expires !== null && { expiration: expires }),
    }))
    const more = rows.length > limit
    return { keys, list_complete: !more, ...(more && { cursor: keys.at(-1)!.name }) }
  }

  /** True if the key has a value. The value is not opened. */
  async has(key: string): Promise<boolean> {
    return this.#rows(`select 1 from entries where key = ? and ${LIVE}`, key, seconds()).length > 0
  }

  /** Number of keys with this prefix. */
  count(prefix: string): number {
    const where = `entries where key >= ? and key < ? and ${LIVE}`
    return this.#count(where, prefix, `${prefix}\u{10ffff}`, seconds())
  }

  /** Number of keys with this prefix that expire by this time, in seconds since 1970. */
  countUntil(prefix: string, until: number): number {
    const where = `entries indexed by entries_expires
      where expires > ? and expires <= ? and key >= ? and key < ?`
    return this.#count(where, seconds(), until, prefix, `${prefix}\u{10ffff}`)
  }

  /** Records the site of a new value that expires soon, so one network cannot use up all the room. */
  placed(key: string, site: string): void {
    this.#storage.sql.exec('insert or replace into places (key, site) values (?, ?)', key, site)
  }

  /** Deletes the oldest value that expires by this time, from the site that has the most of them. */
  makeRoom(until: number): void {
    const { sql } = this.#storage
    const gone = `delete from places where key not in
      (select key from entries where key >= 'client:' and key < 'client;' and expires <= ?)`
    sql.exec(gone, until)
    const crowd = 'select site from places group by site order by count(*) desc, min(id) limit 1'
    const first = `select key from places where site = (${crowd}) order by id limit 1`
    const [found] = this.#rows<{ key: string }>(first)
    if (found) sql.exec('delete from entries where key = ?', found.key)
  }

  /** The key with this prefix and suffix. */
  find(prefix: string, suffix: string): string | undefined {
    const select = `select key from entries where key >= ? and key < ? and substr(key, ?) = ?
      and ${LIVE} limit 1`
    const bounds = [prefix, `${prefix}\u{10ffff}`, -suffix.length, suffix, seconds()] as const
    return this.#rows<{ key: string }>(select, ...bounds)[0]?.key
  }

  /** Increments a counter and returns its value. The counter starts over after this many seconds. */
  tally(what: string, lifetime: number): number {
    const upsert = `insert into tallies (what, n, expires) values (?1, 1, ?2)
      on conflict (what) do update set n = iif(expires <= ?3, 1, n + 1),
        expires = iif(expires <= ?3, ?2, expires)`
    const now = seconds()
    const { sql } = this.#storage
    sql.exec(upsert, what, now + lifetime, now)
    sql.exec('delete from tallies where id <= (select max(id) from tallies) - ?', MAX_TALLIES)
    return sql.exec<{ n: number }>('select n from tallies where what = ?', what).one().n
  }

  /** Decrements a counter, because the counted action did not happen. */
  untally(what: string): void {
    this.#storage.sql.exec('update tallies set n = n - 1 where what = ?', what)
    this.#storage.sql.exec('delete from tallies where what = ? and n <= 0', what)
  }

  /** Number of values that are not sealed with the current secret. */
  async countToReseal(): Promise<number> {
    return this.#count(`entries where key_id <> ? and ${LIVE}`, await this.#keyId(), seconds())
  }

  /** Seals values from the previous secret again with the current one, up to a limit. */
  async reseal(after: string, limit: number) {
    const select = `select key, value from entries where key_id <> ? and key > ? and ${LIVE}
      order by key limit ?`
    const bounds = [await this.#keyId(), after, seconds(), limit] as const
    const rows = this.#rows<{ key: string; value: string }>(select, ...bounds)
    let resealed = 0
    for (const { key, value } of rows) {
      const text = await this.#open(key, value)
      if (text === undefined) continue
      const sealed = await this.#keys.seal(text, key)
      // Changes nothing if the value has changed in the meantime.
      const update = 'update entries set value = ?, key_id = ? where key = ? and value = ?'
      this.#storage.sql.exec(update, JSON.stringify(sealed), sealed.keyId, key, value)
      resealed++
    }
    return { resealed, ...(rows.length === limit && { next: rows.at(-1)!.key }) }
  }

  /** Deletes expired values, which nothing reads anymore, and schedules the next sweep. */
  async sweep(): Promise<void> {
    const { sql } = this.#storage
    const now = seconds()
    const some = 'select key from entries where expires <= ? order by expires limit ?'
    sql.exec(`delete from entries where key in (${some})`, now, MAX_SWEPT)
    sql.exec('delete from places where key not in (select key from entries)')
    sql.exec('delete from tallies where expires <= ?', now)
    const select = `select min(expires) as next from
      (select min(expires) as expires from entries union all select min(expires) from tallies)`
    const { next } = sql.exec<{ next: number | null }>(select).one()
    this.#alarm = undefined
    if (next !== null) await this.#sweepAt(next)
  }

  /** Schedules a sweep for this expiration, or somewhat later. */
  async #sweepAt(expires: number): Promise<void> {
    const at = Math.max(expires * 1000, Date.now() + SWEEP_MS)
    // An alarm in the past did not run, or did not finish.
    if (this.#alarm !== undefined && this.#alarm < Date.now()) this.#alarm = undefined
    this.#alarm ??= (await this.#storage.getAlarm()) ?? undefined
    if (this.#alarm !== undefined && this.#alarm <= at) return
    this.#alarm = at
    await this.#storage.setAlarm(at)
  }

  #rows<Row extends Record<string, SqlStorageValue>>(
    query: string,
    ...values: readonly (string | number)[]
  ): readonly Row[] {
    return this.#storage.sql.exec<Row>(query, ...values).toArray()
  }

  #count(where: string, ...values: readonly (string | number)[]): number {
    return this.#rows<{ n: number }>(`select count(*) as n from ${where}`, ...values)[0]!.n
  }

  #open(key: string, value: string): Promise<string | undefined> {
    return this.#keys.open(JSON.parse(value) as SealedCredential, key)
  }

  async #keyId(): Promise<string> {
    return (await this.#keys.seal('', '')).keyId
  }
}

/** Entries that have not expired. */
const LIVE = '(expires is null or expires > ?)'

const TABLES = [
  `create table if not exists entries
    (key text primary key, value text not null, key_id text not null, expires integer) without rowid`,
  'create index if not exists entries_expires on entries (expires) where expires is not null',
  `create table if not exists places (id integer primary key autoincrement,
    key text unique not null, site text not null)`,
  `create table if not exists tallies (id integer primary key,
    what text unique not null, n integer not null, expires integer not null)`,
]

const MAX_PAGE = 1_000

/** Maximum number of counters. The oldest are dropped. */
const MAX_TALLIES = 10_000

/** Maximum number of rows deleted by one alarm. */
const MAX_SWEPT = 20_000

/** Minimum time between sweeps. */
const SWEEP_MS = 10 * 60_000

/** The current time, in seconds since 1970. */
export const seconds = (): number => Math.floor(Date.now() / 1000)
