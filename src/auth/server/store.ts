import type { CredentialKeys, SealedCredential } from '../../registry/index.ts'

/** How a value is kept: until when, in seconds from now or since 1970. */
interface Keeping {
  readonly expiration?: number
  readonly expirationTtl?: number
}

interface ListOrder {
  readonly prefix?: string
  readonly limit?: number
  readonly cursor?: string | undefined
}

/**
 * What the OAuth library asks of Workers KV, over the SQLite of an object: a read sees the last write. Values are
 * sealed, each for its own key.
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

  // biome-ignore lint/suspicious/noExplicitAny: what KV answers is as the library expects it
  async get(key: string, options?: string | { readonly type?: string }): Promise<any> {
    const select = 'select value from entries where key = ? and (expires is null or expires > ?)'
    const [row] = this.#storage.sql.exec<{ value: string }>(select, key, seconds())
    const text = row && (await this.#keys.open(JSON.parse(row.value) as SealedCredential, key))
    // One that no secret opens is one that is gone.
    if (text === undefined) return null
    return (typeof options === 'string' ? options : options?.type) === 'json'
      ? JSON.parse(text)
      : text
  }

  async put(
    key: string,
    value: string,
    { expiration, expirationTtl }: Keeping = {},
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

  /** Reads a value and deletes it at once: of several who take it, one gets it. */
  async take(key: string): Promise<unknown> {
    const taken =
      'delete from entries where key = ? and (expires is null or expires > ?) returning value'
    const [row] = this.#storage.sql.exec<{ value: string }>(taken, key, seconds()).toArray()
    const text = row && (await this.#keys.open(JSON.parse(row.value) as SealedCredential, key))
    return text === undefined ? undefined : JSON.parse(text)
  }

  /** A page of keys. The next one begins after the last key, so deleting while listing skips none. */
  async list({ prefix = '', limit = MAX_PAGE, cursor = '' }: ListOrder = {}) {
    const select = `select key, expires from entries
      where key >= ? and key < ? and key > ? and (expires is null or expires > ?) order by key limit ?`
    const bounds = [prefix, `${prefix}\u{10ffff}`, cursor, seconds(), limit + 1] as const
    const rows = this.#storage.sql
      .exec<{ key: string; expires: number | null }>(select, ...bounds)
      .toArray()
    const keys = rows.slice(0, limit).map(({ key, expires }) => ({
      name: key,
      ...(expires !== null && { expiration: expires }),
    }))
    const more = rows.length > limit
    return { keys, list_complete: !more, ...(more && { cursor: keys.at(-1)!.name }) }
  }

  /** How many keys begin with this. */
  count(prefix: string): number {
    const select = `select count(*) as n from entries
      where key >= ? and key < ? and (expires is null or expires > ?)`
    const bounds = [prefix, `${prefix}\u{10ffff}`, seconds()] as const
    return this.#storage.sql.exec<{ n: number }>(select, ...bounds).one().n
  }

  /** How many of them expire until then, in seconds since 1970. */
  countUntil(prefix: string, until: number): number {
    const select = `select count(*) as n from entries indexed by entries_expires
      where expires > ? and expires <= ? and key >= ? and key < ?`
    const bounds = [seconds(), until, prefix, `${prefix}\u{10ffff}`] as const
    return this.#storage.sql.exec<{ n: number }>(select, ...bounds).one().n
  }

  /** Deletes the first of them to expire, if one expires until then. */
  deleteFirst(prefix: string, until: number): boolean {
    const select = `select key from entries
      where key >= ? and key < ? and expires <= ? order by expires limit 1`
    const bounds = [prefix, `${prefix}\u{10ffff}`, until] as const
    const [first] = this.#storage.sql.exec<{ key: string }>(select, ...bounds)
    if (first) this.#storage.sql.exec('delete from entries where key = ?', first.key)
    return first !== undefined
  }

  /** The key that begins and ends with these. */
  find(prefix: string, suffix: string): string | undefined {
    const select = `select key from entries where key >= ? and key < ? and substr(key, ?) = ?
      and (expires is null or expires > ?) limit 1`
    const bounds = [prefix, `${prefix}\u{10ffff}`, -suffix.length, suffix, seconds()] as const
    return this.#storage.sql.exec<{ key: string }>(select, ...bounds).toArray()[0]?.key
  }

  /** Counts something once more. Returns how often it was counted since the first time, for so many seconds. */
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

  /** How many values are not sealed with the present secret. */
  async countToReseal(): Promise<number> {
    const select =
      'select count(*) as n from entries where key_id <> ? and (expires is null or expires > ?)'
    const keyId = await this.#keyId()
    return this.#storage.sql.exec<{ n: number }>(select, keyId, seconds()).one().n
  }

  /** Seals some values with the present secret that were sealed with the previous one. */
  async reseal(
    after: string,
    limit: number,
  ): Promise<{ readonly resealed: number; readonly next?: string }> {
    const select = `select key, value from entries where key_id <> ? and key > ? and (expires is null or expires > ?)
      order by key limit ?`
    const bounds = [await this.#keyId(), after, seconds(), limit] as const
    const rows = this.#storage.sql.exec<{ key: string; value: string }>(select, ...bounds).toArray()
    let resealed = 0
    for (const { key, value } of rows) {
      const text = await this.#keys.open(JSON.parse(value) as SealedCredential, key)
      if (text === undefined) continue
      const sealed = await this.#keys.seal(text, key)
      // Unless it was written meanwhile.
      const update = 'update entries set value = ?, key_id = ? where key = ? and value = ?'
      this.#storage.sql.exec(update, JSON.stringify(sealed), sealed.keyId, key, value)
      resealed++
    }
    return { resealed, ...(rows.length === limit && { next: rows.at(-1)!.key }) }
  }

  /** Deletes what has expired, which nothing reads any more, and comes again for the next. */
  async sweep(): Promise<void> {
    const { sql } = this.#storage
    const now = seconds()
    const some = 'select key from entries where expires <= ? order by expires limit ?'
    sql.exec(`delete from entries where key in (${some})`, now, MAX_SWEPT)
    sql.exec('delete from tallies where expires <= ?', now)
    const select = `select min(expires) as next from
      (select min(expires) as expires from entries union all select min(expires) from tallies)`
    const { next } = sql.exec<{ next: number | null }>(select).one()
    this.#alarm = undefined
    if (next !== null) await this.#sweepAt(next)
  }

  /** Sweeps when this expires, or somewhat later. */
  async #sweepAt(expires: number): Promise<void> {
    const at = Math.max(expires * 1000, Date.now() + SWEEP_MS)
    // One that is over was not heard, or not to its end.
    if (this.#alarm !== undefined && this.#alarm < Date.now()) this.#alarm = undefined
    this.#alarm ??= (await this.#storage.getAlarm()) ?? undefined
    if (this.#alarm !== undefined && this.#alarm <= at) return
    this.#alarm = at
    await this.#storage.setAlarm(at)
  }

  async #keyId(): Promise<string> {
    return (await this.#keys.seal('', '')).keyId
  }
}

const TABLES = [
  `create table if not exists entries
    (key text primary key, value text not null, key_id text not null, expires integer) without rowid`,
  'create index if not exists entries_expires on entries (expires) where expires is not null',
  `create table if not exists tallies (id integer primary key,
    what text unique not null, n integer not null, expires integer not null)`,
]

const MAX_PAGE = 1_000

/** What is counted at once. The oldest are forgotten. */
const MAX_TALLIES = 10_000

/** Rows that one alarm deletes. */
const MAX_SWEPT = 20_000

/** How often an alarm sweeps at most. */
const SWEEP_MS = 10 * 60_000

export const seconds = (): number => Math.floor(Date.now() / 1000)
