import { isObject, type RpcParams } from '../wire/jsonrpc.ts'

const listNames = ['tools', 'prompts', 'resources'] as const

/** A list whose changes are told. */
export type ListName = (typeof listNames)[number]

/**
 * Something about a server that changed, for those who asked to be told. A `tree` is a resource, those
 * whose addresses continue its own after a slash, and which of them there are. Whoever looked may
 * publish the version that it found: only one that is new is told.
 */
export type Change =
  | { readonly kind: ListName }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'tree'; readonly uri: string; readonly version: string }

/** What a subscriber wants to hear of, in the protocol's own words. */
export interface Filter {
  readonly toolsListChanged?: true
  readonly promptsListChanged?: true
  readonly resourcesListChanged?: true
  readonly resourceSubscriptions?: readonly string[]
}

/** Carries changes from whoever makes them to whoever listens. */
export interface Changes {
  /** The lists that may change; all of them unless this says which. */
  readonly lists?: readonly ListName[]
  /** The name of the object that carries them, if one does: it tells the sessions in objects. */
  readonly hub?: string
  publish(change: Change): void | Promise<void>
  /** Calls `listener` until `signal` aborts, at least with what the filter asks for. */
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
const MAX_URIS = 1_000

/** Reads the filter of a subscriber; what it does not understand, or never changes, is left out. */
export function filterOf(value: unknown, lists: readonly ListName[] = listNames): Filter {
  if (!isObject(value)) return {}
  const { resourceSubscriptions: uris } = value
  const changing = lists.map((it) => `${it}ListChanged` as const)
  return {
    ...Object.fromEntries(changing.filter((it) => value[it] === true).map((it) => [it, true])),
    ...(Array.isArray(uris) && {
      resourceSubscriptions: uris.filter((it) => typeof it === 'string').slice(0, MAX_URIS),
    }),
  }
}

/** The notifications by which a subscriber hears of a change. */
export function notificationsOf(change: Change, filter: Filter): Notification[] {
  const { kind } = change
  const { resourceSubscriptions: uris = [] } = filter
  const list = kind === 'tree' ? 'resources' : kind
  const told = 'uri' in change ? uris.filter((it) => covers(change, it)) : []
  const updated = told.map((uri) => ({
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

/** Whether a change is one, given where the last version of each tree is kept. */
export function isNew(
  change: Change,
  versions: { get(uri: string): unknown; put(uri: string, version: string): void },
): boolean {
  if (change.kind !== 'tree') return true
  const { uri, version } = change
  const before = versions.get(uri)
  versions.put(uri, version)
  return before !== undefined && before !== version
}
