import { isObject, type RpcParams } from '../wire/jsonrpc.ts'

const listNames = ['tools', 'prompts', 'resources'] as const

/** A list whose changes are announced. */
export type ListName = (typeof listNames)[number]

/**
 * A change in a server, for clients that subscribed to it. A `tree` is a resource, all resources whose
 * addresses continue its address after a slash, and the list of them. Publish the version of a tree, or
 * of a list that has a version, as often as you read it: only a new version is announced.
 */
export type Change =
  | { readonly kind: ListName; readonly version?: string }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'tree'; readonly uri: string; readonly version: string }

/** A subscriber's selection of changes, in the protocol's form. */
export interface ChangeFilter {
  readonly toolsListChanged?: true
  readonly promptsListChanged?: true
  readonly resourcesListChanged?: true
  readonly resourceSubscriptions?: readonly string[]
}

/** Carries changes to listeners. */
export interface Changes {
  /** Lists that can change. If missing, all of them can. */
  readonly lists?: readonly ListName[]
  /** Name of the Durable Object that carries the changes, if there is one. It notifies the sessions. */
  readonly hub?: string
  publish(change: Change): void | Promise<void>
  /** Calls `listener` until `signal` aborts. An implementation can ignore the filter: it only saves calls. */
  listen(
    listener: (change: Change) => void,
    signal: AbortSignal,
    filter?: ChangeFilter,
  ): void | Promise<void>
}

/** Changes within one isolate. */
export function localChanges(): Changes {
  const listeners = new Set<(change: Change) => void>()
  const versions = new Map<string, unknown>()
  return {
    publish(change) {
      if (!isNew(change, { get: (uri) => versions.get(uri), put: (...it) => versions.set(...it) }))
        return
      for (const listener of listeners) listener(change)
    },
    listen(listener, signal) {
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener))
    },
  }
}

/** Maximum number of addresses that one subscriber can list. */
const MAX_SUBSCRIBED_URIS = 1_000

/** Reads a subscriber's filter. Leaves out unknown entries, and lists that never change. */
export function filterOf(value: unknown, lists: readonly ListName[] = listNames): ChangeFilter {
  if (!isObject(value)) return {}
  const { resourceSubscriptions: uris } = value
  const changing = lists.map((it) => `${it}ListChanged` as const)
  return {
    ...Object.fromEntries(changing.filter((it) => value[it] === true).map((it) => [it, true])),
    ...(Array.isArray(uris) && {
      resourceSubscriptions: uris
        .filter((it) => typeof it === 'string')
        .slice(0, MAX_SUBSCRIBED_URIS),
    }),
  }
}

/** The notifications that a subscriber gets about a change. */
export function notificationsOf(change: Change, filter: ChangeFilter): Notification[] {
  const { kind } = change
  const { resourceSubscriptions: uris = [] } = filter
  const list = kind === 'tree' ? 'resources' : kind
  const covered = 'uri' in change ? uris.filter((it) => covers(change, it)) : []
  const updated = covered.map((uri) => ({
    method: 'notifications/resources/updated',
    params: { uri },
  }))
  if (list === 'resource' || !filter[`${list}ListChanged`]) return updated
  return [...updated, { method: `notifications/${list}/list_changed`, params: {} }]
}

interface Notification {
  readonly method: string
  readonly params: RpcParams
}

const covers = ({ kind, uri }: Change & { readonly uri: string }, other: string) =>
  other === uri || (kind === 'tree' && other.startsWith(`${uri}/`))

/** True if a change is new. Remembers the last version of each tree, and of each list, in `versions`. */
export function isNew(
  change: Change,
  versions: { get(uri: string): unknown; put(uri: string, version: string): void },
): boolean {
  if (!('version' in change) || change.version === undefined) return true
  const { version } = change
  // The address of a tree has a colon, so it cannot collide with a kind.
  const name = change.kind === 'tree' ? change.uri : change.kind
  const before = versions.get(name)
  if (before === version) return false
  versions.put(name, version)
  return before !== undefined
}
