import type { DatabaseSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import type { Alarms } from './alarms.ts'
import type { ObjectsFile } from './room.ts'
import { Sql } from './sql.ts'

/** The databases for an object's values and tables. */
export interface ObjectPlace {
  /** The database with its values, and its own name there. */
  readonly values: () => DatabaseSync
  readonly name: string
  /** The space limit for a database of values that objects share. */
  readonly room?: ObjectsFile | undefined
  /** The database with its tables, which only this object uses. Undefined if it has no tables. */
  readonly tables?: (() => DatabaseSync) | undefined
  readonly wrote: () => void
}

/** The table of values. It has the platform's name for it, which catalogs leave out. */
export const VALUES =
  'create table if not exists _cf_KV (object text, key text, value blob not null, primary key (object, key)) without rowid'

/** The part of the platform's object storage that is used here. */
export class FileObjectStorage {
  readonly sql: Sql
  readonly kv: StoredValues
  readonly #place: ObjectPlace
  readonly #alarm: ReturnType<Alarms['of']>

  constructor(place: ObjectPlace, alarm: ReturnType<Alarms['of']>) {
    this.#place = place
    this.#alarm = alarm
    this.sql = new Sql(() => {
      if (place.tables) return place.tables()
      throw new Error('This object has no tables of its own.')
    }, place.wrote)
    this.kv = new StoredValues(place)
  }

  transactionSync<T>(work: () => T): T {
    const database = this.#place.values()
    database.exec('savepoint work')
    try {
      const result = work()
      database.exec('release work')
      return result
    } catch (error) {
      database.exec('rollback to work')
      database.exec('release work')
      throw error
    }
  }

  async getAlarm(): Promise<number | null> {
    return this.#alarm.get()
  }

  async setAlarm(at: number): Promise<void> {
    this.#alarm.set(at)
  }

  async deleteAlarm(): Promise<void> {
    this.#alarm.delete()
  }

  async deleteAll(): Promise<void> {
    this.#alarm.delete()
    const { values, name, tables, room, wrote } = this.#place
    if (tables) empty(tables())
    else values().prepare('delete from _cf_KV where object = ?').run(name)
    room?.freed(name)
    wrote()
  }
}

class StoredValues {
  readonly #place: ObjectPlace

  constructor(place: ObjectPlace) {
    this.#place = place
  }

  get<T>(key: string): T | undefined {
    const found = this.#run('select value from _cf_KV where object = ? and key = ?').get(
      this.#place.name,
      key,
    )
    return found && (deserialize(found.value as Uint8Array) as T)
  }

  put(key: string, value: unknown): void {
    const insert = 'insert or replace into _cf_KV values (?, ?, ?)'
    const { name, room } = this.#place
    const bytes = serialize(value)
    const before = room && this.#lengthOf(key)
    this.#run(insert).run(name, key, bytes)
    this.#place.wrote()
    room?.changed(name, before, bytes.length)
  }

  delete(key: string): boolean {
    const { name, room, wrote } = this.#place
    const before = room && this.#lengthOf(key)
    const { changes } = this.#run('delete from _cf_KV where object = ? and key = ?').run(name, key)
    room?.changed(name, before, undefined)
    if (changes > 0) wrote()
    return changes > 0
  }

  list<T>({ prefix = '', startAfter = '', limit = -1 } = {}): Iterable<[string, T]> {
    const rows = this.#run(
      'select key, value from _cf_KV where object = ? and key >= ? and key > ? and substr(key, 1, ?) = ? order by key limit ?',
    ).all(this.#place.name, prefix, startAfter, [...prefix].length, prefix, limit)
    return rows.map(({ key, value }) => [String(key), deserialize(value as Uint8Array) as T])
  }

  #lengthOf(key: string): number | undefined {
    const select = 'select length(value) as bytes from _cf_KV where object = ? and key = ?'
    return this.#run(select).get(this.#place.name, key)?.bytes as number | undefined
  }

  #run(sql: string) {
    return this.#place.values().prepare(sql)
  }
}

function empty(database: DatabaseSync): void {
  const select =
    "select type, name from sqlite_schema where name not like 'sqlite\\_%' escape '\\' order by rowid desc"
  for (const { type, name } of database.prepare(select).all()) {
    database.exec(`drop ${type} if exists "${name}"`)
  }
  database.exec(VALUES)
}
