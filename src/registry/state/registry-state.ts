import { changesSince, versionOf } from './changes.ts'
import { credentialsNotUnder, credentialsOf, reseal } from './credentials.ts'
import { defaultEndpoint, deleteEndpoint, endpoint, endpoints, putEndpoint } from './endpoints.ts'
import type { LookupResult, RegistryLookup } from './entries.ts'
import {
  deleteGroup,
  group,
  groupOf,
  groups,
  membersOfKey,
  membersOfPerson,
  namesProviderGroup,
  putGroup,
} from './groups.ts'
import { deleteKey, key, keys, keyUsed, putKey } from './keys.ts'
import {
  type ChangeNote,
  isDone,
  type NotesQuery,
  noteChange,
  notedChanges,
} from './noted-changes.ts'
import { healthOf, openTables } from './registry-health.ts'
import { restore, stage } from './restoring.ts'
import { RegistryRows, Undone } from './rows.ts'
import { putSettings, settings } from './settings.ts'

/** The registry's state, in the SQLite database of its object. */
export class RegistryState {
  readonly #storage: DurableObjectStorage
  readonly #rows: RegistryRows

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#rows = new RegistryRows(storage.sql)
    openTables(storage.sql)
  }

  /**
   * Carries out the order with this name. It runs without a pause in one transaction, so it is done completely or not
   * at all. Its change and its note are written together, or neither is written.
   */
  take<Name extends Order>(order: Name, input: Input<Name>, note?: ChangeNote): OrderOutcome<Name> {
    if (!Object.hasOwn(orders, order)) throw new Error('There is no such order.')
    const carryOut = orders[order] as (rows: RegistryRows, input: unknown) => OrderOutcome<Name>
    try {
      return this.#storage.transactionSync(() => {
        const outcome = carryOut(this.#rows, input)
        if (note && isDone(outcome)) noteChange(this.#rows.sql, note)
        return outcome
      })
    } catch (error) {
      this.#rows.recount()
      if (error instanceof Undone) return error.why as OrderOutcome<Name>
      throw error
    }
  }
}

/** Those of the given names and ids that exist. */
const existing = (
  rows: RegistryRows,
  { endpoints = [], keys = [] }: Partial<Readonly<Record<'endpoints' | 'keys', readonly string[]>>>,
) => ({
  endpoints: endpoints.filter((name) => rows.has('endpoints', name)),
  keys: keys.filter((id) => rows.has('keys', id)),
})

/** Number of entries of each kind. */
const counts = (rows: RegistryRows) => ({
  endpoints: rows.size('endpoints'),
  credentials: rows.count('credentials'),
  keys: rows.size('keys'),
  groups: rows.size('groups'),
})

/** The registry's orders. Each one gets the rows and its input. */
const orders = {
  lookup,
  endpoints,
  endpoint,
  putEndpoint,
  deleteEndpoint,
  credentialsNotUnder,
  reseal,
  keys,
  key,
  putKey,
  keyUsed,
  deleteKey,
  groups,
  group,
  namesProviderGroup,
  putGroup,
  deleteGroup,
  settings,
  putSettings,
  noteChange({ sql }: RegistryRows, note: ChangeNote) {
    noteChange(sql, note)
    return 'done' as const
  },
  notedChanges: ({ sql }: RegistryRows, query: NotesQuery) => notedChanges(sql, query),
  existing,
  stage,
  restore,
  counts,
  health: ({ sql }: RegistryRows, { isThorough }: { readonly isThorough: boolean }) =>
    healthOf(sql, isThorough),
} as const

export type Order = keyof typeof orders
type Input<Name extends Order> = Parameters<(typeof orders)[Name]>[1]
type OrderOutcome<Name extends Order> = ReturnType<(typeof orders)[Name]>

/** Queries the registry. Every order is one request to its object. If a note is passed, the change is noted. */
export type AskRegistry = <Name extends Order>(
  order: Name,
  input: Input<Name>,
  note?: ChangeNote,
) => Promise<OrderOutcome<Name>>

/** The data for a request, and the changes since the isolate's last query. */
function lookup(
  rows: RegistryRows,
  { since, endpoint: asked, key: id, person, memberOf }: RegistryLookup,
): LookupResult {
  const { instance } = rows
  const found = { instance, version: versionOf(rows), changes: changesSince(rows, since) }
  if (asked === undefined) return found
  const name = asked ?? defaultEndpoint(rows)
  const shown = id === undefined ? undefined : key(rows, { id })
  const members = shown ? membersOfKey(shown) : membersOfPerson(person, memberOf)
  const own = name === undefined ? undefined : groupOf(rows, members, name)
  return {
    ...found,
    endpoint: name === undefined ? undefined : endpoint(rows, { name }),
    key: shown,
    ...(own !== undefined && { group: own }),
    ...(own && { credentials: credentialsOf(rows, { group: own.name }) }),
    privateHosts: settings(rows).privateHosts,
  }
}
