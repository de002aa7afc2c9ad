import type {
  Changes,
  Credential,
  EndpointEntry,
  Found,
  GroupEntry,
  KeyEntry,
  Lookup,
  RegistrySettings,
} from './entries.ts'
import { tables } from './registry-tables.ts'

/** A page of a list in the order of its names. */
export interface PageOrder {
  /** The last name of the page before. */
  readonly after?: string | undefined
  readonly limit: number
}

/** A page, and the name to go on after, if there is more. */
export interface Page<Entry> {
  readonly entries: readonly Entry[]
  readonly next?: string | undefined
  readonly total: number
}

/** Whether a change was made, and else why not. */
export type Written = 'done' | 'exists' | 'missing' | 'full'

/** How much a registry holds. */
const MAX_ROWS = { endpoint: 20_000, key: 50_000, group: 2_000 } as const

/** Changes that are remembered. An isolate that missed more of them forgets everything it knew. */
const MAX_CHANGES = 1_000

/**
 * What the registry knows, in the SQLite of its object. Every public method is one order: it runs without
 * a pause, in one transaction, so it is done whole or not at all.
 */
export class RegistryState {
  readonly #storage: DurableObjectStorage
  readonly #sql: SqlStorage

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#sql = storage.sql
    for (const table of tables) this.#sql.exec(table)
  }

  /** Carries out an order by its name. */
  take(method: string, input: unknown): unknown {
    if (!orders.includes(method as Order)) throw new Error('There is no such order.')
    const carryOut = this[method as Order] as (input: unknown) => unknown
    return this.#storage.transactionSync(() => carryOut.call(this, input))
  }

  /** What a request needs to know, and what has changed since an isolate asked last. */
  lookup({ since, endpoint, key }: Lookup): Found {
    const found = { version: this.#version(), changes: this.#changesSince(since) }
    if (endpoint === undefined) return found
    const name = endpoint ?? this.#defaultEndpoint()
    const entry = name === undefined ? undefined : this.endpoint({ name })
    const shown = key === undefined ? undefined : this.key({ id: key })
    const group = shown && name !== undefined ? this.#groupOf(shown, name) : undefined
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

  endpoints({ after = '', limit }: PageOrder): Page<EndpointEntry> {
    const rows = this.#rows('select value from endpoints where name > ? order by name limit ?', [
      after,
      limit + 1,
    ])
    return this.#page(rows.map(entryOf<EndpointEntry>), limit, 'endpoints', (it) => it.name)
  }

  endpoint({ name }: { readonly name: string }): EndpointEntry | undefined {
    const [row] = this.#rows('select value from endpoints where name = ?', [name])
    if (!row) return undefined
    const credentials = this.#credentials('endpoint = ? and group_name is null', name)
    return { ...entryOf<EndpointEntry>(row), credentials }
  }

  /** Writes an endpoint with those of its credentials that are new, and drops those that it no longer uses. */
  putEndpoint({
    entry,
    isNew,
  }: {
    readonly entry: EndpointEntry
    readonly isNew: boolean
  }): Written {
    const { credentials, ...kept } = entry
    const refused = this.#refused('endpoints', 'name', entry.name, isNew, MAX_ROWS.endpoint)
    if (refused) return refused
    this.#put('endpoints', 'name', entry.name, kept)
    this.#putCredentials(Object.values(credentials))
    const used = Object.values(entry.value.databases).map(({ url }) => url)
    this.#dropCredentials('endpoint = ? and group_name is null', entry.name, used)
    this.#changed('endpoint', entry.name)
    return 'done'
  }

  deleteEndpoint({ name }: { readonly name: string }): Written {
    if (!this.#has('endpoints', 'name', name)) return 'missing'
    this.#sql.exec('delete from endpoints where name = ?', name)
    this.#sql.exec('delete from credentials where endpoint = ? and group_name is null', name)
    this.#changed('endpoint', name)
    return 'done'
  }

  /** Every credential that was not sealed with this key, so that it can be sealed again. */
  credentialsNotUnder({ keyId, limit }: { readonly keyId: string; readonly limit: number }): {
    readonly entries: readonly Credential[]
    readonly total: number
  } {
    const rows = this.#rows('select value from credentials where key_id <> ? limit ?', [
      keyId,
      limit,
    ])
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

  keys({ after = '', limit }: PageOrder): Page<KeyEntry> {
    const rows = this.#rows('select value from keys where id > ? order by id limit ?', [
      after,
      limit + 1,
    ])
    return this.#page(rows.map(entryOf<KeyEntry>), limit, 'keys', (it) => it.id)
  }

  key({ id }: { readonly id: string }): KeyEntry | undefined {
    const [row] = this.#rows('select value from keys where id = ?', [id])
    return row && entryOf<KeyEntry>(row)
  }

  putKey({ entry, isNew }: { readonly entry: KeyEntry; readonly isNew: boolean }): Written {
    const refused = this.#refused('keys', 'id', entry.id, isNew, MAX_ROWS.key)
    if (refused) return refused
    this.#put('keys', 'id', entry.id, entry)
    this.#changed('key', entry.id)
    return 'done'
  }

  /** Notes when a key was used last. No isolate has to hear of it. */
  keyUsed({ id, at }: { readonly id: string; readonly at: number }): Written {
    const entry = this.key({ id })
    if (!entry) return 'missing'
    if ((entry.usedAt ?? 0) < at) this.#put('keys', 'id', id, { ...entry, usedAt: at })
    return 'done'
  }

  deleteKey({ id }: { readonly id: string }): Written {
    if (!this.#has('keys', 'id', id)) return 'missing'
    this.#sql.exec('delete from keys where id = ?', id)
    this.#changed('key', id)
    return 'done'
  }

  groups({ after = '', limit }: PageOrder): Page<GroupEntry> {
    const rows = this.#rows('select value from groups where name > ? order by name limit ?', [
      after,
      limit + 1,
    ])
    return this.#page(rows.map(entryOf<GroupEntry>), limit, 'groups', (it) => it.name)
  }

  group({
    name,
  }: {
    readonly name: string
  }): (GroupEntry & { readonly credentials: Readonly<Record<string, Credential>> }) | undefined {
    const [row] = this.#rows('select value from groups where name = ?', [name])
    if (!row) return undefined
    const credentials = this.#credentials('group_name = ?', name)
    return { ...entryOf<GroupEntry>(row), credentials }
  }

  putGroup({
    entry,
    credentials,
    isNew,
  }: {
    readonly entry: GroupEntry
    readonly credentials: readonly Credential[]
    readonly isNew: boolean
  }): Written {
    const { name } = entry
    const refused = this.#refused('groups', 'name', name, isNew, MAX_ROWS.group)
    if (refused) return refused
    this.#put('groups', 'name', name, entry)
    this.#putCredentials(credentials)
    const databases = Object.values(entry.endpoints).map((it) => Object.values(it.databases ?? {}))
    const used = databases.flat().flatMap(({ url }) => url ?? [])
    this.#dropCredentials('group_name = ?', name, used)
    this.#sql.exec('delete from members where group_name = ?', name)
    for (const member of membersOf(entry)) {
      this.#sql.exec('insert or ignore into members values (?, ?)', member, name)
    }
    this.#changed('group', name)
    return 'done'
  }

  deleteGroup({ name }: { readonly name: string }): Written {
    if (!this.#has('groups', 'name', name)) return 'missing'
    for (const table of ['groups where name', 'members where group_name']) {
      this.#sql.exec(`delete from ${table} = ?`, name)
    }
    this.#sql.exec('delete from credentials where group_name = ?', name)
    this.#changed('group', name)
    return 'done'
  }

  settings(_?: unknown): RegistrySettings {
    const [row] = this.#rows("select value from settings where name = 'settings'", [])
    return row ? entryOf<RegistrySettings>(row) : {}
  }

  putSettings(settings: RegistrySettings): Written {
    this.#put('settings', 'name', 'settings', settings)
    this.#changed('settings', '')
    return 'done'
  }

  /** How much it holds. */
  counts(_?: unknown): Readonly<Record<string, number>> {
    const count = (table: string) =>
      Number(this.#rows(`select count(*) as n from ${table}`, [])[0]?.n)
    return Object.fromEntries(
      ['endpoints', 'credentials', 'keys', 'groups'].map((table) => [table, count(table)]),
    )
  }

  #version(): number {
    return Number(this.#rows('select coalesce(max(version), 1) as n from changes', [])[0]?.n)
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

  #changed(kind: 'endpoint' | 'key' | 'group' | 'settings', name: string): void {
    this.#sql.exec('insert into changes (kind, name) values (?, ?)', kind, name)
    this.#sql.exec(
      'delete from changes where version <= (select max(version) from changes) - ?',
      MAX_CHANGES,
    )
  }

  #defaultEndpoint(): string | undefined {
    const { defaultEndpoint } = this.settings()
    if (defaultEndpoint !== undefined) return defaultEndpoint
    const [oldest] = this.#rows('select name from endpoints order by rowid limit 1', [])
    return oldest && String(oldest.name)
  }

  #groupOf(key: KeyEntry, endpoint: string): Found['group'] | undefined {
    const members = [`key:${key.id}`, ...(key.person === undefined ? [] : [key.person])]
    const places = members.map(() => '?').join(', ')
    const rows = this.#rows(
      `select distinct groups.value from members join groups on groups.name = group_name
       where member in (${places}) order by groups.name`,
      members,
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

  #putCredentials(credentials: readonly Credential[]): void {
    for (const it of credentials) {
      this.#sql.exec(
        'insert or replace into credentials (id, endpoint, group_name, key_id, value) values (?, ?, ?, ?, ?)',
        it.id,
        it.endpoint,
        it.group ?? null,
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

  #refused(
    table: string,
    column: string,
    name: string,
    isNew: boolean,
    most: number,
  ): Exclude<Written, 'done'> | undefined {
    const has = this.#has(table, column, name)
    if (has === isNew) return isNew ? 'exists' : 'missing'
    if (isNew && Number(this.#rows(`select count(*) as n from ${table}`, [])[0]?.n) >= most)
      return 'full'
    return undefined
  }

  #has(table: string, column: string, name: string): boolean {
    return this.#rows(`select 1 from ${table} where ${column} = ?`, [name]).length > 0
  }

  #put(table: string, column: string, name: string, value: object): void {
    this.#sql.exec(
      `insert into ${table} (${column}, value) values (?, ?)
       on conflict (${column}) do update set value = excluded.value`,
      name,
      JSON.stringify(value),
    )
  }

  #page<Entry>(
    found: readonly Entry[],
    limit: number,
    table: string,
    nameOf: (entry: Entry) => string,
  ): Page<Entry> {
    const entries = found.slice(0, limit)
    const [count] = this.#rows(`select count(*) as n from ${table}`, [])
    const more = found.length > limit && entries.length > 0
    return { entries, total: Number(count?.n), ...(more && { next: nameOf(entries.at(-1)!) }) }
  }

  #rows(sql: string, values: readonly (string | number)[]): readonly Row[] {
    return this.#sql.exec<Row>(sql, ...values).toArray()
  }
}

type Row = Record<string, SqlStorageValue>

const entryOf = <Entry>({ value }: Row): Entry => JSON.parse(String(value)) as Entry

const membersOf = ({ keys, people }: GroupEntry): readonly string[] => [
  ...keys.map((id) => `key:${id}`),
  ...people,
]

/** What the registry may be asked. */
const orders = [
  'lookup',
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
  'counts',
] as const satisfies readonly (keyof RegistryState)[]

export type Order = (typeof orders)[number]
