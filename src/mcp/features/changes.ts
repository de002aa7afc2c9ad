import { isObject, type RpcParams } from '../wire/jsonrpc.ts'

const listNames = ['tools', 'prompts', 'resources'] as const

/** A list that announces its changes. */
export type ListName = (typeof listNames)[number]

/**
 * A change of a server, for clients that asked to hear of it. A `tree` is a resource with all
 * resources whose addresses continue its address after a slash, and the list of them. Publish the
 * version of a tree, or of a list that has one, as often as you read it: only a new version is announced.
 */
export type Change =
  | { readonly kind: ListName; readonly version?: string }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'tree'; readonly uri: string; readonly version: string }

/** What a subscriber wants to hear of, as the protocol writes it. */
export interface Filter {
  readonly toolsListChanged?: true
  readonly promptsListChanged?: true
  readonly resourcesListChanged?: true
  readonly resourceSubscriptions?: readonly string[]
}

/** Carries changes to those who listen. */
export interface Changes {
  /** The lists that may change. All of them, if this is missing. */
  readonly lists?: readonly ListName[]
  /**
   * The name of the Durable Object that carries the changes, if one does. It tells the sessions.
   */
  readonly hub?: string
  publish(change: Change): void | Promise<void>
  /** Calls `listener` until `signal` aborts. The filter may be ignored: it only spares calls. */
  listen(
    listener: (change: Change) => void,
    signal: AbortSignal,
    filter?: Filter,
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

/** Addresses one subscriber may name. */
const MAX_SUBSCRIBED_URIS = 1_000

/** Reads the filter of a subscriber. Leaves out what is unknown, and lists that never change. */
export function filterOf(value: unknown, lists: readonly ListName[] = listNames): Filter {
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

/** The notifications that tell a subscriber of a change. */
export function notificationsOf(change: Change, filter: Filter): Notification[] {
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

/** Whether a change is new. Remembers the last version of each tree, and of each list, in `versions`. */
export function isNew(
  change: Change,
  versions: { get(uri: string): unknown; put(uri: string, version: string): void },
): boolean {
  if (!('version' in change) || change.version === undefined) return true
  const { version } = change
  // The address of a tree has a colon.
  const name = change.kind === 'tree' ? change.uri : change.kind
  const before = versions.get(name)
  if (before === version) return false
  versions.put(name, version)
  return before !== undefined
}
