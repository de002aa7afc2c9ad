/**
 * How a replica gets what the registry has: by pages of all of it, and then by what has changed.
 *
 * @module
 */

/** A state of the registry. `mark` is a chance value: a version that was restored or wiped has another. */
export interface Position {
  readonly version: number
  readonly mark: string
}

/** Something that was changed, as it is in the table of changes. */
export interface Change extends Position {
  readonly kind: string
  readonly name: string
}

type Row = Record<string, SqlStorageValue>
type Rows = readonly (readonly [table: Table, values: readonly SqlStorageValue[]])[]

/** A page of what has changed, and where it ends. */
export interface ChangedPage {
  readonly to: Position
  readonly changes: readonly Change[]
  readonly rows: Rows
  readonly more: boolean
}

/** A page of everything, and where the next one begins. */
export interface CopiedPage {
  readonly rows: Rows
  readonly next?: Place | undefined
}

export interface Place {
  readonly kind: Kind
  readonly after: string
}

/** Columns of each table, in the order in which they are sent. */
const columns = {
  // The oldest endpoint is the first: its place is copied, too.
  endpoints: ['rowid', 'name', 'value'],
  credentials: ['id', 'endpoint', 'group_name', 'key_id', 'value'],
  keys: ['id', 'value'],
  groups: ['name', 'value'],
  members: ['member', 'group_name'],
  settings: ['name', 'value'],
} as const
type Table = keyof typeof columns

/** What rows belong to an entry, by its kind. */
const rowsOfKind = {
  endpoint: [
    ['endpoints', 'name = ?'],
    ['credentials', 'endpoint = ?'],
  ],
  key: [['keys', 'id = ?']],
  group: [
    ['groups', 'name = ?'],
    ['members', 'group_name = ?'],
    ['credentials', 'group_name = ?'],
  ],
  settings: [['settings', "? = ''"]],
} as const satisfies Record<string, readonly (readonly [Table, string])[]>
type Kind = keyof typeof rowsOfKind

/** Where the names of each kind are. There are settings once, without a name. */
const names = {
  endpoint: 'select name from endpoints where name > ? order by name limit ?',
  key: 'select id as name from keys where id > ? order by id limit ?',
  group: 'select name from groups where name > ? order by name limit ?',
  settings: "select '' as name where ? = '' limit ?",
} satisfies Record<Kind, string>
const kinds = Object.keys(names) as Kind[]

/** Entries of one page, and characters. */
const MAX_ENTRIES = 500
const MAX_CHARS = 2 * 1024 * 1024

/** The state that a registry is in. */
export function positionOf(sql: SqlStorage): Position {
  const last = 'select version, mark from changes order by version desc limit 1'
  const [row] = sql.exec(last).toArray()
  return { version: Number(row?.version ?? 0), mark: String(row?.mark ?? '') }
}

/** What has changed since a state. Undefined if that is not known any more, or if it is everything. */
export function changedSince(sql: SqlStorage, from: Position): ChangedPage | undefined {
  if (!isKnown(sql, from)) return undefined
  const after = 'select * from changes where version > ? order by version'
  const page = new PageOfRows(sql)
  const changes: Change[] = []
  const head = positionOf(sql)
  for (const row of sql.exec(after, from.version)) {
    if (page.isFull) break
    const change = changeOf(row)
    if (!isKind(change.kind)) return undefined
    changes.push(change)
    page.add(change.kind, change.name)
  }
  const { version, mark } = changes.at(-1) ?? from
  return { to: { version, mark }, changes, rows: page.rows, more: version < head.version }
}

function isKnown(sql: SqlStorage, { version, mark }: Position): boolean {
  if (version > 0) {
    const same = 'select 1 from changes where version = ? and mark = ?'
    return sql.exec(same, version, mark).toArray().length > 0
  }
  const [oldest] = sql.exec('select min(version) as n from changes').toArray()
  return version === 0 && (oldest?.n ?? 1) === 1
}

/** A page of everything. */
export function copiedFrom(sql: SqlStorage, { kind, after }: Place = FIRST): CopiedPage {
  const page = new PageOfRows(sql)
  let last = after
  for (const { name } of sql.exec<Row>(names[kind], after, MAX_ENTRIES + 1).toArray()) {
    if (page.isFull) return { rows: page.rows, next: { kind, after: last } }
    last = String(name)
    page.add(kind, last)
  }
  const following = kinds[kinds.indexOf(kind) + 1]
  return { rows: page.rows, next: following && { kind: following, after: '' } }
}

const FIRST: Place = { kind: kinds[0]!, after: '' }

/** Removes everything, for a copy of the registry as it was at a position. */
export function empty(sql: SqlStorage, { version, mark }: Position): void {
  for (const table of [...Object.keys(columns), 'changes']) sql.exec(`delete from ${table}`)
  // Whoever knows an older version hears that everything may have changed.
  if (version > 0) writeChange(sql, { version, mark, kind: 'everything', name: '' })
}

/** Writes rows that were copied. */
export function writeRows(sql: SqlStorage, rows: Rows): void {
  for (const [table, values] of rows) {
    const places = values.map(() => '?').join(', ')
    const into = `${table} (${columns[table].join(', ')})`
    sql.exec(`insert or replace into ${into} values (${places})`, ...values)
  }
}

/** Follows a page of changes. */
export function follow(sql: SqlStorage, { changes, rows }: ChangedPage): void {
  for (const { kind, name } of changes) {
    if (!isKind(kind)) continue
    for (const [table, where] of rowsOfKind[kind]) {
      sql.exec(`delete from ${table} where ${where}`, name)
    }
  }
  writeRows(sql, rows)
  for (const it of changes) writeChange(sql, it)
}

/** Notes a change. Only the last of them are kept. */
export function writeChange(
  sql: SqlStorage,
  { version, kind, name, mark }: Omit<Change, 'version'> & { readonly version: number | null },
): void {
  const insert = 'insert into changes (version, kind, name, mark) values (?, ?, ?, ?)'
  sql.exec(insert, version, kind, name, mark)
  const old = 'version <= (select max(version) from changes) - ?'
  sql.exec(`delete from changes where ${old}`, MAX_CHANGES)
}

/** Changes that are remembered. Whoever missed more of them forgets everything. */
const MAX_CHANGES = 1_000

/** Collects the rows of entries. */
class PageOfRows {
  readonly #sql: SqlStorage
  readonly #added = new Set<string>()
  readonly rows: (readonly [Table, readonly SqlStorageValue[]])[] = []
  #chars = 0

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  get isFull(): boolean {
    return this.#added.size >= MAX_ENTRIES || this.#chars > MAX_CHARS
  }

  add(kind: Kind, name: string): void {
    const added = `${kind} ${name}`
    if (this.#added.has(added)) return
    this.#added.add(added)
    for (const [table, where] of rowsOfKind[kind]) {
      const select = `select ${columns[table].join(', ')} from ${table} where ${where}`
      for (const row of this.#sql.exec<Row>(select, name).toArray()) {
        const values = columns[table].map((it) => row[it]!)
        for (const it of values) this.#chars += String(it).length
        this.rows.push([table, values])
      }
    }
  }
}

const isKind = (kind: string): kind is Kind => Object.hasOwn(rowsOfKind, kind)

const changeOf = ({ version, kind, name, mark }: Row): Change => ({
  ...{ version: Number(version), kind: String(kind) },
  ...{ name: String(name), mark: String(mark) },
})
