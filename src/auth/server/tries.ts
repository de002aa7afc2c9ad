import { siteOf } from '../../ground/index.ts'

/** Maximum number of wrong attempts in 15 minutes, from one network and from the wider network that contains it. */
const MAX_OF_NETWORK = 10
const MAX_OF_SITE = 50
const NETWORK_MS = 15 * 60_000

/** Maximum number of wrong passphrases in an hour, from all networks together. */
const MAX_OF_ALL = 300
const ALL_MS = 60 * 60_000

/** Maximum number of stored attempts with codes. The oldest are deleted first. */
const MAX_ROWS = 20_000

/**
 * Counts attempts to guess a passphrase or a code. They are stored in the object for an hour, so an eviction does not
 * lose them.
 */
export class Tries {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    for (const statement of TABLES) sql.exec(statement)
  }

  /** Milliseconds that a network has to wait before it can try again; 0 if it can try now. */
  waitOf(network: string): number {
    const site = siteOf(network)
    // A network's name begins with its site.
    const within = ['network >= ? and network < ?', site, `${site}\u{10ffff}`] as const
    return Math.max(
      this.#wait(MAX_OF_NETWORK, NETWORK_MS, 'network = ?', network),
      this.#wait(MAX_OF_SITE, NETWORK_MS, ...within),
    )
  }

  /** Milliseconds that everybody has to wait before a passphrase is checked again. */
  waitOfAll(): number {
    return this.#wait(MAX_OF_ALL, ALL_MS, 'passphrase = 1')
  }

  /** Records an attempt before it is checked, so concurrent attempts count, too. Returns a function that deletes it. */
  begin(network: string, isPassphrase: boolean): { readonly succeeded: () => void } {
    this.sweep()
    const insert = 'insert into tries (at, network, passphrase) values (?, ?, ?) returning id'
    const values = [Date.now(), network, isPassphrase ? 1 : 0]
    const { id } = this.#sql.exec<{ id: number }>(insert, ...values).one()
    // Wrong passphrases are few, and made-up codes must not push them out. The plus makes SQLite search by ID: with the
    // index of kinds, it would read all codes.
    const oldest = 'id <= (select max(id) from tries) - ? and +passphrase = 0'
    this.#sql.exec(`delete from tries where ${oldest}`, MAX_ROWS)
    return { succeeded: () => void this.#sql.exec('delete from tries where id = ?', id) }
  }

  /** Deletes attempts that no longer count. */
  sweep(): void {
    // Both kinds are listed, so SQLite uses the index.
    const old = 'passphrase in (0, 1) and at <= ?'
    this.#sql.exec(`delete from tries where ${old}`, Date.now() - ALL_MS)
  }

  /** Milliseconds until fewer than this many attempts are recent. */
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
