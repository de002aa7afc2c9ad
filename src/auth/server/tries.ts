/** How many wrong ones one network has in a quarter of an hour. */
const MAX_OF_NETWORK = 10
const NETWORK_MS = 15 * 60_000

/** How many wrong passphrases all networks together have in an hour. */
const MAX_OF_ALL = 300
const ALL_MS = 60 * 60_000

/** Tries of codes that are kept at most. The oldest are forgotten first. */
const MAX_ROWS = 20_000

/**
 * Counts who tries to guess a passphrase or a code. It is kept in the storage of the object, so that no eviction
 * forgets it, for an hour.
 */
export class Tries {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    for (const statement of TABLES) sql.exec(statement)
  }

  /** How many milliseconds a network has to wait before it may try again; nothing if it may now. */
  waitOf(network: string): number {
    return this.#wait(MAX_OF_NETWORK, NETWORK_MS, 'network = ?', network)
  }

  /** How many milliseconds everybody has to wait before a passphrase is looked at again. */
  waitOfAll(): number {
    return this.#wait(MAX_OF_ALL, ALL_MS, 'passphrase = 1')
  }

  /** Notes a try before it is looked at, so that tries at the same time count, too. Returns what forgets it. */
  begin(network: string, isPassphrase: boolean): { readonly succeeded: () => void } {
    this.sweep()
    const insert = 'insert into tries (at, network, passphrase) values (?, ?, ?) returning id'
    const inserted = this.#sql.exec<{ id: number }>(
      insert,
      Date.now(),
      network,
      isPassphrase ? 1 : 0,
    )
    const { id } = inserted.one()
    // Wrong passphrases are few, and must not be forgotten for codes that somebody makes up.
    // By the id: with the plus, no index is used for the kind, which would have all codes read.
    const oldest = 'id <= (select max(id) from tries) - ? and +passphrase = 0'
    this.#sql.exec(`delete from tries where ${oldest}`, MAX_ROWS)
    return { succeeded: () => void this.#sql.exec('delete from tries where id = ?', id) }
  }

  /** Forgets what counts no more. */
  sweep(): void {
    // By both kinds, as the index has them.
    const old = 'passphrase in (0, 1) and at <= ?'
    this.#sql.exec(`delete from tries where ${old}`, Date.now() - ALL_MS)
  }

  /** Until so many tries are older than this, one has to wait. */
  #wait(max: number, ms: number, where: string, ...bound: string[]): number {
    const select = `select at from tries where ${where} and at > ? order by at desc limit 1 offset ?`
    const since = Date.now() - ms
    const [row] = this.#sql.exec<{ at: number }>(select, ...bound, since, max - 1)
    return row ? row.at - since : 0
  }
}

const TABLES = [
  `create table if not exists tries (
    id integer primary key autoincrement, at integer not null, network text not null, passphrase integer not null
  )`,
  'create index if not exists tries_network on tries (network, at)',
  'create index if not exists tries_kind on tries (passphrase, at)',
]
