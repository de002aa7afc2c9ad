import { NAMES } from './registry-tables.ts'

/** A page of a list that is sorted by name. */
export interface PageOrder {
  /** The last name of the previous page. */
  readonly after?: string | undefined
  readonly limit: number
}

/** A page of the entries about an endpoint that contain the search text. */
export interface FilteredOrder extends PageOrder {
  readonly endpoint?: string | undefined
  readonly search?: string | undefined
}

/** A page, and the name to continue after if there are more entries. */
export interface RowPage<Entry> {
  readonly entries: readonly Entry[]
  readonly next?: string | undefined
  readonly total: number
}

/**
 * Result of a change: done, or the reason it was not made. `changed` means that the entry was changed after it was
 * read. `taken` means that a credential's id belongs to something else.
 */
export type WriteResult = 'done' | 'exists' | 'missing' | 'full' | 'changed' | 'taken'

/** Undoes an order, so that nothing is written. */
export class Undone extends Error {
  readonly why: Exclude<WriteResult, 'done'>

  constructor(why: Exclude<WriteResult, 'done'>) {
    super(why)
    this.why = why
  }
}

/** An entry to write. `was` is the time of the last change to the entry that it replaces; undefined if it is new. */
export interface Write<Entry> {
  readonly entry: Entry
  readonly was?: number | undefined
}

/** A condition on the entries in a list, and its single value. Without a value, the condition is left out. */
export type RowFilter = readonly [condition: string, value: string | undefined]

/** Maximum number of entries in a registry. */
const MAX_ROWS = { endpoints: 20_000, keys: 50_000, groups: 2_000 } as const

type RegistryTable = keyof typeof MAX_ROWS
const tables = Object.keys(MAX_ROWS) as RegistryTable[]

/** Maximum size of a registry in bytes. An export must fit into the request that restores it. */
const MAX_BYTES = 24 * 1024 * 1024

/** Number of characters after which a page of a list ends. */
const MAX_PAGE_CHARS = 2 * 1024 * 1024

type StoredRow = Record<string, SqlStorageValue>
type RowValues = readonly (string | number | null)[]

/** The registry's rows: a limited number of entries as JSON, each under a name. */
export class RegistryRows {
  readonly sql: SqlStorage
  /** Identifies this object in memory. Versions from different instances cannot be compared. */
  readonly instance = crypto.randomUUID()
  /** Number of rows, for tables that were counted. */
  readonly #sizes = new Map<string, number>()

  constructor(sql: SqlStorage) {
    this.sql = sql
  }

  /** The first row of a query. */
  first(query: string, ...values: RowValues): StoredRow | undefined {
    return this.sql.exec<StoredRow>(query, ...values).toArray()[0]
  }

  /** The entries that a query finds, from its column `value`. */
  entries<Entry>(query: string, ...values: RowValues): readonly Entry[] {
    return this.sql
      .exec<StoredRow>(query, ...values)
      .toArray()
      .map(entryOf<Entry>)
  }

  /** The entry with this name. */
  entry<Entry>(table: keyof typeof NAMES, name: string): Entry | undefined {
    return this.entries<Entry>(`select value from ${table} where ${NAMES[table]} = ?`, name)[0]
  }

  has(table: RegistryTable, name: string): boolean {
    return this.first(`select 1 from ${table} where ${NAMES[table]} = ?`, name) !== undefined
  }

  /** Writes an entry. Undoes the whole order if that is not possible. */
  put<Entry extends { readonly changedAt: number }>(
    table: RegistryTable,
    name: string,
    { entry, was }: Write<Entry>,
  ): void {
    // Entries in a full registry can still be switched off or removed.
    if (was === undefined && this.#isFull(table)) throw new Undone('full')
    const old = this.entry<Entry>(table, name)
    if (old && was === undefined) throw new Undone('exists')
    if (!old && was !== undefined) throw new Undone('missing')
    if (old && old.changedAt !== was) throw new Undone('changed')
    this.sql.exec(
      `insert into ${table} (${NAMES[table]}, value) values (?, ?)
       on conflict (${NAMES[table]}) do update set value = excluded.value`,
      name,
      JSON.stringify(entry),
    )
    if (!old) this.#resize(table, 1)
  }

  /** Deletes an entry. Undoes the whole order if there is none. */
  delete(table: RegistryTable, name: string): void {
    if (!this.has(table, name)) throw new Undone('missing')
    this.sql.exec(`delete from ${table} where ${NAMES[table]} = ?`, name)
    this.#resize(table, -1)
  }

  /** A page of the entries in a table that meet all filters. */
  page<Entry>(
    table: RegistryTable,
    { after = '', limit }: PageOrder,
    filters: readonly RowFilter[],
  ): RowPage<Entry> {
    const set = filters.filter(([, value]) => value !== undefined)
    const values = set.map(([, value]) => value!)
    const where = set.map(([condition]) => ` and ${condition}`).join('')
    const entries: Entry[] = []
    let chars = 0
    let last = ''
    let more = false
    const name = NAMES[table]
    const select = `select ${name} as name, value from ${table} where ${name} > ?${where} order by ${name} limit ?`
    for (const row of this.sql.exec<StoredRow>(select, after, ...values, limit + 1)) {
      more = entries.length === limit || chars > MAX_PAGE_CHARS
      if (more) break
      chars += String(row.value).length
      last = String(row.name)
      entries.push(entryOf<Entry>(row))
    }
    const total = where ? this.count(`${table} where true${where}`, ...values) : this.size(table)
    return { entries, total, ...(more && last && { next: last }) }
  }

  /** Number of rows in a table. Counting reads all rows, so it is done only once. */
  size(table: RegistryTable): number {
    const size = this.#sizes.get(table) ?? this.count(table)
    this.#sizes.set(table, size)
    return size
  }

  count(what: string, ...values: RowValues): number {
    return Number(this.first(`select count(*) as n from ${what}`, ...values)?.n)
  }

  /** Counts the rows again from now on. Meant for an order that was undone, or that did not write row by row. */
  recount(): void {
    this.#sizes.clear()
  }

  /** Undoes a restore that is too large. A registry that was full when it was exported can take a little more space. */
  assertFits(): void {
    const isTooMuch = tables.some((it) => this.size(it) > MAX_ROWS[it])
    if (isTooMuch || this.sql.databaseSize > 2 * MAX_BYTES) throw new Undone('full')
  }

  #isFull(table: RegistryTable): boolean {
    return this.size(table) >= MAX_ROWS[table] || this.sql.databaseSize > MAX_BYTES
  }

  #resize(table: RegistryTable, by: number): void {
    const size = this.#sizes.get(table)
    if (size !== undefined) this.#sizes.set(table, size + by)
  }
}

const entryOf = <Entry>({ value }: StoredRow): Entry => JSON.parse(String(value)) as Entry
