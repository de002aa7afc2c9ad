import {
  type ChangedPage,
  type CopiedPage,
  changedSince,
  copiedFrom,
  type Place,
  type Position,
  positionOf,
  writeChange,
} from './copying.ts'
import type {
  Changes,
  Credential,
  EndpointEntry,
  Found,
  GroupEntry,
  KeyEntry,
  Lookup,
  RegistrySettings,
  StoredGroup,
} from './entries.ts'
import {
  type ChangeNote,
  isDone,
  type NotedChange,
  type NotesQuery,
  noteChange,
  notedChanges,
} from './noted-changes.ts'
import { tables } from './registry-tables.ts'

/** A page of a list in the order of its names. */
export interface PageOrder {
  /** The last name of the page before. */
  readonly after?: string | undefined
  readonly limit: number
}

/** A page of those that are about an endpoint, and whose words have this text. */
export interface FilteredOrder extends PageOrder {
  readonly endpoint?: string | undefined
  readonly search?: string | undefined
}

/** A page, and the name to go on after, if there is more. */
export interface Page<Entry> {
  readonly entries: readonly Entry[]
  readonly next?: string | undefined
  readonly total: number
}

/**
 * Whether a change was made, and else why not. `changed`: it is no longer as it was when it was read.
 * `taken`: the id of a credential belongs to something else.
 */
export type Written = 'done' | 'exists' | 'missing' | 'full' | 'changed' | 'taken'

/** An entry to write, and when the one that it replaces was changed last. Without that, it is a new one. */
export interface Write<Entry> {
  readonly entry: Entry
  readonly was?: number | undefined
}

/** Everything that a registry holds. */
export interface Contents {
  readonly settings: RegistrySettings
  /** The oldest one first. */
  readonly endpoints: readonly EndpointEntry[]
  readonly keys: readonly KeyEntry[]
  readonly groups: readonly StoredGroup[]
}

/** How many entries of each kind there are. */
export type Counts = Readonly<Record<'endpoints' | 'credentials' | 'keys' | 'groups', number>>

/** How much a registry holds. */
const MAX_ROWS = { endpoints: 20_000, keys: 50_000, groups: 2_000 } as const

type BoundedTable = keyof typeof MAX_ROWS
const tablesWithBounds = Object.keys(MAX_ROWS) as BoundedTable[]

/** The same in bytes: what is exported has to fit into one request that restores it. */
const MAX_BYTES = 24 * 1024 * 1024

/** Characters of one page of a list. */
const MAX_PAGE_CHARS = 2 * 1024 * 1024

/** Uses of keys that are remembered, for replicas to hear of. */
const MAX_USES = 2_000

/**
 * What the registry knows, in the SQLite of its object. Every public method is one order: it runs without
 * a pause, in one transaction, so it is done whole or not at all.
 */
export class RegistryState {
  readonly #storage: DurableObjectStorage
  readonly #sql: SqlStorage
  readonly #instance = crypto.randomUUID()
  /** How many rows there are, of tables that were counted. */
  readonly #sizes = new Map<string, number>()
  /** When keys were used, the last one at the end. */
  readonly #uses = new Map<string, { readonly use: number; readonly at: number }>()
  #lastUse = 0

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#sql = storage.sql
    for (const table of tables) this.#sql.exec(table)
  }

  /** Carries out an order by its name. What it changes is noted with it, or neither is done. */
  take(method: string, input: unknown, note?: ChangeNote): unknown {
    if (!orders.includes(method as Order)) throw new Error('There is no such order.')
    const carryOut = this[method as Order] as (input: unknown) => unknown
    try {
      return this.#storage.transactionSync(() => {
        const outcome = carryOut.call(this, input)
        if (note && isDone(outcome)) noteChange(this.#sql, note)
        return outcome
      })
    } catch (error) {
      this.#sizes.clear()
      if (error instanceof Undone) return error.why
      throw error
    }
  }

  /** What a request needs to know, and what has changed since an isolate asked last. */
  lookup({ since, endpoint, key, person, memberOf }: Lookup): Found {
    const found = {
      instance: this.#instance,
      version: this.#version(),
      changes: this.#changesSince(since),
    }
    if (endpoint === undefined) return found
    const name = endpoint ?? this.#defaultEndpoint()
    const entry = name === undefined ? undefined : this.endpoint({ name })
    const shown = key === undefined ? undefined : this.key({ id: key })
    const members = shown ? membersOfKey(shown) : membersOfPerson(person, memberOf)
    const group = name === undefined ? undefined : this.#groupOf(members, name)
    const { privateHosts } = this.settings()
    return {
      ...found,
      endpoint: entry,
      key: shown,
      ...(group !== undefined && { group }),
      ...(group && { credentials: this.#credentials('group_name = ?', group.name) }),
      privateHosts,
    }
  }

  /** What a replica at this position has to follow. Without a page, it has to copy everything. */
  changedSince({ uses, ...from }: Position & { readonly uses: number }): Told {
    return {
      instance: this.#instance,
      position: positionOf(this.#sql),
      page: changedSince(this.#sql, from),
      uses: [...this.#uses].filter(([, it]) => it.use > uses).map(([id, { at }]) => ({ id, at })),
      lastUse: this.#lastUse,
    }
  }

  /** A page of everything, for a replica. */
  copy({
    from,
  }: {
    readonly from?: Place | undefined
  }): CopiedPage & { readonly instance: string } {
    return { instance: this.#instance, ...copiedFrom(this.#sql, from) }
  }

  endpoints({ search, ...order }: Omit<FilteredOrder, 'endpoint'>): Page<EndpointEntry> {
    const filters = search ? [[HAS_TITLE, search.toLowerCase()] as const] : []
    const page = this.#page<EndpointEntry>('endpoints', 'name', order, (it) => it.name, filters)
    return { ...page, entries: page.entries.map((it) => this.#withCredentials(it)) }
  }

  endpoint({ name }: { readonly name: string }): EndpointEntry | undefined {
    const [row] = this.#rows('select value from endpoints where name = ?', [name])
    if (!row) return undefined
    return this.#withCredentials(entryOf<EndpointEntry>(row))
  }

  /** Writes an endpoint with those of its credentials that are new, and drops those that it no longer uses. */
  putEndpoint(write: Write<EndpointEntry>): Written {
    this.#assertRoom('endpoints', write.was)
    this.#writeEndpoint(write)
    this.#changed('endpoint', write.entry.name)
    return 'done'
  }

  #writeEndpoint({ entry, was }: Write<EndpointEntry>): void {
    const { credentials, ...kept } = entry
    this.#put('endpoints', 'name', entry.name, kept, was)
    this.#putCredentials(Object.values(credentials))
    const used = Object.values(entry.value.databases).map(({ url }) => url)
    this.#dropCredentials('endpoint = ? and group_name is null', entry.name, used)
  }

  deleteEndpoint({ name }: { readonly name: string }): Written {
    if (!this.#has('endpoints', 'name', name)) return 'missing'
    this.#delete('endpoints', 'name', name)
    this.#sql.exec('delete from credentials where endpoint = ?', name)
    this.#changed('endpoint', name)
    this.#forgetName(name)
    return 'done'
  }

  /** Takes the name of an endpoint out of keys and groups: another one of this name is not theirs. */
  #forgetName(name: string): void {
    for (const it of this.#naming<KeyEntry>('keys', name)) {
      if (!it.endpoints.includes(name)) continue
      const endpoints = it.endpoints.filter((other) => other !== name)
      const entry = { ...it, endpoints, changedAt: it.changedAt + 1 }
      this.#put('keys', 'id', it.id, entry, it.changedAt)
      this.#changed('key', it.id)
    }
    for (const it of this.#naming<GroupEntry>('groups', name)) {
      if (!Object.hasOwn(it.endpoints, name)) continue
      const { [name]: _, ...endpoints } = it.endpoints
      const entry = { ...it, endpoints, changedAt: it.changedAt + 1 }
      this.#put('groups', 'name', it.name, entry, it.changedAt)
      this.#changed('group', it.name)
    }
  }

  /** The entries whose text has this name, among them all that name the endpoint. */
  #naming<Entry>(table: 'keys' | 'groups', name: string): readonly Entry[] {
    const sql = `select value from ${table} where instr(value, ?) > 0`
    return this.#rows(sql, [JSON.stringify(name)]).map(entryOf<Entry>)
  }

  /** Credentials that were not sealed with this key, so that they can be sealed again. */
  credentialsNotUnder({ keyId, after = '', limit }: PageOrder & { readonly keyId: string }): {
    readonly entries: readonly Credential[]
    readonly total: number
  } {
    const rows = this.#rows(
      'select value from credentials where key_id <> ? and id > ? order by id limit ?',
      [keyId, after, limit],
    )
    const [count] = this.#rows('select count(*) as n from credentials where key_id <> ?', [keyId])
    return { entries: rows.map(entryOf<Credential>), total: Number(count?.n) }
  }

  /** Writes credentials that were sealed again. One that has changed since then stays as it is. */
  reseal({
    entries,
  }: {
    readonly entries: readonly { readonly was: Credential; readonly is: Credential }[]
  }): { readonly done: number } {
    let done = 0
    for (const { was, is } of entries) {
      const [row] = this.#rows('select value from credentials where id = ?', [was.id])
      if (!row || entryOf<Credential>(row).sealed.text !== was.sealed.text) continue
      this.#putCredentials([is])
      this.#changed('endpoint', is.endpoint)
      done++
    }
    return { done }
  }

  /** Keys that open an endpoint, and whose label or person has a text. */
  keys({ endpoint, search, ...order }: FilteredOrder): Page<KeyEntry> {
    return this.#page<KeyEntry>('keys', 'id', order, (it) => it.id, [
      ...(endpoint === undefined ? [] : [[OPENS, endpoint] as const]),
      ...(search ? [[HAS_LABEL, search.toLowerCase()] as const] : []),
    ])
  }

  key({ id }: { readonly id: string }): KeyEntry | undefined {
    const [row] = this.#rows('select value from keys where id = ?', [id])
    return row && entryOf<KeyEntry>(row)
  }

  putKey(write: Write<KeyEntry>): Written {
    this.#assertRoom('keys', write.was)
    this.#writeKey(write)
    this.#changed('key', write.entry.id)
    return 'done'
  }

  #writeKey({ entry, was }: Write<KeyEntry>): void {
    // It may have been used since the entry was read.
    const usedAt = Math.max(this.key(entry)?.usedAt ?? 0, entry.usedAt ?? 0)
    this.#put('keys', 'id', entry.id, { ...entry, ...(usedAt > 0 && { usedAt }) }, was)
  }

  /** Notes when a key was used last. No isolate has to hear of it. */
  keyUsed({ id, at }: { readonly id: string; readonly at: number }): Written {
    const entry = this.key({ id })
    if (!entry) return 'missing'
    if ((entry.usedAt ?? 0) < at) {
      const used = JSON.stringify({ ...entry, usedAt: at })
      this.#sql.exec('update keys set value = ? where id = ?', used, id)
      keepLast(this.#uses, id, { use: ++this.#lastUse, at }, MAX_USES)
    }
    return 'done'
  }

  deleteKey({ id }: { readonly id: string }): Written {
    if (!this.#has('keys', 'id', id)) return 'missing'
    this.#delete('keys', 'id', id)
    this.#changed('key', id)
    return 'done'
  }

  /** Groups that have rules for an endpoint, and whose name or title has a text. */
  groups({ endpoint, search, ...order }: FilteredOrder): Page<StoredGroup> {
    const page = this.#page<GroupEntry>('groups', 'name', order, (it) => it.name, [
      ...(endpoint === undefined ? [] : [[HAS_ENDPOINT, endpoint] as const]),
      ...(search ? [[HAS_NAME, search.toLowerCase()] as const] : []),
    ])
    return { ...page, entries: page.entries.map((it) => this.#withOwnCredentials(it)) }
  }

  group({ name }: { readonly name: string }): StoredGroup | undefined {
    const [row] = this.#rows('select value from groups where name = ?', [name])
    return row && this.#withOwnCredentials(entryOf<GroupEntry>(row))
  }

  /** Writes a group with those of its credentials that are new, and drops those that it no longer uses. */
  putGroup(write: Write<StoredGroup>): Written {
    this.#assertRoom('groups', write.was)
    this.#writeGroup(write)
    this.#changed('group', write.entry.name)
    return 'done'
  }

  #writeGroup({ entry, was }: Write<StoredGroup>): void {
    const { credentials, ...kept } = entry
    const { name } = kept
    this.#put('groups', 'name', name, kept, was)
    this.#putCredentials(Object.values(credentials))
    const databases = Object.values(kept.endpoints).map((it) => Object.values(it.databases ?? {}))
    const used = databases.flat().flatMap(({ url }) => url ?? [])
    this.#dropCredentials('group_name = ?', name, used)
    this.#sql.exec('delete from members where group_name = ?', name)
    for (const member of membersOf(kept)) {
      this.#sql.exec('insert or ignore into members values (?, ?)', member, name)
    }
  }

  deleteGroup({ name }: { readonly name: string }): Written {
    if (!this.#has('groups', 'name', name)) return 'missing'
    this.#delete('groups', 'name', name)
    this.#sql.exec('delete from members where group_name = ?', name)
    this.#sql.exec('delete from credentials where group_name = ?', name)
    this.#changed('group', name)
    return 'done'
  }

  settings(_?: unknown): RegistrySettings {
    const [row] = this.#rows("select value from settings where name = 'settings'", [])
    return row ? entryOf<RegistrySettings>(row) : {}
  }

  /** Sets these settings, and leaves the others. Null takes one away. */
  putSettings(settings: { readonly [Name in keyof RegistrySettings]: unknown }): Written {
    this.#writeSettings(settings)
    this.#changed('settings', '')
    return 'done'
  }

  #writeSettings(settings: { readonly [Name in keyof RegistrySettings]: unknown }): void {
    const all = Object.entries({ ...this.settings(), ...settings })
    const value = JSON.stringify(Object.fromEntries(all.filter(([, it]) => it !== null)))
    this.#sql.exec("insert or replace into settings values ('settings', ?)", value)
  }

  /** Notes a change that was made elsewhere. */
  noteChange(note: ChangeNote): Written {
    noteChange(this.#sql, note)
    return 'done'
  }

  /** What people have changed. */
  notedChanges(query: NotesQuery): readonly NotedChange[] {
    return notedChanges(this.#sql, query)
  }

  /** Which of these there are. */
  existing({ endpoints = [], keys = [] }: Partial<Existing>): Existing {
    return {
      endpoints: endpoints.filter((name) => this.#has('endpoints', 'name', name)),
      keys: keys.filter((id) => this.#has('keys', 'id', id)),
    }
  }

  /** Writes all of these, over what has the same names. `replace`: and removes everything else. */
  restore({
    mode,
    contents: { settings, endpoints, keys, groups },
  }: {
    readonly mode: 'merge' | 'replace'
    readonly contents: Contents
  }): Written {
    const now = Math.max(Date.now(), this.#lastChange() + 1)
    if (mode === 'replace') {
      for (const table of ['endpoints', 'credentials', 'keys', 'groups', 'members', 'settings']) {
        this.#sql.exec(`delete from ${table}`)
      }
      this.#sizes.clear()
    }
    const oldest = endpoints.toSorted((a, b) => a.createdAt - b.createdAt)
    for (const it of oldest) this.#writeEndpoint(this.#over('endpoints', 'name', it.name, it, now))
    for (const it of keys) this.#writeKey(this.#over('keys', 'id', it.id, it, now))
    for (const it of groups) this.#writeGroup(this.#over('groups', 'name', it.name, it, now))
    this.#writeSettings(settings)
    this.#changed('everything', '')
    const counts = this.counts()
    const isTooMuch = tablesWithBounds.some((table) => counts[table] > MAX_ROWS[table])
    // What was full when it was exported may take a little more room.
    if (isTooMuch || this.#sql.databaseSize > 2 * MAX_BYTES) throw new Undone('full')
    return 'done'
  }

  /** How much it holds. */
  counts(_?: unknown): Counts {
    return {
      endpoints: this.#size('endpoints'),
      credentials: this.#count('credentials'),
      keys: this.#size('keys'),
      groups: this.#size('groups'),
    }
  }

  #version(): number {
    return positionOf(this.#sql).version
  }

  #changesSince(since: number): Changes {
    if (since === 0) return 'everything'
    const rows = this.#rows('select kind, name from changes where version > ?', [since])
    if (rows.length === 0) return { endpoints: [], keys: [] }
    const [oldest] = this.#rows('select min(version) as n from changes', [])
    const whole = rows.every(({ kind }) => kind === 'endpoint' || kind === 'key')
    if (!whole || Number(oldest?.n) > since + 1) return 'everything'
    const named = (wanted: string) =>
      rows.filter(({ kind }) => kind === wanted).map(({ name }) => String(name))
    return { endpoints: named('endpoint'), keys: named('key') }
  }

  #changed(kind: 'endpoint' | 'key' | 'group' | 'settings' | 'everything', name: string): void {
    writeChange(this.#sql, { version: null, kind, name, mark: crypto.randomUUID() })
  }

  #defaultEndpoint(): string | undefined {
    const { defaultEndpoint } = this.settings()
    // It may have been deleted.
    if (defaultEndpoint !== undefined && this.#has('endpoints', 'name', defaultEndpoint)) {
      return defaultEndpoint
    }
    const [oldest] = this.#rows('select name from endpoints order by rowid limit 1', [])
    return oldest && String(oldest.name)
  }

  #groupOf(members: readonly string[], endpoint: string): Found['group'] | undefined {
    if (members.length === 0) return undefined
    // As one value: a statement may have a hundred, and a provider names more groups.
    const rows = this.#rows(
      `select distinct groups.value from members join groups on groups.name = group_name
       where member in (select value from json_each(?)) order by groups.name`,
      [JSON.stringify(members)],
    )
    if (rows.length === 0) return undefined
    const groups = rows.map(entryOf<GroupEntry>)
    const group = groups.find((it) => Object.hasOwn(it.endpoints, endpoint))
    if (!group) return null
    const { name, changedAt } = group
    return { name, rules: group.endpoints[endpoint]!, changedAt }
  }

  #credentials(where: string, name: string): Readonly<Record<string, Credential>> {
    const rows = this.#rows(`select value from credentials where ${where}`, [name])
    return Object.fromEntries(rows.map(entryOf<Credential>).map((it) => [it.id, it]))
  }

  #withCredentials(entry: EndpointEntry): EndpointEntry {
    const credentials = this.#credentials('endpoint = ? and group_name is null', entry.name)
    return { ...entry, credentials }
  }

  #withOwnCredentials(entry: GroupEntry): StoredGroup {
    return { ...entry, credentials: this.#credentials('group_name = ?', entry.name) }
  }

  #putCredentials(credentials: readonly Credential[]): void {
    for (const it of credentials) {
      const group = it.group ?? null
      const [row] = this.#rows('select endpoint, group_name from credentials where id = ?', [it.id])
      if (row && (row.endpoint !== it.endpoint || row.group_name !== group)) {
        throw new Undone('taken')
      }
      this.#sql.exec(
        'insert or replace into credentials (id, endpoint, group_name, key_id, value) values (?, ?, ?, ?, ?)',
        it.id,
        it.endpoint,
        group,
        it.sealed.keyId,
        JSON.stringify(it),
      )
    }
  }

  #dropCredentials(where: string, name: string, urls: readonly string[]): void {
    for (const id of Object.keys(this.#credentials(where, name))) {
      if (!urls.includes(`credential:${id}`))
        this.#sql.exec('delete from credentials where id = ?', id)
    }
  }

  #has(table: string, column: string, name: string): boolean {
    return this.#rows(`select 1 from ${table} where ${column} = ?`, [name]).length > 0
  }

  /** Writes a row. Undoes the whole order if that is not possible. */
  #put(table: BoundedTable, column: string, name: string, entry: object, was?: number) {
    const [row] = this.#rows(`select value from ${table} where ${column} = ?`, [name])
    if (row && was === undefined) throw new Undone('exists')
    if (!row && was !== undefined) throw new Undone('missing')
    if (row && entryOf<{ changedAt: number }>(row).changedAt !== was) throw new Undone('changed')
    this.#sql.exec(
      `insert into ${table} (${column}, value) values (?, ?)
       on conflict (${column}) do update set value = excluded.value`,
      name,
      JSON.stringify(entry),
    )
    if (!row) this.#resize(table, 1)
  }

  #delete(table: BoundedTable, column: string, name: string): void {
    this.#sql.exec(`delete from ${table} where ${column} = ?`, name)
    this.#resize(table, -1)
  }

  #resize(table: BoundedTable, by: number): void {
    const size = this.#sizes.get(table)
    if (size !== undefined) this.#sizes.set(table, size + by)
  }

  /** A registry that is full still lets an entry be switched off or removed. */
  #assertRoom(table: BoundedTable, was: number | undefined): void {
    const isFull = this.#size(table) >= MAX_ROWS[table] || this.#sql.databaseSize > MAX_BYTES
    if (was === undefined && isFull) throw new Undone('full')
  }

  /** Rows of a table. To count them is to read them all: that is done once. */
  #size(table: BoundedTable): number {
    const size = this.#sizes.get(table) ?? this.#count(table)
    this.#sizes.set(table, size)
    return size
  }

  #count(table: string): number {
    return Number(this.#rows(`select count(*) as n from ${table}`, [])[0]?.n)
  }

  /** An entry that replaces what is there, if there is something. */
  #over<Entry extends { readonly changedAt: number }>(
    table: string,
    column: string,
    name: string,
    entry: Entry,
    changedAt: number,
  ): Write<Entry> {
    const [row] = this.#rows(`select value from ${table} where ${column} = ?`, [name])
    return { entry: { ...entry, changedAt }, was: row && entryOf<Entry>(row).changedAt }
  }

  /** When an endpoint or a group was changed last. What is restored is newer, so that no isolate takes it for what was there. */
  #lastChange(): number {
    const changed = ['endpoints', 'groups'].map(
      (table) => `select json_extract(value, '$.changedAt') as at from ${table}`,
    )
    const [row] = this.#rows(`select max(at) as n from (${changed.join(' union all ')})`, [])
    return Number(row?.n ?? 0)
  }

  #page<Entry>(
    table: BoundedTable,
    column: string,
    { after = '', limit }: PageOrder,
    nameOf: (entry: Entry) => string,
    filters: readonly Filter[] = [],
  ): Page<Entry> {
    const entries: Entry[] = []
    let chars = 0
    let more = false
    const where = filters.map(([condition]) => ` and ${condition}`).join('')
    const values = filters.map(([, value]) => value)
    const select = `select value from ${table} where ${column} > ?${where} order by ${column} limit ?`
    for (const row of this.#sql.exec<Row>(select, after, ...values, limit + 1)) {
      more = entries.length === limit || chars > MAX_PAGE_CHARS
      if (more) break
      chars += String(row.value).length
      entries.push(entryOf<Entry>(row))
    }
    const last = entries.at(-1)
    const count = `select count(*) as n from ${table} where true${where}`
    const total = filters.length > 0 ? Number(this.#rows(count, values)[0]?.n) : this.#size(table)
    return { entries, total, ...(more && last && { next: nameOf(last) }) }
  }

  #rows(sql: string, values: readonly (string | number)[]): readonly Row[] {
    return this.#sql.exec<Row>(sql, ...values).toArray()
  }
}

/** A condition on the entries of a list, and the one value in it. */
type Filter = readonly [condition: string, value: string]

const OPENS = `exists (select 1 from json_each(keys.value, '$.endpoints') as it where it.value in (?, '*'))`
const HAS_ENDPOINT = `exists (select 1 from json_each(groups.value, '$.endpoints') as it where it.key = ?)`
const HAS_LABEL = `instr(lower(json_extract(value, '$.label') || char(10) || coalesce(json_extract(value, '$.person'), '')), ?) > 0`
const HAS_TITLE = `instr(lower(name || char(10) || json_extract(value, '$.value.title')), ?) > 0`
const HAS_NAME = `instr(lower(name || char(10) || coalesce(json_extract(value, '$.title'), '')), ?) > 0`

/** Undoes an order: nothing of it is written. */
class Undone extends Error {
  readonly why: Exclude<Written, 'done'>

  constructor(why: Exclude<Written, 'done'>) {
    super(why)
    this.why = why
  }
}

/** What a replica is told. */
interface Told {
  readonly instance: string
  /** The state that the registry is in. */
  readonly position: Position
  readonly page: ChangedPage | undefined
  readonly uses: readonly { readonly id: string; readonly at: number }[]
  readonly lastUse: number
}

interface Existing {
  readonly endpoints: readonly string[]
  readonly keys: readonly string[]
}

type Row = Record<string, SqlStorageValue>

const entryOf = <Entry>({ value }: Row): Entry => JSON.parse(String(value)) as Entry

/** Remembers something as the last, in place of the first. */
function keepLast<T>(all: Map<string, T>, key: string, it: T, most: number): void {
  all.delete(key)
  all.set(key, it)
  const [first] = all.keys()
  if (all.size > most && first !== undefined) all.delete(first)
}

const membersOf = ({ keys, people }: GroupEntry): readonly string[] => [
  ...keys.map((id) => `key:${id}`),
  ...people.map(folded),
]

const membersOfKey = ({ id, person }: KeyEntry): readonly string[] => [
  `key:${id}`,
  ...membersOfPerson(person),
]

/** A group may name a person, or `group:` and what their provider says they are in. */
const membersOfPerson = (
  person: string | undefined,
  memberOf: readonly string[] = [],
): readonly string[] =>
  person === undefined ? [] : [person, ...memberOf.map((it) => `group:${it}`)].map(folded)

/** The name of a person as it is compared: `Ada@example.com` is `ada@example.com`. */
const folded = (person: string) => person.normalize('NFC').toLowerCase()

/** What the registry may be asked. */
const orders = [
  'lookup',
  'changedSince',
  'copy',
  'endpoints',
  'endpoint',
  'putEndpoint',
  'deleteEndpoint',
  'credentialsNotUnder',
  'reseal',
  'keys',
  'key',
  'putKey',
  'keyUsed',
  'deleteKey',
  'groups',
  'group',
  'putGroup',
  'deleteGroup',
  'settings',
  'putSettings',
  'noteChange',
  'notedChanges',
  'existing',
  'restore',
  'counts',
] as const satisfies readonly (keyof RegistryState)[]

export type Order = (typeof orders)[number]

/** Asks the registry. Every order is one request to its object. What it changes is noted, if that is given. */
export type AskRegistry = <Name extends Order>(
  order: Name,
  input: Parameters<RegistryState[Name]>[0],
  note?: ChangeNote,
) => Promise<NonNullable<ReturnType<RegistryState[Name]>> | undefined>
