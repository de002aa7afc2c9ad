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
    const sealed = JSON.stringify(await this.#keys.seal(value, key))
    const expires = expiration ?? (expirationTtl === undefined ? null : seconds() + expirationTtl)
    const insert = 'insert or replace into entries (key, value, expires) values (?, ?, ?)'
    this.#storage.sql.exec(insert, key, sealed, expires)
    if (expires !== null && (await this.#storage.getAlarm()) === null) {
      await this.#storage.setAlarm(Math.max(expires * 1000, Date.now() + SWEEP_MS))
    }
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
    const select =
      'select count(*) as n from entries where key >= ? and key < ? and (expires is null or expires > ?)'
    const counted = this.#storage.sql.exec<{ n: number }>(
      select,
      prefix,
      `${prefix}\u{10ffff}`,
      seconds(),
    )
    return counted.one().n
  }

  /** Deletes what has expired, which nothing reads any more, and comes again for the next. */
  async sweep(): Promise<void> {
    this.#storage.sql.exec('delete from entries where expires <= ?', seconds())
    const select = 'select min(expires) as next from entries'
    const { next } = this.#storage.sql.exec<{ next: number | null }>(select).one()
    if (next !== null) {
      await this.#storage.setAlarm(Math.max(next * 1000, Date.now() + SWEEP_MS))
    }
  }
}

const TABLES = [
  'create table if not exists entries (key text primary key, value text not null, expires integer) without rowid',
  'create index if not exists entries_expires on entries (expires) where expires is not null',
]

const MAX_PAGE = 1_000

/** How often an alarm sweeps at most. */
const SWEEP_MS = 10 * 60_000

export const seconds = (): number => Math.floor(Date.now() / 1000)
