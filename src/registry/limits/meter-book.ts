import { dayOf, type Lease, type Spent, type Use } from './use.ts'

const DAY_MS = 86_400_000

/** What a meter has counted, in its object's database. */
export class MeterBook {
  readonly #storage: DurableObjectStorage
  /** Whether there is anything. A meter that is only asked stores nothing. */
  #exists: boolean
  #hasAlarm = false

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    const { sql } = storage
    this.#exists = sql.exec("select 1 from sqlite_master where name = 'used'").toArray().length > 0
  }

  async enter(lease: Lease | undefined): Promise<Use & { readonly granted: boolean }> {
    const { running, ...use } = this.#use()
    if (!lease) return { ...use, running, granted: false }
    if (running >= lease.most) return { ...use, running, granted: false }
    this.#create()
    const until = Date.now() + lease.milliseconds
    this.#storage.sql.exec('insert or replace into leases values (?, ?)', lease.id, until)
    await this.#arm()
    return { ...use, running: running + 1, granted: true }
  }

  async spend({ rows, bytes, leases }: Spent): Promise<Use> {
    this.#create()
    const { sql } = this.#storage
    this.#storage.transactionSync(() => {
      for (const id of leases) sql.exec('delete from leases where id = ?', id)
      if (rows === 0 && bytes === 0) return
      const add = 'on conflict (day) do update set rows = rows + ?2, bytes = bytes + ?3'
      sql.exec(`insert into used values (?1, ?2, ?3) ${add}`, dayOf(Date.now()), rows, bytes)
    })
    await this.#arm()
    return this.#use()
  }

  #use(): Use {
    const now = Date.now()
    const day = dayOf(now)
    if (!this.#exists) return { day, rows: 0, bytes: 0, running: 0 }
    const { sql } = this.#storage
    const [today] = sql
      .exec<{ rows: number; bytes: number }>('select rows, bytes from used where day = ?', day)
      .toArray()
    const leases = sql.exec<{ id: string; until: number }>('select * from leases').toArray()
    const over = leases.filter(({ until }) => until <= now)
    for (const { id } of over) sql.exec('delete from leases where id = ?', id)
    const { rows = 0, bytes = 0 } = today ?? {}
    return { day, rows, bytes, running: leases.length - over.length }
  }

  #create(): void {
    if (this.#exists) return
    const { sql } = this.#storage
    sql.exec(`create table used (day text primary key, rows integer not null,
      bytes integer not null) without rowid`)
    sql.exec('create table leases (id text primary key, until integer not null) without rowid')
    this.#exists = true
  }

  /** Deletes days that are over. A meter that is not used any more costs nothing further. */
  async sweep(): Promise<void> {
    if (!this.#exists) return
    const { sql } = this.#storage
    const now = Date.now()
    sql.exec('delete from used where day < ?', dayOf(now))
    sql.exec('delete from leases where until <= ?', now)
    const { n } = sql
      .exec<{ n: number }>(
        'select (select count(*) from used) + (select count(*) from leases) as n',
      )
      .one()
    this.#hasAlarm = false
    if (n > 0) return this.#arm()
    await this.#storage.deleteAll()
    this.#exists = false
  }

  async #arm(): Promise<void> {
    if (this.#hasAlarm) return
    this.#hasAlarm = true
    if ((await this.#storage.getAlarm()) === null) {
      await this.#storage.setAlarm(Date.now() + DAY_MS)
    }
  }
}
